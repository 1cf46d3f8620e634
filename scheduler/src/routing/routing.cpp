#include "zonecut/scheduler/routing.hpp"

#include <fmt/format.h>

namespace zonecut {

std::string_view routing_name(RoutingScheme scheme) {
  switch (scheme) {
    case RoutingScheme::Ideal:
      return "ideal";
    case RoutingScheme::Ecmp:
      return "ecmp";
    case RoutingScheme::EnhancedEcmp:
      return "e-ecmp";
    case RoutingScheme::Pinned:
      return "pinned";
    case RoutingScheme::Engineered:
      return "te";
  }
  return "";
}

std::optional<RoutingScheme> find_routing(std::string_view name) {
  for (const RoutingScheme scheme : kRoutingSchemes) {
    if (routing_name(scheme) == name) return scheme;
  }
  return std::nullopt;
}

namespace {

std::string described(const Routing& routing) {
  switch (routing.scheme) {
    case RoutingScheme::Ideal:
      return "ideal balancing";
    case RoutingScheme::Ecmp:
      return "ECMP";
    case RoutingScheme::EnhancedEcmp:
      return fmt::format("E-ECMP, {} queue pair{} a connection", routing.queue_pairs,
                         routing.queue_pairs == 1 ? "" : "s");
    case RoutingScheme::Pinned:
      return "path pinning";
    case RoutingScheme::Engineered:
      return routing.stale_rules ? "central traffic engineering from before the failures"
                                 : "central traffic engineering";
  }
  return "";
}

}  // namespace

std::string describe(const Routing& routing) {
  if (!routing.admission_window) return described(routing);
  return fmt::format("{}, receivers admit {} a connection", described(routing),
                     to_text(*routing.admission_window));
}

}  // namespace zonecut
