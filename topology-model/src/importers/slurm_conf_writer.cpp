#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "importers/writers.hpp"
#include "zonecut/base/error.hpp"
#include "zonecut/base/hostlist.hpp"

namespace zonecut::importers {
namespace {

/// Slurm's limit for the name of a switch.
constexpr std::size_t kMaxSwitchName = 64;

/// Slurm takes brackets, commas and blanks apart, and '#' begins a comment.
bool is_plain(std::string_view name) {
  return !name.empty() && name.find_first_of(" \t,[]()#=\"\\/") == std::string_view::npos;
}

/// Names of switches are unique in topology.conf, those of domains only among their siblings.
class SwitchNames {
 public:
  explicit SwitchNames(const Cluster& cluster) : names_(cluster.domain_count()) {
    for (std::size_t i = 0; i < cluster.domain_count(); ++i) name(cluster, DomainId{i});
  }
  [[nodiscard]] const std::string& of(DomainId domain) const { return names_[domain]; }

 private:
  /// The domain's own name where it is free, else its path, else a number after it.
  void name(const Cluster& cluster, DomainId domain) {
    std::string wanted = fitting(cluster.domain(domain).name);
    if (!used_.insert(wanted).second) {
      wanted = fitting(cluster.path(domain));
      for (int n = 2; !used_.insert(wanted).second; ++n)
        wanted =
            fmt::format("{}-{}", fitting(cluster.path(domain)).substr(0, kMaxSwitchName - 9), n);
    }
    names_[domain] = std::move(wanted);
  }

  static std::string fitting(std::string text) {
    for (char& c : text) {
      if (c == '/') c = '.';
      if (!is_plain({&c, 1})) c = '_';
    }
    return text.empty() ? "switch" : text.substr(0, kMaxSwitchName);
  }

  IdMap<DomainId, std::string> names_;
  std::unordered_set<std::string> used_;
};

std::string nodes_of(const Cluster& cluster, const Domain& rack) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < rack.server_count; ++i) {
    const std::string& name = cluster.server(ServerId{rack.first_server + i}).name;
    if (!is_plain(name)) {
      throw InputError("slurm-conf", fmt::format("Slurm cannot name a node \"{}\"", name),
                       "blanks, commas, brackets, quotes and '#' have a meaning there");
    }
    names.push_back(name);
  }
  return compress_hostlist(names);
}

std::string children_of(const Cluster& cluster, const Domain& domain, const SwitchNames& names) {
  std::vector<std::string> children;
  for (const DomainId child : domain.children) {
    if (cluster.domain(child).server_count > 0) children.push_back(names.of(child));
  }
  return compress_hostlist(children);
}

}  // namespace

std::string write_slurm_conf(const Cluster& cluster) {
  const SwitchNames names(cluster);
  std::string text = "# topology/tree; racks in depth-first order, so neighbours stay together\n";
  for (std::size_t i = 0; i < cluster.domain_count(); ++i) {
    const Domain& domain = cluster.domain(DomainId{i});
    if (domain.server_count == 0) continue;  // Slurm knows no switch without nodes
    const bool is_rack = domain.level == cluster.rack_level();
    fmt::format_to(std::back_inserter(text), "SwitchName={} {}={}\n", names.of(DomainId{i}),
                   is_rack ? "Nodes" : "Switches",
                   is_rack ? nodes_of(cluster, domain) : children_of(cluster, domain, names));
  }
  return text;
}

}  // namespace zonecut::importers
