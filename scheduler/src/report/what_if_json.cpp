// The JSON of what-if answers; docs/schema says what each field means.
#include "report/json_parts.hpp"
#include "zonecut/base/error.hpp"
#include "zonecut/scheduler/what_if_report.hpp"

namespace zonecut {
namespace {

using report::Json;

std::string_view fate_name(Fate fate) {
  switch (fate) {
    case Fate::Stays:
      return "stays";
    case Fate::Begins:
      return "begins";
    case Fate::Moves:
      return "moves";
    case Fate::Stuck:
      return "stuck";
    case Fate::Stopped:
      return "stopped";
    case Fate::Ended:
      return "ended";
  }
  throw InternalError("no such fate");
}

Json figures_json(const OrderFigures& figures) {
  return {{"communication_seconds", figures.communication.count},
          {"cross_zone_bytes", figures.cross_zone.count},
          {"binding_link", report::or_null(figures.binding)},
          {"binding_phase", report::or_null(figures.binding_phase)}};
}

Json moves_json(const Cluster& cluster, const SettledJob& job, const JobOutlook& outlook) {
  Json moves = Json::array();
  const std::size_t ranks = job.running.traffic.ranks_per_server;
  for (const auto& [vertex, from, to] : outlook.moves) {
    moves.push_back({{"first_rank", vertex * ranks},
                     {"last_rank", vertex * ranks + ranks - 1},
                     {"from", cluster.server(from).name},
                     {"to", cluster.server(to).name}});
  }
  return moves;
}

Json job_json(const WhatIfReport& report, std::size_t index, const JobOutlook& outlook) {
  const SettledJob& job = report.jobs[index];
  return {{"name", job.running.name},
          {"fate", fate_name(outlook.fate)},
          {"figures", outlook.figures ? figures_json(*outlook.figures) : Json()},
          {"moves", moves_json(report.cluster, job, outlook)},
          {"blockers", report::blockers_json(outlook.blockers)}};
}

Json anew_json(const std::variant<OrderFigures, NoFit>& anew) {
  const auto* figures = std::get_if<OrderFigures>(&anew);
  const auto* refusal = std::get_if<NoFit>(&anew);
  return {{"figures", figures ? figures_json(*figures) : Json()},
          {"blockers", refusal ? report::blockers_json(refusal->blockers) : Json::array()}};
}

Json outlook_json(const WhatIfReport& report, const Outlook& outlook) {
  Json json{{"jobs", Json::array()}};
  for (std::size_t index = 0; index < outlook.jobs.size(); ++index)
    json["jobs"].push_back(job_json(report, index, outlook.jobs[index]));
  json["jobs_of_unknown_traffic"] = Json::array();
  for (const MuteJob& job : outlook.mute)
    json["jobs_of_unknown_traffic"].push_back({{"name", job.name}, {"gpus", job.gpus}});
  json["anew"] = outlook.anew ? anew_json(*outlook.anew) : Json();
  return json;
}

}  // namespace

std::string write_what_if_json(const WhatIfReport& report) {
  Json json{{"schema", "zonecut.whatif/v1"}, {"routing", describe(report.routing)}};
  json["asked_about"] = report.asked ? Json(report.jobs[*report.asked].running.name) : Json();
  json["jobs"] = Json::array();
  for (const SettledJob& job : report.jobs) {
    const auto& iteration = job.running.iteration;
    json["jobs"].push_back({{"name", job.running.name},
                            {"ranks", job.running.traffic.ranks},
                            {"assumed_model", report::or_null(assumed_model_text(job.job))},
                            {"iteration_seconds", iteration ? Json(iteration->count) : Json()}});
  }
  json["now"] = outlook_json(report, report.now);
  json["each"] = report.each ? Json(*report.each) : Json();
  json["answers"] = Json::array();
  for (const WhatIfAnswer& answer : report.answers) {
    json["answers"].push_back({{"changes", answer.changes},
                               {"harm",
                                {{"stopped_gpus", answer.harm.stopped_gpus},
                                 {"interrupted_gpus", answer.harm.interrupted_gpus},
                                 {"lost_gpus", answer.harm.lost_gpus}}},
                               {"outlook", outlook_json(report, answer.outlook)}});
  }
  json["provenance"] = report::provenance_json(report.provenance);
  return report::dumped(json) + '\n';
}

}  // namespace zonecut
