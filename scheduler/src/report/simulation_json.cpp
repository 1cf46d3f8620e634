#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "zonecut/scheduler/simulation_report.hpp"

namespace zonecut {
namespace {

using Json = nlohmann::ordered_json;

Json or_null(const std::string& text) { return text.empty() ? Json() : Json(text); }

Json json_of(const Distribution& values) {
  return {{"mean", values.mean}, {"median", values.median}, {"p95", values.p95}};
}

Json json_of(const SimulatedPolicy& simulated) {
  const SimulationFigures& f = simulated.figures;
  return {{"name", policy_name(simulated.policy)},
          {"jobs_done", f.done},
          {"jobs_too_large", f.too_large},
          {"jobs_on_several_servers", f.on_servers},
          {"jobs_crossing_zones", f.crossing},
          {"jobs_backfilled", f.backfilled},
          {"wait_seconds", json_of(f.wait)},
          {"wait_seconds_on_several_servers", json_of(f.wait_on_servers)},
          {"completion_seconds", json_of(f.completion)},
          {"slowdown", json_of(f.slowdown)},
          {"makespan_seconds", f.makespan},
          {"gpu_utilisation", f.busy},
          {"waiting_jobs", f.waiting_jobs},
          {"free_servers", f.free_servers},
          {"largest_free_block", f.largest_free_block},
          {"stretch", f.stretch},
          {"worst_stretch", f.worst_stretch},
          {"interference", f.interference},
          {"cross_zone_bytes", f.cross_zone_bytes},
          {"gpu_hours", f.gpu_hours},
          {"lost_gpu_hours", f.lost_gpu_hours}};
}

Json works_json(const SimulationReport& report) {
  std::vector<std::size_t> jobs(report.workload.works.size(), 0);
  for (const SimulatedJob& job : report.workload.jobs) {
    if (job.work) ++jobs[*job.work];
  }
  Json works = Json::array();
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const Job& work = report.workload.works[i];
    const auto* training = std::get_if<Training>(&work.work);
    Json entry = {{"gpus", work.ranks()},
                  {"jobs", jobs[i]},
                  {"model", training ? Json(training->model.name) : Json()}};
    const auto& ideal = report.ideals[i];
    // Infinite where communication is said to take no share of it.
    const bool known = ideal && std::isfinite(ideal->compute.count);
    entry["compute_seconds"] = known ? Json(ideal->compute.count) : Json();
    entry["communication_seconds"] = ideal ? Json(ideal->communication.count) : Json();
    works.push_back(std::move(entry));
  }
  return works;
}

Json start_json(const std::optional<StartFigures>& start) {
  if (!start) return Json();
  return {{"jobs", start->jobs},
          {"staying_jobs", start->staying_jobs},
          {"jobs_of_unknown_traffic", start->mute_jobs},
          {"gpus", start->gpus},
          {"lost_gpus", start->lost_gpus}};
}

Json model_json(const SimulationOptions& options) {
  Json share;
  if (options.communication_share) share = *options.communication_share;
  return {{"queue", options.queue == QueueRule::Fifo ? "fifo" : "backfill"},
          {"backfill_depth", options.backfill_depth},
          {"interference", options.interference},
          {"communication_share", share},
          {"flops_per_gpu", options.flops_per_gpu},
          {"usual_communication_share", options.usual_communication_share}};
}

}  // namespace

std::string write_simulation_json(const SimulationReport& report) {
  Json policies = Json::array();
  for (const SimulatedPolicy& simulated : report.policies) policies.push_back(json_of(simulated));
  const Cluster& cluster = report.cluster;
  const auto& jobs = report.workload.jobs;
  const double span =
      jobs.empty() ? 0 : static_cast<double>(jobs.back().submit - jobs.front().submit) / 1000;
  const Json object = {{"schema", "zonecut.simulation/v1"},
                       {"cluster",
                        {{"name", cluster.name()},
                         {"servers", cluster.server_count()},
                         {"gpus", cluster.gpu_count()},
                         {"zones", cluster.domains_at(cluster.zone_level()).size()}}},
                       {"trace",
                        {{"format", arrival_format_name(report.trace.format)},
                         {"jobs", jobs.size()},
                         {"never_ran", report.trace.never_ran},
                         {"parts", report.trace.parts},
                         {"rounded_up", report.workload.rounded_up},
                         {"arrival_seconds", span}}},
                       {"start", start_json(report.start)},
                       {"model", model_json(report.options)},
                       {"works", works_json(report)},
                       {"policies", std::move(policies)},
                       {"provenance",
                        {{"version", report.version},
                         {"cluster_file", or_null(report.cluster_file)},
                         {"cluster_sha256", or_null(report.cluster_hash)},
                         {"trace_file", or_null(report.trace_file)},
                         {"trace_sha256", or_null(report.trace_hash)},
                         {"work_file", or_null(report.work_file)},
                         {"work_sha256", or_null(report.work_hash)},
                         {"state_file", or_null(report.state_file)},
                         {"state_sha256", or_null(report.state_hash)},
                         {"seed", report.options.placement.mapping.seed},
                         {"command", or_null(report.command)}}}};
  return object.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace zonecut
