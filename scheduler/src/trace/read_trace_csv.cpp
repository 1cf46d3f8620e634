// Traces with a header: our own and that of Philly. Columns stand in any order.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <span>

#include "trace/trace_readers.hpp"
#include "zonecut/base/csv.hpp"
#include "zonecut/base/text_check.hpp"

namespace zonecut {
namespace {

struct ColumnName {
  std::string_view name;
  bool required;
};

constexpr std::array kOwn = {ColumnName{"submit", true}, ColumnName{"duration", true},
                             ColumnName{"gpus", true}, ColumnName{"name", false},
                             ColumnName{"work", false}};
constexpr std::array kPhilly = {ColumnName{"timestamp", true}, ColumnName{"duration", true},
                                ColumnName{"num_gpus", true}, ColumnName{"gpu_time", false},
                                ColumnName{"cluster", false}};

std::span<const ColumnName> columns_of(ArrivalFormat format) {
  if (format == ArrivalFormat::Philly) return kPhilly;
  return kOwn;
}

class CsvTraceReader {
 public:
  CsvTraceReader(JobTrace& trace, ProblemList& problems)
      : trace_(trace), problems_(problems), names_(columns_of(trace.format)) {}

  /// False where rows cannot be told from it.
  bool read_header(const CsvRow& row) {
    row_ = &row;
    width_ = row.fields.size();
    if (width_ == 1 && row.fields[0].text.find_first_of(";\t") != std::string::npos) {
      problems_.add(where(0),
                    fmt::format("found no commas in the header, expected {}", all_names()),
                    "columns stand between commas");
      return false;
    }
    for (std::size_t i = 0; i < width_; ++i) {
      const std::string& name = row.fields[i].text;
      const auto known =
          std::ranges::find(names_, std::string_view(name), &ColumnName::name) != names_.end();
      if (!known) {
        problems_.add(where(i),
                      fmt::format("found column \"{}\", expected {}", excerpt(name), all_names()));
      } else if (!at_.emplace(name, i).second) {
        problems_.add(where(i), fmt::format("column {} is named twice", name));
      }
    }
    for (const auto& [name, required] : names_) {
      if (required && !at_.contains(name))
        problems_.add(where(0), fmt::format("found no column {}", name), "expected " + all_names());
    }
    return problems_.empty();
  }

  void read(const CsvRow& row) {
    row_ = &row;
    ++number_;
    if (row.fields.size() != width_) {
      problems_.add(where(0), fmt::format("found {} fields, expected {} as in the header",
                                          row.fields.size(), width_));
      return;
    }
    const bool philly = trace_.format == ArrivalFormat::Philly;
    TracedJob job;
    job.line = row.line;
    const auto submit = read_submit(philly ? "timestamp" : "submit");
    const auto duration = read_duration();
    job.work = read_name("work");
    const auto gpus = read_gpus(philly ? "num_gpus" : "gpus", !job.work.empty());
    job.name = read_name("name");
    if (job.name.empty()) job.name = std::to_string(number_);
    if (!submit || !duration || !gpus) return;
    if (*duration == 0 || (*gpus == 0 && job.work.empty())) {
      ++trace_.never_ran;
      return;
    }
    job.submit = *submit;
    job.duration = *duration;
    job.gpus = *gpus;
    trace_.jobs.push_back(std::move(job));
  }

 private:
  [[nodiscard]] std::string where(std::size_t field) const {
    const std::size_t column = field < row_->fields.size() ? row_->fields[field].column : 1;
    return fmt::format("{}:{}:{}", trace_.source, row_->line, column);
  }
  [[nodiscard]] std::string all_names() const {
    std::string all;
    for (const ColumnName& column : names_) {
      if (!all.empty()) all += ",";
      all += column.name;
    }
    return all;
  }
  /// Empty where there is no such column.
  [[nodiscard]] std::string_view text(std::string_view column) const {
    const auto found = at_.find(column);
    return found == at_.end() ? std::string_view{} : row_->fields[found->second].text;
  }
  void wrong(std::string_view column, std::string_view expected) {
    problems_.add(
        where(at_.find(column)->second),
        fmt::format("{}: found \"{}\", expected {}", column, excerpt(text(column)), expected));
  }

  [[nodiscard]] std::optional<std::int64_t> read_submit(std::string_view column) {
    const auto seconds = parse_milliseconds(text(column));
    const auto date = seconds ? seconds : parse_date(text(column));
    if (!date) {
      wrong(column, "seconds from 0 to 1e10, in digits, or a date such as 2017-10-09 07:01:55");
      return std::nullopt;
    }
    const bool is_date = !seconds;
    if (dates_ && *dates_ != is_date) {
      wrong(column, is_date ? "seconds, as in the rows before" : "a date, as in the rows before");
      return std::nullopt;
    }
    dates_ = is_date;
    trace_.dates = is_date;
    return date;
  }
  [[nodiscard]] std::optional<std::int64_t> read_duration() {
    const auto duration = parse_milliseconds(text("duration"));
    if (!duration) wrong("duration", "seconds from 0 to 1e10, in digits such as 3600.5");
    return duration;
  }
  [[nodiscard]] std::optional<std::int64_t> read_gpus(std::string_view column, bool may_be_open) {
    if (may_be_open && text(column).empty()) return 0;
    const auto gpus = parse_count(text(column), kMostGpusOfJob);
    if (!gpus) wrong(column, fmt::format("a number of GPUs up to {}", kMostGpusOfJob));
    return gpus;
  }
  [[nodiscard]] std::string read_name(std::string_view column) {
    const std::string_view found = text(column);
    if (!find_control_character(found, "")) return std::string(found);
    wrong(column, "no control characters");
    return {};
  }

  JobTrace& trace_;
  ProblemList& problems_;
  std::span<const ColumnName> names_;
  std::map<std::string, std::size_t, std::less<>> at_;
  std::size_t width_ = 0;
  std::optional<bool> dates_;  ///< whether submit times are dates, once one has been read
  std::size_t number_ = 0;     ///< of the row, from 1
  const CsvRow* row_ = nullptr;
};

bool has_words(std::string_view line, std::string_view one, std::string_view other) {
  return line.find(one) != std::string_view::npos && line.find(other) != std::string_view::npos;
}

}  // namespace

bool is_philly_header(std::string_view line) { return has_words(line, "timestamp", "num_gpus"); }
bool is_own_header(std::string_view line) { return has_words(line, "submit", "duration"); }

void read_trace_csv(std::string_view text, JobTrace& trace, ProblemList& problems) {
  CsvRows rows(text, trace.source, problems);
  CsvTraceReader reader(trace, problems);
  CsvRow row;
  if (!rows.next(row)) {
    if (problems.empty()) problems.add(trace.source, "found no header");
    return;
  }
  const CsvRow header = row;
  if (!reader.read_header(header)) return;
  while (rows.next(row)) {
    if (trace.jobs.size() == kMostTracedJobs) {
      problems.add(fmt::format("{}:{}:1", trace.source, row.line),
                   fmt::format("found more than {} jobs", kMostTracedJobs));
      return;
    }
    reader.read(row);
  }
}

}  // namespace zonecut
