#include "simulate_inputs.hpp"

#include <fmt/format.h>

#include <cmath>

#include "sha256.hpp"
#include "zonecut/base/document.hpp"
#include "zonecut/base/error.hpp"
#include "zonecut/partition/job_size.hpp"

namespace zonecut::cli {
namespace {

constexpr std::size_t kMostTraceBytes = 512u << 20;

NamedText read_trace_file(const std::string& path) {
  NamedText file{path, read_file(path, kMostTraceBytes), {}};
  file.hash = sha256(file.text);
  return file;
}

/// ms since the first arrival of a trace: a time after it, or a date.
std::int64_t moment(std::string_view option, const std::string& text, const JobTrace& trace) {
  if (const auto date = parse_date(text)) {
    if (trace.dates) return *date - trace.first;
    throw InputError(std::string(option),
                     fmt::format("found the date {}, but {} has no dates", text, trace.source),
                     "a time since its first arrival, such as 36h");
  }
  constexpr double kMsInSecond = 1000;
  if (const auto time = parse_duration(text)) return std::llround(time->count * kMsInSecond);
  throw InputError(std::string(option),
                   fmt::format("found \"{}\", expected a time or a date", text),
                   "such as 36h since the first arrival, or 2017-10-09");
}

JobTrace read_trace(const NamedText& file, const SimulateFiles& files) {
  JobTrace trace = parse_trace(file.text, file.name, files.reading);
  if (files.reading.processors_per_gpu != 1 && trace.format != ArrivalFormat::Swf) {
    throw InputError("--processors-per-gpu",
                     fmt::format("{} counts GPUs, not processors (format {})", file.name,
                                 arrival_format_name(trace.format)),
                     "only the Standard Workload Format counts processors; --scale-gpus changes "
                     "the GPUs of any trace");
  }
  TraceSelection selection = files.selection;
  if (files.from) selection.from = moment("--from", *files.from, trace);
  if (files.until) selection.until = moment("--until", *files.until, trace);
  trace = select_jobs(std::move(trace), selection);
  if (trace.jobs.empty())
    throw InputError("--from, --until", "no job of " + file.name + " arrives in that time");
  return trace;
}

/// A job file beside the trace, or a text, or a preset.
Job read_work(const TracedJob& traced, const std::string& trace_file) {
  const auto path = work_file(traced.work, trace_file);
  if (!path) return parse_job_words(traced.work, "work").job;
  const NamedText text = read_named(*path);
  JobFile file = parse_job_file(text.text, text.name);
  if (!says_any_size(file))
    throw InputError(text.name, "says nothing of the job's size, expected parallelism or gpus");
  if (file.placement() != nullptr)
    throw InputError(text.name, "has constraints of the placement, which no simulation keeps",
                     "leave the section placement out");
  return std::move(file.job);
}

}  // namespace

SimulateInputs::SimulateInputs(const SimulateFiles& files)
    : cluster_file([&] {
        refuse_shared_stdin({{"--cluster", files.cluster},
                             {"--trace", files.trace},
                             {"--work", files.work},
                             {"--state", files.state}});
        return read_named(files.cluster);
      }()),
      trace_file(read_trace_file(files.trace)),
      work_file(files.work.empty() ? std::nullopt : std::optional(read_named(files.work))),
      state_file(files.state.empty() ? std::nullopt : std::optional(read_named(files.state))),
      cluster(read_cluster(cluster_file)),
      fabric(Fabric::build(cluster, cluster.backend(), Health(cluster))),
      start([&] {
        ClusterView view = read_view(cluster, state_file);
        auto running = read_running(view, files.state);
        return SimulationStart(std::move(view), std::move(running));
      }()),
      start_fabric(Fabric::build(cluster, cluster.backend(), start.view.health)),
      trace(read_trace(trace_file, files)),
      workload([&] {
        const WorkTable table =
            work_file ? WorkTable::parse(work_file->text, work_file->name) : WorkTable::usual();
        return workload_of(cluster, trace, table, [&](const TracedJob& traced) {
          return read_work(traced, trace_file.name);
        });
      }()) {}

}  // namespace zonecut::cli
