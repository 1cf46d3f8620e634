#include "serve/gang_log.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "zonecut/base/hostlist.hpp"

namespace zonecut::kubernetes {
namespace {

std::string servers_of(const DeskObserver::Planned& planned) {
  std::vector<std::string> names;
  for (const ServerId server : planned.plan.servers)
    names.push_back(planned.cluster.server(server).name);
  return compress_hostlist(names);
}

std::string reasons_of(const Reservation& plan) {
  return fmt::format("{}", fmt::join(plan.reasons, "; "));
}

}  // namespace

DeskObserver gang_log(Log& log, Metrics& metrics) {
  DeskObserver observer;
  observer.planned = [&log, &metrics](const DeskObserver::Planned& planned) {
    metrics.count_plan("planned", planned.seconds);
    const Reservation& plan = planned.plan;
    log.info(planned.again ? "gang planned anew" : "gang planned",
             {{"gang", planned.gang},
              {"members", static_cast<std::int64_t>(planned.members)},
              {"gpus", static_cast<std::int64_t>(planned.gpus)},
              {"servers", servers_of(planned)},
              {"cross_zone_bytes", plan.cross_zone.count},
              {"lower_bound_bytes", plan.lower_bound ? plan.lower_bound->count : std::int64_t{-1}},
              {"communication_seconds", plan.communication.count},
              {"method", plan.method},
              {"why", reasons_of(plan)},
              {"planning_seconds", planned.seconds}});
  };
  observer.waits = [&log, &metrics](const std::string& gang, const std::string& why,
                                    double seconds) {
    metrics.count_plan("no_fit", seconds);
    log.info("gang waits", {{"gang", gang}, {"why", why}});
  };
  observer.released = [&log, &metrics](const std::string& gang) {
    metrics.count_expired_reservation();
    log.warning("reservation ended", {{"gang", gang}});
  };
  observer.size_unknown = [&log](const std::string& object, const std::string& why) {
    log.warning("a gang's size cannot be read", {{"object", object}, {"why", why}});
  };
  return observer;
}

}  // namespace zonecut::kubernetes
