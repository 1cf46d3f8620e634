#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "cluster_file/file_format.hpp"
#include "importers/ib_dump.hpp"
#include "importers/ib_fabric.hpp"
#include "importers/outline.hpp"
#include "importers/readers.hpp"
#include "importers/source_text.hpp"
#include "zonecut/base/hostlist.hpp"

namespace zonecut::importers {
namespace {

/// Three in a large fabric, and each may hide a chassis of three; a chain of switches is no tree.
constexpr int kMaxTiers = 16;

/// The value that occurs most often; the least of several. None of nothing.
template <class Number>
std::optional<Number> usual(const std::vector<Number>& values) {
  std::map<Number, std::size_t> counts;
  for (const Number& value : values) ++counts[value];
  const auto most =
      std::max_element(counts.begin(), counts.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == counts.end() ? std::nullopt : std::optional(most->first);
}

/// What the cluster file to be can say.
int limited(int count, std::int64_t most, std::string_view of_what, const std::string& where) {
  if (count > most)
    throw InputError(where, fmt::format("found {} {}, expected at most {}", count, of_what, most));
  return count;
}

/// One level of the tree to be: the tier of switches that joins its domains, and the domain of
/// each group of servers.
struct JoinedTier {
  int tier = 0;
  std::vector<std::size_t> domain_of_group;
};

class IbReader {
 public:
  explicit IbReader(const IbDump& dump)
      : dump_(dump),
        tiers_(tiers_of(dump)),
        servers_(servers_of(dump)),
        groups_(leaf_groups(servers_, dump.switches.size())) {
    for (const auto& tier : tiers_) highest_tier_ = std::max(highest_tier_, tier.value_or(0));
    find_levels();
  }

  [[nodiscard]] std::size_t level_count() const { return levels_.size(); }

  Outline outline() const {
    Outline outline;
    outline.leaves = leaves_per_server() > 1 ? LeafWiring::Rail : LeafWiring::Rack;
    outline.levels = neutral_levels(levels_.size());
    if (outline.leaves == LeafWiring::Rail) outline.levels.back() = "scalable-unit";
    const std::vector<DomainPath> paths = paths_of_groups();
    for (std::size_t i = 0; i < servers_.size(); ++i) {
      outline.servers.push_back(
          {paths[groups_.of_server[i]], servers_[i].name, 0, {}, servers_[i].where});
    }
    return outline;
  }

  /// Replaces what is assumed by what the dump shows: adapters, switches, cables and their rates.
  void measure(FabricSpec& spec) const {
    const int nics = usual(nic_counts()).value_or(1);
    const auto server = std::find_if(servers_.begin(), servers_.end(),
                                     [&](const IbServer& each) { return each.nics == nics; });
    spec.nics_per_server = limited(nics, kMostNics, "adapters of a server", server->where);
    if (const auto rate = usual(rates([](const IbCable& cable) { return !cable.to_switch; })))
      spec.nic_bandwidth = *rate;
    for (std::size_t level = 0; level <= levels_.size(); ++level) {
      const int tier = level == 0 ? top_tier() : levels_[level - 1].tier;
      measure_tier(spec.tiers[level], tier, level);
    }
  }

 private:
  /// A tier is a level when it leaves the groups apart in another way than the one below it. The
  /// first that joins them all is the cluster itself.
  void find_levels() {
    std::vector<std::size_t> identity(groups_.count);
    for (std::size_t i = 0; i < groups_.count; ++i) identity[i] = i;
    levels_.push_back({1, identity});
    for (int tier = 2; tier <= std::min(highest_tier_, kMaxTiers); ++tier) {
      std::vector<std::size_t> joined = joined_up_to(tier, dump_, tiers_, servers_, groups_);
      const bool is_one = std::all_of(joined.begin(), joined.end(),
                                      [&](std::size_t domain) { return domain == joined[0]; });
      if (is_one) break;
      if (joined != levels_.front().domain_of_group)
        levels_.insert(levels_.begin(), {tier, std::move(joined)});
    }
  }

  [[nodiscard]] int top_tier() const { return levels_.front().tier + 1; }

  [[nodiscard]] std::vector<int> nic_counts() const {
    std::vector<int> counts;
    for (const IbServer& server : servers_) counts.push_back(server.nics);
    return counts;
  }

  [[nodiscard]] std::size_t leaves_per_server() const {
    std::vector<std::size_t> counts;
    for (const IbServer& server : servers_) counts.push_back(server.leaves.size());
    return usual(counts).value_or(1);
  }

  template <class Predicate>
  [[nodiscard]] std::vector<BytesPerSecond> rates(Predicate wanted) const {
    std::vector<BytesPerSecond> rates;
    for (const IbSwitch& each : dump_.switches) {
      for (const IbCable& cable : each.cables) {
        const bool counts = cable.to_switch || dump_.adapters[cable.peer].is_server;
        if (counts && cable.rate && wanted(cable)) rates.push_back(*cable.rate);
      }
    }
    return rates;
  }

  /// For each level, the least switch name of its tier in each domain: what the domain is called.
  [[nodiscard]] std::vector<DomainPath> paths_of_groups() const {
    std::vector<DomainPath> paths(groups_.count, DomainPath(levels_.size()));
    for (std::size_t level = 0; level < levels_.size(); ++level) {
      const std::map<std::size_t, std::set<std::size_t>> switches = switches_by_domain(level);
      for (std::size_t group = 0; group < groups_.count; ++group) {
        std::string& name = paths[group][level];
        const auto found = switches.find(levels_[level].domain_of_group[group]);
        if (found == switches.end()) continue;
        for (const std::size_t index : found->second) {
          const std::string& candidate = dump_.switches[index].name;
          if (name.empty() || natural_less(candidate, name)) name = candidate;
        }
      }
    }
    for (DomainPath& path : paths) fill_gaps(path);
    return paths;
  }

  /// The switches of a level's tier, by domain.
  [[nodiscard]] std::map<std::size_t, std::set<std::size_t>> switches_by_domain(
      std::size_t level) const {
    std::map<std::size_t, std::set<std::size_t>> result;
    const JoinedTier& joined = levels_[level];
    for (const auto& [index, group] : groups_by_switch(joined.tier))
      result[joined.domain_of_group[group]].insert(index);
    return result;
  }

  /// A group below each switch of a tier that has one, found by going down the cables.
  [[nodiscard]] std::map<std::size_t, std::size_t> groups_by_switch(int tier) const {
    std::vector<std::optional<std::size_t>> group = groups_.of_switch;
    for (int above = 2; above <= tier; ++above) {
      for (std::size_t i = 0; i < dump_.switches.size(); ++i) {
        if (tiers_[i] != above) continue;
        for (const IbCable& cable : dump_.switches[i].cables) {
          if (cable.to_switch && tiers_[cable.peer] == above - 1 && group[cable.peer])
            group[i] = group[cable.peer];
        }
      }
    }
    std::map<std::size_t, std::size_t> result;
    for (std::size_t i = 0; i < dump_.switches.size(); ++i) {
      if (tiers_[i] == tier && group[i]) result[i] = *group[i];
    }
    return result;
  }

  void measure_tier(TierSpec& spec, int tier, std::size_t level) const {
    std::vector<int> counts;
    if (level == 0) {
      counts.push_back(static_cast<int>(std::count(tiers_.begin(), tiers_.end(), tier)));
    } else {
      for (const auto& [domain, switches] : switches_by_domain(level - 1))
        counts.push_back(static_cast<int>(switches.size()));
    }
    const auto first = std::find(tiers_.begin(), tiers_.end(), tier);
    const auto index = static_cast<std::size_t>(first - tiers_.begin());
    const std::string& where = dump_.switches[first == tiers_.end() ? 0 : index].where;
    spec.switches = limited(std::max(1, usual(counts).value_or(1)), kMostSwitchesOfDomain,
                            "switches of a domain", where);
    if (level == 0) return;
    std::vector<int> uplinks;
    std::vector<BytesPerSecond> uplink_rates;
    for (std::size_t i = 0; i < dump_.switches.size(); ++i) {
      if (tiers_[i] == tier) measure_uplinks(i, tier, uplinks, uplink_rates);
    }
    const int usual_uplinks =
        limited(usual(uplinks).value_or(0), kMostUplinks, "uplinks of a switch", where);
    if (usual_uplinks == 0) return;  // nothing above was seen: the assumed ratio stays
    spec.uplinks = usual_uplinks;
    spec.oversubscription = 0;
    if (const auto rate = usual(uplink_rates)) spec.uplink_bandwidth = *rate;
  }

  void measure_uplinks(std::size_t index, int tier, std::vector<int>& uplinks,
                       std::vector<BytesPerSecond>& uplink_rates) const {
    int count = 0;
    for (const IbCable& cable : dump_.switches[index].cables) {
      if (!cable.to_switch || tiers_[cable.peer] != tier + 1) continue;
      ++count;
      if (cable.rate) uplink_rates.push_back(*cable.rate);
    }
    uplinks.push_back(count);
  }

  const IbDump& dump_;
  std::vector<std::optional<int>> tiers_;
  std::vector<IbServer> servers_;
  LeafGroups groups_;
  int highest_tier_ = 0;
  std::vector<JoinedTier> levels_;  ///< outermost first
};

}  // namespace

Cluster read_ibnetdiscover(std::string_view text, const std::string& source,
                           const ImportOptions& options) {
  ProblemList problems;
  const IbDump dump = parse_ib_dump(checked_text(text, source), source, problems);
  problems.throw_if_any();
  const IbReader reader(dump);
  if (reader.level_count() > kMaxLevels) {
    throw InputError(source, fmt::format("found {} tiers of switches, expected at most {}",
                                         reader.level_count(), kMaxLevels));
  }
  Outline outline = reader.outline();
  if (outline.servers.empty()) {
    problems.add(dump.adapters.empty() ? source : dump.adapters.front().where,
                 dump.switches.empty() ? "the dump describes no switch, so no server has a place"
                                       : "no adapter at a switch names its server",
                 "run ibnetdiscover on a host that the subnet manager reaches");
  }
  outline.measure = [&reader](FabricSpec& spec) { reader.measure(spec); };
  return assemble(std::move(outline), options, source, problems);
}

}  // namespace zonecut::importers
