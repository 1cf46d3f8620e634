// The Standard Workload Format, version 2.2: a job a line, 18 numbers, -1 for what is not known.
// Feitelson's page in the Parallel Workloads Archive defines the columns.
#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>

#include "trace/trace_readers.hpp"
#include "zonecut/base/text_check.hpp"

namespace zonecut {
namespace {

constexpr std::size_t kColumns = 18;
constexpr double kLargest = 1e10;

enum Column : std::size_t {
  kNumber = 0,
  kSubmit = 1,
  kRunTime = 3,
  kAllocated = 4,
  kRequested = 7,
  kStatus = 10,
};

struct Word {
  std::string_view text;
  std::size_t column = 0;  ///< from 1
};

/// The words of a line, and how many there are; those beyond the last column are only counted.
struct Words {
  std::array<Word, kColumns> words;
  std::size_t count = 0;
};

Words words_of(std::string_view line) {
  Words found;
  std::size_t at = 0;
  while ((at = line.find_first_not_of(" \t", at)) != std::string_view::npos) {
    const std::size_t end = std::min(line.find_first_of(" \t", at), line.size());
    if (found.count < kColumns) found.words[found.count] = {line.substr(at, end - at), at + 1};
    ++found.count;
    at = end;
  }
  return found;
}

class SwfReader {
 public:
  SwfReader(std::int64_t processors_per_gpu, JobTrace& trace, ProblemList& problems)
      : processors_per_gpu_(processors_per_gpu), trace_(trace), problems_(problems) {}

  void read(std::string_view line, int number) {
    line_ = number;
    const Words words = words_of(line);
    if (words.count != kColumns) {
      problems_.add(where(1), fmt::format("found {} columns, expected {}", words.count, kColumns));
      return;
    }
    const auto submit = value(words, kSubmit);
    const auto run_time = value(words, kRunTime);
    const auto allocated = value(words, kAllocated);
    const auto requested = value(words, kRequested);
    const auto status = value(words, kStatus);
    if (!submit || !run_time || !allocated || !requested || !status) return;
    // 2 to 4: one part of a job that was interrupted, which has a line of its own as a whole.
    if (*status >= 2 && *status <= 4) {
      ++trace_.parts;
      return;
    }
    const double processors = *allocated > 0 ? *allocated : *requested;
    const std::int64_t duration = std::llround(*run_time * 1000);
    if (*submit < 0 || duration <= 0 || processors <= 0) {
      ++trace_.never_ran;
      return;
    }
    add(words, std::llround(*submit * 1000), duration, processors);
  }

 private:
  [[nodiscard]] std::string where(std::size_t column) const {
    return fmt::format("{}:{}:{}", trace_.source, line_, column);
  }

  [[nodiscard]] std::optional<double> value(const Words& words, Column column) {
    const auto& [text, at] = words.words[column];
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error == std::errc{} && end == text.data() + text.size() && number >= -1 &&
        number <= kLargest)
      return number;
    problems_.add(where(at),
                  fmt::format("column {}: found \"{}\", expected a number from -1 to 1e10",
                              column + 1, excerpt(text)));
    return std::nullopt;
  }

  void add(const Words& words, std::int64_t submit, std::int64_t duration, double processors) {
    const std::int64_t whole = std::llround(std::ceil(processors));
    const std::int64_t gpus = (whole + processors_per_gpu_ - 1) / processors_per_gpu_;
    if (gpus > kMostGpusOfJob) {
      problems_.add(where(words.words[kAllocated].column),
                    fmt::format("found {} GPUs, expected at most {}", gpus, kMostGpusOfJob));
      return;
    }
    const std::string name(words.words[kNumber].text);
    if (const auto found = find_control_character(name, "")) {
      problems_.add(where(words.words[kNumber].column),
                    "found the control character " + *found + " in a job's number");
      return;
    }
    trace_.jobs.push_back({name, submit, duration, gpus, {}, line_});
  }

  std::int64_t processors_per_gpu_;
  JobTrace& trace_;
  ProblemList& problems_;
  int line_ = 0;
};

}  // namespace

void read_swf(std::string_view text, std::int64_t processors_per_gpu, JobTrace& trace,
              ProblemList& problems) {
  SwfReader reader(processors_per_gpu, trace, problems);
  int number = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    ++number;
    if (line.ends_with('\r')) line.remove_suffix(1);
    const std::size_t begin = line.find_first_not_of(" \t");
    if (begin == std::string_view::npos || line[begin] == ';') continue;
    if (trace.jobs.size() == kMostTracedJobs) {
      problems.add(fmt::format("{}:{}:1", trace.source, number),
                   fmt::format("found more than {} jobs", kMostTracedJobs));
      return;
    }
    reader.read(line, number);
  }
}

}  // namespace zonecut
