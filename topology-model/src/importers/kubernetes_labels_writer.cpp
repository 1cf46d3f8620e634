#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "importers/node_labels.hpp"
#include "importers/writers.hpp"

namespace zonecut::importers {
namespace {

/// Kubernetes: 63 bytes of letters, digits, '-', '_' and '.', a letter or digit at both ends.
constexpr std::size_t kMaxLabelValue = 63;

bool is_letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

std::string label_value(std::string text, std::size_t most) {
  for (char& c : text) {
    if (!is_letter_or_digit(c) && c != '-' && c != '_' && c != '.') c = '-';
  }
  text.resize(std::min(text.size(), most));
  while (!text.empty() && !is_letter_or_digit(text.back())) text.pop_back();
  const auto first = std::find_if(text.begin(), text.end(), is_letter_or_digit);
  text.erase(text.begin(), first);
  return text.empty() ? "domain" : text;
}

/// Label values for all domains, different for siblings.
class LabelValues {
 public:
  explicit LabelValues(const Cluster& cluster) : values_(cluster.domain_count()) {
    for (const DomainId domain : cluster.domain_ids()) {
      std::unordered_set<std::string> used;
      for (const DomainId child : cluster.domain(domain).children) {
        const std::string& name = cluster.domain(child).name;
        std::string value = label_value(name, kMaxLabelValue);
        for (int n = 2; !used.insert(value).second; ++n)
          value = fmt::format("{}-{}", label_value(name, kMaxLabelValue - 9), n);
        values_[child] = std::move(value);
      }
    }
  }
  [[nodiscard]] const std::string& of(DomainId domain) const { return values_[domain]; }

 private:
  IdMap<DomainId, std::string> values_;
};

/// topograph's keys by distance from the server: leaf, spine, core; with more levels than three,
/// its numbered tiers.
std::string key_of(int tiers_up, int level_count) {
  constexpr std::string_view kNames[] = {"leaf", "spine", "core"};
  if (level_count <= 3)
    return fmt::format("network.topology.nvidia.com/{}",
                       kNames[static_cast<std::size_t>(tiers_up)]);
  return fmt::format("{}{}", kTierPrefix, tiers_up);
}

}  // namespace

std::string write_kubernetes_labels(const Cluster& cluster) {
  const LabelValues values(cluster);
  std::string text = "# kubectl apply --server-side --field-manager=zonecut -f this-file\n";
  auto out = std::back_inserter(text);
  for (const ServerId id : cluster.server_ids()) {
    const Server& server = cluster.server(id);
    fmt::format_to(out, "---\napiVersion: v1\nkind: Node\nmetadata:\n  name: {}\n  labels:\n",
                   quoted(server.name));
    for (int level = 1; level <= cluster.rack_level(); ++level) {
      fmt::format_to(out, "    {}: {}\n",
                     key_of(cluster.rack_level() - level, cluster.rack_level()),
                     quoted(values.of(cluster.domain_of(id, level))));
    }
    if (server.scale_up) {
      fmt::format_to(out, "    network.topology.nvidia.com/accelerator: \"scale-up-{}\"\n",
                     *server.scale_up);
    }
  }
  return text;
}

}  // namespace zonecut::importers
