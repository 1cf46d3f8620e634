#include <fmt/format.h>

#include <algorithm>

#include "report/terminal.hpp"
#include "report/text.hpp"
#include "zonecut/scheduler/simulation_report.hpp"

namespace zonecut {
namespace {

using report::Terminal;
using report::TextTable;
using report::Tone;

/// "12 s", "4.2 min", "7.5 h", "3.1 d"
std::string time_text(double seconds) {
  constexpr double kMinute = 60;
  constexpr double kHour = 3600;
  constexpr double kDay = 86'400;
  if (seconds < 2 * kMinute) return fmt::format("{:.0f} s", seconds);
  if (seconds < 2 * kHour) return fmt::format("{:.1f} min", seconds / kMinute);
  if (seconds < 2 * kDay) return fmt::format("{:.1f} h", seconds / kHour);
  return fmt::format("{:.1f} d", seconds / kDay);
}

std::string hours_text(double hours) {
  return std::abs(hours) < 100 ? fmt::format("{:.1f}", hours)
                               : grouped(static_cast<std::int64_t>(std::llround(hours)));
}

template <class Row>
void table(Terminal& terminal, const SimulationReport& report,
           std::vector<TextTable::Column> columns, const Row& row) {
  TextTable text(std::move(columns));
  for (const SimulatedPolicy& simulated : report.policies) {
    std::vector<std::string> cells = {policy_name(simulated.policy)};
    row(simulated.figures, cells);
    text.row(std::move(cells), simulated.policy.servers ? Tone::Plain : Tone::Bold);
  }
  text.write(terminal);
}

void write_waiting(Terminal& terminal, const SimulationReport& report) {
  terminal.heading("Waiting", "from arrival to start");
  table(terminal, report,
        {{"policy", false},
         {"mean"},
         {"median", true, 3},
         {"p95"},
         {"mean, several servers", true, 1},
         {"p95, same", true, 4},
         {"in the queue", true, 2}},
        [](const SimulationFigures& f, std::vector<std::string>& cells) {
          cells.insert(cells.end(),
                       {time_text(f.wait.mean), time_text(f.wait.median), time_text(f.wait.p95),
                        time_text(f.wait_on_servers.mean), time_text(f.wait_on_servers.p95),
                        fmt::format("{:.1f}", f.waiting_jobs)});
        });
}

void write_completion(Terminal& terminal, const SimulationReport& report) {
  terminal.heading("Completion", "from arrival to end");
  table(terminal, report,
        {{"policy", false},
         {"mean"},
         {"p95"},
         {"slowdown"},
         {"its p95", true, 4},
         {"makespan", true, 2},
         {"GPUs busy", true, 1},
         {"largest free", true, 3}},
        [](const SimulationFigures& f, std::vector<std::string>& cells) {
          cells.insert(
              cells.end(),
              {time_text(f.completion.mean), time_text(f.completion.p95),
               fmt::format("{:.2f}", f.slowdown.mean), fmt::format("{:.2f}", f.slowdown.p95),
               time_text(f.makespan), report::percent(f.busy, 1),
               fmt::format("{:.1f} of {:.1f}", f.largest_free_block, f.free_servers)});
        });
}

void write_communication(Terminal& terminal, const SimulationReport& report) {
  double most = 0;
  for (const SimulatedPolicy& simulated : report.policies)
    most = std::max(most, simulated.figures.cross_zone_bytes);
  const report::ByteUnit unit = report::unit_for(Bytes{std::llround(most)});
  terminal.heading("Communication", "of the jobs on several servers");
  table(terminal, report,
        {{"policy", false},
         {"stretch"},
         {"worst", true, 4},
         {"beside", true, 3},
         {"cross zones", true, 2},
         {fmt::format("{} an iteration", unit.name), true, 1},
         {"GPU-hours lost"}},
        [&](const SimulationFigures& f, std::vector<std::string>& cells) {
          cells.insert(cells.end(),
                       {fmt::format("{:.3f}", f.stretch), fmt::format("{:.2f}", f.worst_stretch),
                        fmt::format("{:.3f}", f.interference),
                        fmt::format("{} of {}", f.crossing, f.on_servers),
                        report::in_unit(Bytes{std::llround(f.cross_zone_bytes)}, unit),
                        fmt::format("{} ({:.1f} %)", hours_text(f.lost_gpu_hours),
                                    f.gpu_hours > 0 ? 100 * f.lost_gpu_hours / f.gpu_hours : 0)});
        });
}

std::string headline(const SimulationReport& report) {
  const Cluster& cluster = report.cluster;
  const auto& jobs = report.workload.jobs;
  const double span =
      jobs.empty() ? 0 : static_cast<double>(jobs.back().submit - jobs.front().submit) / 1000;
  double ideal = 0;
  std::size_t several = 0;
  std::size_t never = 0;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    // What no policy ever starts says nothing of how full the cluster is.
    const auto runs = [i](const SimulatedPolicy& policy) {
      return policy.outcome.runs[i].has_value();
    };
    if (!report.policies.empty() && std::ranges::none_of(report.policies, runs)) {
      ++never;
      continue;
    }
    several += jobs[i].vertices > 1;
    ideal += static_cast<double>(jobs[i].gpus()) * static_cast<double>(jobs[i].duration) / 1000;
  }
  std::string text =
      fmt::format("{} in {}, {} of them on several servers, on {} of {}",
                  counted(jobs.size() - never, "job"), time_text(span), grouped(several),
                  counted(cluster.server_count(), "server"), counted(cluster.gpu_count(), "GPU"));
  if (span > 0) {
    text += fmt::format(": they ask for {} of what it has in that time",
                        report::percent(ideal / span / static_cast<double>(cluster.gpu_count())));
  }
  if (never > 0)
    text += fmt::format("; {} more never {}", grouped(never), never == 1 ? "starts" : "start");
  return text + ".";
}

void write_left_out(Terminal& terminal, const SimulationReport& report) {
  const auto say = [&](const char* what, std::size_t count) {
    if (count > 0) terminal.paragraph(fmt::format("{}: {}.", what, counted(count, "job")), 0);
  };
  say("Left out, for they never ran", report.trace.never_ran);
  say("Left out, for they are parts of others", report.trace.parts);
  say("Given more GPUs than they asked for, to fill whole servers", report.workload.rounded_up);
  if (report.policies.empty()) return;
  const auto too_large = [](const SimulatedPolicy& one) { return one.figures.too_large; };
  const std::size_t always = too_large(*std::ranges::min_element(report.policies, {}, too_large));
  say(report.start ? "Never started, for too little is sound and comes free"
                   : "Never started, for the whole cluster is too small",
      always);
  for (const SimulatedPolicy& one : report.policies) {
    const std::string what =
        fmt::format("Never started by {}, for no block of what is sound and comes free holds them",
                    policy_name(one.policy));
    say(what.c_str(), too_large(one) - always);
  }
}

void write_start(Terminal& terminal, const StartFigures& start) {
  std::string text = fmt::format("At first {} {} {}.", counted(start.jobs, "job"),
                                 start.jobs == 1 ? "holds" : "hold", counted(start.gpus, "GPU"));
  const auto add = [&](const char* what, std::size_t count, const char* noun) {
    if (count > 0) text += fmt::format(" {}: {}.", what, counted(count, noun));
  };
  add("Without a known end, so to the end", start.staying_jobs, "job");
  add("Of unknown traffic", start.mute_jobs, "job");
  add("Broken or drained", start.lost_gpus, "GPU");
  terminal.paragraph(text, 0);
}

std::string model_text(const SimulationOptions& options) {
  std::string compute =
      options.communication_share
          ? fmt::format("communication is {} of an ideal iteration",
                        report::percent(*options.communication_share, 1))
          : fmt::format("GPUs compute {:.4g} TFLOP/s", options.flops_per_gpu / 1e12);
  return fmt::format(
      "The trace's durations are those of the ideal placement, alone; {}. Queue: {}. {}", compute,
      options.queue == QueueRule::Fifo ? "first come, first served" : "EASY backfill",
      options.interference ? "Jobs that run at its start count as long as a job runs."
                           : "Jobs do not disturb each other.");
}

}  // namespace

std::string write_simulation_terminal(const SimulationReport& report, const TerminalStyle& style) {
  Terminal terminal(style);
  terminal.paragraph(headline(report), 0);
  if (report.start) write_start(terminal, *report.start);
  write_left_out(terminal, report);
  terminal.paragraph(model_text(report.options), 0, {}, Tone::Dim);
  write_waiting(terminal, report);
  write_completion(terminal, report);
  write_communication(terminal, report);
  return std::move(terminal).finish();
}

}  // namespace zonecut
