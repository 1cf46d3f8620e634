#include <algorithm>
#include <cmath>

#include "routing/launch_plan.hpp"
#include "routing/link_times.hpp"
#include "routing/router.hpp"
#include "zonecut/base/error.hpp"
#include "zonecut/scheduler/controller.hpp"

namespace zonecut {
namespace {

/// Hash functions that the mean is over, where these can be looked at.
constexpr double kMostDrawn = 32;

bool has_failures(const Fabric& fabric) {
  return std::ranges::any_of(fabric.links(),
                             [](const Link& link) { return link.capacity != link.nominal; });
}

class Outlook {
 public:
  explicit Outlook(const PlacedTraffic& placed) : placed_(placed) {}

  [[nodiscard]] ControllerOutlook seen() {
    count_rules();
    Routing hashed = placed_.routing;
    hashed.scheme = RoutingScheme::EnhancedEcmp;
    found_.unruled = communication(hashed);
    if (has_failures(placed_.fabric)) found_.stale = stale();
    return found_;
  }

 private:
  void count_rules() {
    const Cables cables(placed_.fabric);
    std::vector<std::int64_t> rules(placed_.fabric.switches().size(), 0);
    for (const Phase& phase : placed_.traffic.phases) {
      const auto flows = nic_flows(placed_.fabric, placed_.traffic, phase, placed_.servers);
      flows_ = std::max(flows_, static_cast<double>(flows.size()));
      const RoutedLoads loads = route(cables, flows, placed_.routing, 0);
      std::transform(rules.begin(), rules.end(), loads.rules.begin(), rules.begin(), std::plus<>());
    }
    found_.rules = std::accumulate(rules.begin(), rules.end(), std::int64_t{0});
    const auto most = std::max_element(rules.begin(), rules.end());
    if (most == rules.end() || *most == 0) return;
    found_.most_rules = *most;
    found_.fullest = SwitchId{static_cast<std::size_t>(most - rules.begin())};
  }

  [[nodiscard]] std::optional<Seconds> communication(const Routing& routing) const {
    try {
      return predict(placed_.fabric, placed_.traffic, placed_.servers, routing, placed_.background)
          .communication;
    } catch (const PartedFlows&) {
      return std::nullopt;
    }
  }

  [[nodiscard]] std::optional<Seconds> stale() const {
    const double launches =
        std::clamp(std::floor(kSampledPaths / std::max(flows_, 1.0)), 1.0, kMostDrawn);
    Routing routing = placed_.routing;
    routing.stale_rules = true;
    Seconds sum;
    for (std::uint64_t seed = 0; static_cast<double>(seed) < launches; ++seed) {
      routing.hash_seed = seed;
      const std::optional<Seconds> one = communication(routing);
      if (!one) return std::nullopt;
      sum += *one;
    }
    return sum * (1 / launches);
  }

  PlacedTraffic placed_;
  double flows_ = 0;  // of the phase that has most
  ControllerOutlook found_;
};

}  // namespace

ControllerOutlook controller_outlook(const Fabric& fabric, const Traffic& traffic,
                                     std::span<const ServerId> servers, const Routing& routing,
                                     const Background& background) {
  ZONECUT_ENSURES(routing.scheme == RoutingScheme::Engineered);
  return Outlook({fabric, traffic, servers, routing, background}).seen();
}

}  // namespace zonecut
