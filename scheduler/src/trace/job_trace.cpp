#include "zonecut/scheduler/job_trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "trace/trace_readers.hpp"
#include "zonecut/base/text_check.hpp"

namespace zonecut {
namespace {

constexpr std::array kFormats = {ArrivalFormat::Csv, ArrivalFormat::Philly, ArrivalFormat::Swf};

std::string_view first_line(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return {};
  text.remove_prefix(begin);
  text = text.substr(0, text.find('\n'));
  if (text.ends_with('\r')) text.remove_suffix(1);
  return text;
}

bool is_number_line(std::string_view line) {
  return line.find(',') == std::string_view::npos &&
         line.find_first_not_of("0123456789.-+ \t") == std::string_view::npos;
}

ArrivalFormat recognised(std::string_view text, const std::string& source) {
  const std::string_view line = first_line(text);
  if (line.empty()) throw InputError(source, "found no line, expected a trace of arrivals");
  if (line.starts_with(';') || is_number_line(line)) return ArrivalFormat::Swf;
  if (is_philly_header(line)) return ArrivalFormat::Philly;
  if (is_own_header(line)) return ArrivalFormat::Csv;
  throw InputError(source + ":1:1",
                   fmt::format("found \"{}\", which begins no trace that is known", excerpt(line)),
                   "a CSV with the header submit,duration,gpus, the CSV of Philly, or the Standard "
                   "Workload Format");
}

std::string_view checked(std::string_view text, const std::string& source) {
  if (const auto wrong = find_malformed_utf8(text)) {
    throw InputError(fmt::format("{}:{}:{}", source, wrong->line, wrong->column), wrong->what);
  }
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  return text;
}

void order_by_arrival(JobTrace& trace) {
  std::ranges::stable_sort(trace.jobs, {}, &TracedJob::submit);
  if (trace.jobs.empty()) return;
  trace.first = trace.jobs.front().submit;
  for (TracedJob& job : trace.jobs) job.submit -= trace.first;
}

}  // namespace

std::span<const ArrivalFormat> arrival_formats() { return kFormats; }

std::string_view arrival_format_name(ArrivalFormat format) {
  switch (format) {
    case ArrivalFormat::Csv:
      return "csv";
    case ArrivalFormat::Philly:
      return "philly";
    case ArrivalFormat::Swf:
      return "swf";
  }
  return "";
}

JobTrace parse_trace(std::string_view text, const std::string& source,
                     const JobTraceOptions& options) {
  text = checked(text, source);
  JobTrace trace;
  trace.source = source;
  trace.format = options.format ? *options.format : recognised(text, source);
  ProblemList problems;
  if (trace.format == ArrivalFormat::Swf) {
    read_swf(text, options.processors_per_gpu, trace, problems);
  } else {
    read_trace_csv(text, trace, problems);
  }
  problems.throw_if_any();
  if (trace.jobs.empty()) throw InputError(source, "found no job that ran");
  order_by_arrival(trace);
  return trace;
}

JobTrace select_jobs(JobTrace trace, const TraceSelection& selection) {
  const std::int64_t until = selection.until.value_or(std::numeric_limits<std::int64_t>::max());
  std::erase_if(trace.jobs, [&](const TracedJob& job) {
    return job.submit < selection.from || job.submit >= until;
  });
  if (selection.jobs && trace.jobs.size() > *selection.jobs) trace.jobs.resize(*selection.jobs);
  ProblemList problems;
  for (TracedJob& job : trace.jobs) {
    job.submit = std::llround(static_cast<double>(job.submit - selection.from) / selection.load);
    if (selection.gpu_scale == 1) continue;
    if (!job.work.empty()) {
      problems.add(fmt::format("{}:{}:1", trace.source, job.line),
                   "the job says its work, whose GPUs cannot be scaled",
                   "leave --scale-gpus or the column work out");
      continue;
    }
    job.gpus = std::clamp<std::int64_t>(
        std::llround(static_cast<double>(job.gpus) * selection.gpu_scale), 1, kMostGpusOfJob);
  }
  problems.throw_if_any();
  return trace;
}

}  // namespace zonecut
