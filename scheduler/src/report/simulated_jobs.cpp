// Job by job, for whoever wants to draw or count for himself.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "zonecut/base/hostlist.hpp"
#include "zonecut/scheduler/simulation_report.hpp"

namespace zonecut {
namespace {

std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) {
    out += c;
    if (c == '"') out += '"';
  }
  return out + '"';
}

/// In rank order, one for each server's worth of ranks: twice where a server holds two.
std::string hosts_of(const Cluster& cluster, const SimulatedJob& job, const JobRun& run) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < run.gpus.size(); i += job.gpus_each)
    names.push_back(cluster.server(run.gpus[i].server).name);
  if (std::ranges::all_of(names, is_host_name)) return quoted(compress_hostlist(names));
  std::string all;
  for (const std::string& name : names) all += (all.empty() ? "" : " ") + name;
  return quoted(all);
}

/// Exact: times are whole milliseconds.
std::string seconds(std::int64_t ms) {
  return ms % 1000 == 0 ? fmt::format("{}", ms / 1000)
                        : fmt::format("{}.{:03}", ms / 1000, ms % 1000);
}

}  // namespace

std::string write_simulated_jobs(const SimulationReport& report) {
  fmt::memory_buffer out;
  const auto to = std::back_inserter(out);
  fmt::format_to(
      to,
      "policy,job,submit,gpus,servers,duration,start,end,backfilled,promised,zones,racks,"
      "communication,alone,ideal,compute,cross_zone_bytes,hosts\n");
  for (const SimulatedPolicy& simulated : report.policies) {
    const std::string policy = policy_name(simulated.policy);
    for (std::size_t i = 0; i < report.workload.jobs.size(); ++i) {
      const SimulatedJob& job = report.workload.jobs[i];
      fmt::format_to(to, "{},{},{},{},{},{},", policy, quoted(job.name), seconds(job.submit),
                     job.gpus(), job.vertices, seconds(job.duration));
      const auto& run = simulated.outcome.runs[i];
      if (!run) {
        fmt::format_to(to, ",,,,,,,,,,,\n");
        continue;
      }
      fmt::format_to(to, "{},{},{},{},{},{},", seconds(run->start), seconds(run->end),
                     run->backfilled ? 1 : 0, run->promised ? seconds(*run->promised) : "",
                     run->zones, run->racks);
      if (!job.work) {
        fmt::format_to(to, "0,0,0,,0,{}\n", hosts_of(report.cluster, job, *run));
        continue;
      }
      const IdealIteration& ideal = *report.ideals[*job.work];
      fmt::format_to(to, "{:.6g},{:.6g},{:.6g},{:.6g},{},{}\n", run->communication.count,
                     run->alone.count, ideal.communication.count, ideal.compute.count,
                     run->cross_zone.count, hosts_of(report.cluster, job, *run));
    }
  }
  return fmt::to_string(out);
}

}  // namespace zonecut
