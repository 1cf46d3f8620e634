#include "importers/node_labels.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "importers/outline.hpp"
#include "level_name.hpp"

namespace zonecut::importers {
namespace {

/// In order of trust: what a discovery tool found out, then what a cloud says, then the generic
/// labels that every node of a cloud carries.
const std::array<LabelSet, 6>& known_sets() {
  static const std::array<LabelSet, 6> sets = {{
      {{"network.topology.nvidia.com/core", "core"},
       {"network.topology.nvidia.com/spine", "spine"},
       {"network.topology.nvidia.com/leaf", "leaf"}},
      {{"network.topology.nvidia.com/datacenter", "datacenter"},
       {"network.topology.nvidia.com/spine", "spine"},
       {"network.topology.nvidia.com/block", "block"}},
      {{"topology.k8s.aws/network-node-layer-1", "layer-1"},
       {"topology.k8s.aws/network-node-layer-2", "layer-2"},
       {"topology.k8s.aws/network-node-layer-3", "layer-3"}},
      // gce-topology-host names the machine itself: it would make every rack one server.
      {{"cloud.google.com/gce-topology-block", "block"},
       {"cloud.google.com/gce-topology-subblock", "subblock"}},
      {{"oci.oraclecloud.com/host.network_block_id", "network-block"},
       {"oci.oraclecloud.com/host.rack_id", "rack"}},
      {{"topology.kubernetes.io/region", "region"}, {"topology.kubernetes.io/zone", "zone"}},
  }};
  return sets;
}

std::optional<int> tier_number(std::string_view key) {
  if (!key.starts_with(kTierPrefix)) return std::nullopt;
  key.remove_prefix(kTierPrefix.size());
  int tier = 0;
  const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), tier);
  const bool is_number = error == std::errc{} && end == key.data() + key.size() && tier >= 0;
  // Tier 0 is the innermost level, so higher ones than a cluster can have are beyond use.
  return is_number && tier < static_cast<int>(kMaxLevels) ? std::optional(tier) : std::nullopt;
}

std::string tier_level(auto tier) { return "tier-" + std::to_string(tier); }

/// topograph's newer keys: as many tiers as the nodes carry, tier 0 innermost.
LabelSet tier_set(const std::vector<const Labels*>& nodes) {
  int highest = -1;
  for (const Labels* const labels : nodes) {
    for (auto at = labels->lower_bound(kTierPrefix);
         at != labels->end() && at->first.starts_with(kTierPrefix); ++at)
      highest = std::max(highest, tier_number(at->first).value_or(-1));
  }
  LabelSet set;
  for (int tier = highest; tier >= 0; --tier)
    set.push_back({std::string(kTierPrefix) + std::to_string(tier), tier_level(tier)});
  return set;
}

bool is_carried(const std::string& key, const std::vector<const Labels*>& nodes) {
  return std::any_of(nodes.begin(), nodes.end(),
                     [&](const Labels* labels) { return labels->contains(key); });
}

/// How many nodes have a place by the set: those with a value for its innermost key.
std::size_t placed_by(const LabelSet& set, const std::vector<const Labels*>& nodes) {
  return static_cast<std::size_t>(
      std::count_if(nodes.begin(), nodes.end(), [&](const Labels* labels) {
        const auto label = labels->find(set.back().key);
        return label != labels->end() && !label->second.empty();
      }));
}

/// The sets whose innermost key some node carries, in the order of trust.
std::vector<LabelSet> carried_sets(const std::vector<const Labels*>& nodes) {
  std::vector<LabelSet> sets = {tier_set(nodes)};
  sets.insert(sets.end(), known_sets().begin(), known_sets().end());
  std::erase_if(
      sets, [&](const LabelSet& set) { return set.empty() || !is_carried(set.back().key, nodes); });
  for (LabelSet& set : sets)
    std::erase_if(set, [&](const LabelLevel& level) { return !is_carried(level.key, nodes); });
  return sets;
}

}  // namespace

LabelSet label_set(const std::vector<std::string>& keys) {
  LabelSet set;
  for (const std::string& key : keys) {
    const std::size_t slash = key.rfind('/');
    std::string level = slash == std::string::npos ? key : key.substr(slash + 1);
    const bool is_taken = std::any_of(
        set.begin(), set.end(), [&](const LabelLevel& other) { return other.level == level; });
    if (is_taken || !fault_of_level_name(level).empty()) {
      level = key;
      std::replace(level.begin(), level.end(), '/', '.');
    }
    set.push_back({key, std::move(level)});
  }
  return set;
}

std::vector<std::string> known_levels() {
  std::vector<std::string> names;
  const auto add = [&names](const std::string& name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  };
  for (std::size_t tier = kMaxLevels; tier-- > 0;) add(tier_level(tier));
  for (const LabelSet& set : known_sets()) {
    for (const LabelLevel& level : set) add(level.level);
  }
  return names;
}

std::optional<LabelSet> find_label_set(const std::vector<const Labels*>& nodes) {
  const std::vector<LabelSet> sets = carried_sets(nodes);
  return sets.empty() ? std::nullopt : std::optional(sets.front());
}

std::optional<LabelSet> find_label_set_of_most(const std::vector<const Labels*>& nodes) {
  std::optional<LabelSet> best;
  std::size_t most = 0;
  for (LabelSet& set : carried_sets(nodes)) {
    const std::size_t placed = placed_by(set, nodes);
    if (2 * placed >= nodes.size()) return set;
    if (placed > most) best = std::move(set);
    most = std::max(most, placed);
  }
  return best;
}

std::string scale_up_domain(const Labels& labels) {
  for (const std::string_view key :
       {"nvidia.com/gpu.clique", "network.topology.nvidia.com/accelerator"}) {
    const auto found = labels.find(key);
    if (found != labels.end()) return found->second;
  }
  return {};
}

}  // namespace zonecut::importers
