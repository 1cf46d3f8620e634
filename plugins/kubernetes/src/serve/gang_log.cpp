#include "serve/gang_log.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "serve/line_pace.hpp"
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

/// Some of many.
std::string some_of(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 16;
  const auto end = names.begin() + static_cast<std::ptrdiff_t>(std::min(names.size(), kShown));
  return compress_hostlist({names.begin(), end}) + (names.size() > kShown ? ",…" : "");
}

std::string levels_of(const Cluster& cluster) {
  return fmt::format("{}", fmt::join(cluster.levels().subspan(1), ", "));
}

void note_outlook(Log& log, const Outlook& outlook, const std::string& gpus) {
  if (!outlook.site) {
    log.warning("no gang can be planned", {{"why", outlook.why}, {"gpu_resources", gpus}});
    return;
  }
  const Cluster& cluster = outlook.site->cluster;
  log.info("gangs are planned on",
           {{"servers", static_cast<std::int64_t>(cluster.server_count())},
            {"gpus", static_cast<std::int64_t>(cluster.gpu_count())},
            {"levels", levels_of(cluster)},
            {"zones", static_cast<std::int64_t>(cluster.domains_at(cluster.zone_level()).size())},
            {"gpu_resources", gpus}});
  if (!outlook.left_out.empty()) {
    log.warning("nodes with GPUs are left out: nothing says where they stand",
                {{"count", static_cast<std::int64_t>(outlook.left_out.size())},
                 {"nodes", some_of(outlook.left_out)}});
  }
  if (!outlook.without_node.empty()) {
    log.warning("no nodes are called as servers of the cluster file are",
                {{"count", static_cast<std::int64_t>(outlook.without_node.size())},
                 {"servers", some_of(outlook.without_node)}});
  }
}

}  // namespace

DeskObserver gang_log(Log& log, Metrics& metrics, const GpuResources& gpus) {
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
  observer.outlook = [&log, looked_for = fmt::format("{}", fmt::join(gpus, ", "))](
                         const Outlook& outlook) { note_outlook(log, outlook, looked_for); };
  observer.no_gang = [&log, pace = std::make_shared<LinePace>()](const std::string& pod,
                                                                 const std::string& why) {
    if (const auto others = pace->is_due("no gang", LinePace::Clock::now())) {
      log.warning("a pod has words for a gang and is in none",
                  {{"pod", pod}, {"why", why}, {"others_before", *others}});
    }
  };
  return observer;
}

}  // namespace zonecut::kubernetes
