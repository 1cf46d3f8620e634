#include <fmt/format.h>

#include <algorithm>

#include "fabric_impl.hpp"
#include "zonecut/base/error.hpp"

namespace zonecut {
namespace {

/// A switch as a user would write it, also where there is none of that number.
std::string text_of(const Cluster& cluster, const FabricSpec& spec, const SwitchRef& ref) {
  if (ref.domain.index() >= cluster.domain_count()) return "a switch of an unknown domain";
  return switch_name(cluster, spec, ref);
}

std::string text_of(const Cluster& cluster, const FabricSpec& spec,
                    const std::variant<ServerId, SwitchRef>& end) {
  const auto* server = std::get_if<ServerId>(&end);
  if (!server) return text_of(cluster, spec, std::get<SwitchRef>(end));
  return server->index() < cluster.server_count() ? cluster.server(*server).name
                                                  : "an unknown server";
}

}  // namespace

void FabricParts::apply_failures(const Health& health) {
  ProblemList problems;
  const auto link_of = [&](const LinkFault& fault) -> std::optional<LinkId> {
    std::optional<Endpoint> lower;
    if (const auto* server = std::get_if<ServerId>(&fault.lower)) {
      if (server->index() < cluster->server_count()) lower = *server;
    } else if (const auto id = numbering.find(std::get<SwitchRef>(fault.lower))) {
      lower = *id;
    }
    const auto upper = numbering.find(fault.upper);
    if (!lower || !upper) return std::nullopt;
    for (const LinkId id : graph.links_of(*lower)) {
      if (links[id.index()].lower != *lower) break;  // those that lead up come first
      if (links[id.index()].upper == *upper) return id;
    }
    return std::nullopt;
  };

  for (const LinkFault& fault : health.link_faults) {
    if (const auto id = link_of(fault)) {
      Link& link = links[id->index()];
      const BytesPerSecond remaining = fault.remaining.value_or(BytesPerSecond{0});
      link.capacity = std::clamp(remaining, BytesPerSecond{0}, link.capacity);
    } else {
      problems.add("link fault", fmt::format("there is no link from {} up to {}",
                                             text_of(*cluster, spec, fault.lower),
                                             text_of(*cluster, spec, fault.upper)));
    }
  }
  for (const SwitchRef& ref : health.failed_switches) {
    if (const auto id = numbering.find(ref)) {
      switches[id->index()].up = false;
      for (const LinkId link : graph.links_of(*id)) links[link.index()].capacity = {0};
    } else {
      problems.add("failed switch",
                   fmt::format("there is no switch {}", text_of(*cluster, spec, ref)));
    }
  }
  problems.throw_if_any();
}

}  // namespace zonecut
