#include <fmt/format.h>

#include "zonecut/scheduler/prediction.hpp"

namespace zonecut {
namespace {

/// "18 x 36 x 400 Gbps": switches, cables of each, and what one cable carries.
std::string cables_text(const FabricSpec& spec, const TierSpec& tier, BytesPerSecond nominal) {
  const std::int64_t cables =
      std::int64_t{spec.planes} * std::int64_t{tier.switches} * std::int64_t{tier.uplinks};
  if (cables == 0) return "no links";
  return fmt::format("{}{} x {} x {}",
                     spec.planes > 1 ? fmt::format("{} planes x ", spec.planes) : "", tier.switches,
                     tier.uplinks, to_text(BytesPerSecond{nominal.count / cables}));
}

std::string left_text(BytesPerSecond capacity, BytesPerSecond nominal) {
  if (capacity == nominal) return "";
  return fmt::format(", {} of {} left", to_text(capacity), to_text(nominal));
}

std::string uplinks_text(const Fabric& fabric, DomainId id) {
  const Cluster& cluster = fabric.cluster();
  const Domain& domain = cluster.domain(id);
  if (!domain.parent) return cluster.name();
  const FabricSpec& spec = fabric.spec();
  const auto level = static_cast<std::size_t>(domain.level);
  const BytesPerSecond nominal = fabric.nominal_uplink_capacity(id);
  return fmt::format("{} uplinks to {} ({}{})", cluster.path(id), spec.tiers[level - 1].switch_name,
                     cables_text(spec, spec.tiers[level], nominal),
                     left_text(fabric.uplink_capacity(id), nominal));
}

std::string nics_text(const Fabric& fabric, ServerId id) {
  const FabricSpec& spec = fabric.spec();
  const BytesPerSecond nominal = spec.nic_bandwidth * spec.nics_per_server;
  return fmt::format("{} NICs ({} x {}{})", fabric.cluster().server(id).name, spec.nics_per_server,
                     to_text(spec.nic_bandwidth),
                     left_text(fabric.injection_capacity(id), nominal));
}

}  // namespace

std::string bundle_name(const Fabric& fabric, const Bundle& bundle) {
  const auto* server = std::get_if<ServerId>(&bundle.below);
  const std::string links =
      server ? nics_text(fabric, *server) : uplinks_text(fabric, std::get<DomainId>(bundle.below));
  return fmt::format("{}, {}", links, bundle.outward ? "outward" : "inward");
}

}  // namespace zonecut
