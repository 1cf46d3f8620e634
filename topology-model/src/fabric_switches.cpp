#include "fabric_switches.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "zonecut/base/error.hpp"

namespace zonecut {
namespace {

constexpr int kMostPlanes = 64;
constexpr int kMostNics = 1'024;
constexpr int kMostPorts = 65'536;
/// Switches, and links, of one fabric: 40 bytes a link, so well under a gigabyte.
constexpr double kMostVertices = 16e6;
constexpr double kMostBandwidth = static_cast<double>(std::numeric_limits<std::int64_t>::max()) / 2;

std::string where_of(const Cluster& cluster, std::size_t level) {
  return fmt::format("fabric tier \"{}\"", cluster.levels()[level]);
}

void check_range(ProblemList& problems, const std::string& where, std::string_view what, int value,
                 int least, int most) {
  if (value < least || value > most)
    problems.add(where, fmt::format("{} is {}, expected {} to {}", what, value, least, most));
}

void check_tiers(const Cluster& cluster, const FabricSpec& spec, ProblemList& problems) {
  for (std::size_t level = 0; level < spec.tiers.size(); ++level) {
    const TierSpec& tier = spec.tiers[level];
    const std::string where = where_of(cluster, level);
    check_range(problems, where, "switches", tier.switches, 0, kMostPorts);
    check_range(problems, where, "uplinks", tier.uplinks, 0, kMostPorts);
    if (tier.uplink_bandwidth.count < 0)
      problems.add(where, "uplink_bandwidth is negative, expected 0 or more");
    if (!std::isfinite(tier.oversubscription) || tier.oversubscription < 0)
      problems.add(where, fmt::format("oversubscription is {}, expected a positive number",
                                      tier.oversubscription));
    for (const std::optional<Bytes>& memory : {tier.buffer, tier.port_buffer}) {
      if (memory && memory->count <= 0)
        problems.add(where,
                     fmt::format("a buffer is {}, expected more than nothing", to_text(*memory)));
    }
  }
}

/// Sums and products are taken in double: they only have to be told from those that do not fit.
void check_size(const Cluster& cluster, const FabricSpec& spec, ProblemList& problems) {
  double switches = 0;
  double links = static_cast<double>(cluster.server_count()) * spec.planes *
                 std::min(spec.nics_per_server, spec.tiers.back().switches);
  const double nics = static_cast<double>(cluster.server_count()) * spec.nics_per_server *
                      static_cast<double>(spec.nic_bandwidth.count);
  if (nics > kMostBandwidth)
    problems.add("fabric", "the bandwidth of all NICs together does not fit 62 bits");
  for (std::size_t level = 0; level < spec.tiers.size(); ++level) {
    const TierSpec& tier = spec.tiers[level];
    const double per_domain = static_cast<double>(spec.planes) * tier.switches;
    const double here =
        per_domain * static_cast<double>(cluster.domains_at(static_cast<int>(level)).size());
    switches += here;
    if (level > 0) links += here * std::min(tier.uplinks, spec.tiers[level - 1].switches);
    const double above =
        tier.oversubscription > 0
            ? nics / tier.oversubscription
            : per_domain * tier.uplinks * static_cast<double>(tier.uplink_bandwidth.count);
    if (level > 0 && above > kMostBandwidth)
      problems.add(where_of(cluster, level), "the capacity above a domain does not fit 62 bits");
  }
  if (switches > kMostVertices || links > kMostVertices) {
    problems.add("fabric", fmt::format("the description asks for {:.0f} switches and {:.0f} links, "
                                       "at most {:.0f} of each are supported",
                                       switches, links, kMostVertices));
  }
}

}  // namespace

SwitchNumbering::SwitchNumbering(const Cluster& cluster, const FabricSpec& spec)
    : planes_(static_cast<std::size_t>(spec.planes)) {
  first_.reserve(cluster.domain_count() + 1);
  std::size_t next = 0;
  for (const DomainId domain : cluster.domain_ids()) {
    first_.push_back(next);
    const auto level = static_cast<std::size_t>(cluster.domain(domain).level);
    next += planes_ * static_cast<std::size_t>(spec.tiers[level].switches);
  }
  first_.push_back(next);
}

std::optional<SwitchId> SwitchNumbering::find(const SwitchRef& ref) const {
  if (ref.domain.index() + 1 >= first_.size() || ref.plane < 0 || ref.index < 0)
    return std::nullopt;
  const std::size_t per_plane = count(ref.domain) / planes_;
  if (static_cast<std::size_t>(ref.plane) >= planes_ ||
      static_cast<std::size_t>(ref.index) >= per_plane) {
    return std::nullopt;
  }
  return id(ref.domain, ref.plane, ref.index);
}

void check_fabric_spec(const Cluster& cluster, const FabricSpec& spec) {
  if (spec.tiers.size() != cluster.levels().size()) {
    throw InputError("fabric", fmt::format("{} tiers for {} levels, expected one for each level, "
                                           "the cluster included",
                                           spec.tiers.size(), cluster.levels().size()));
  }
  ProblemList problems;
  check_range(problems, "fabric", "planes", spec.planes, 1, kMostPlanes);
  check_range(problems, "fabric", "nics_per_server", spec.nics_per_server, 0, kMostNics);
  if (spec.nic_bandwidth.count < 0)
    problems.add("fabric", "nic_bandwidth is negative, expected 0 or more");
  check_tiers(cluster, spec, problems);
  problems.throw_if_any();
  check_size(cluster, spec, problems);
  problems.throw_if_any();
}

std::vector<Switch> make_switches(const Cluster& cluster, const FabricSpec& spec) {
  std::vector<Switch> switches;
  for (const DomainId domain : cluster.domain_ids()) {
    const int level = cluster.domain(domain).level;
    const int per_plane = spec.tiers[static_cast<std::size_t>(level)].switches;
    for (int plane = 0; plane < spec.planes; ++plane) {
      for (int index = 0; index < per_plane; ++index)
        switches.push_back({{domain, plane, index}, level, true});
    }
  }
  return switches;
}

}  // namespace zonecut
