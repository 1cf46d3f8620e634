// The table of counters: server,nic,local_ack_timeout_err,out_of_sequence,…
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

#include "zonecut/base/csv.hpp"
#include "zonecut/base/document.hpp"
#include "zonecut/base/text_check.hpp"
#include "zonecut/scheduler/nic_counters.hpp"

namespace zonecut {
namespace {

constexpr std::size_t kMostCounters = 200;
constexpr int kMostNics = 4096;
constexpr std::size_t kLongestName = 255;

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc{} && stop == text.data() + text.size();
  return whole && value >= 0 ? std::optional(value) : std::nullopt;
}

class TableReader {
 public:
  TableReader(const std::string& source, const Cluster& cluster, ProblemList& problems)
      : source_(source), cluster_(cluster), problems_(problems) {}

  /// False where rows cannot be told from it.
  bool read_header(const CsvRow& row) {
    std::set<std::string> names;
    bool good = true;
    for (std::size_t i = 0; i < row.fields.size(); ++i) {
      const CsvField& field = row.fields[i];
      if (field.text.empty() || find_control_character(field.text, "") ||
          !names.insert(field.text).second) {
        report(row, field,
               fmt::format("found the column \"{}\", expected a name of its own",
                           excerpt(field.text)));
        good = false;
      } else if (field.text.size() > kLongestName) {
        report(row, field,
               fmt::format("found a name of {} bytes, expected {} at most", field.text.size(),
                           kLongestName));
        good = false;
      }
      if (field.text == "server") {
        server_column_ = i;
      } else if (field.text == "nic") {
        nic_column_ = i;
      } else {
        counter_of_column_[i] = counters_.size();
        counters_.push_back({field.text, {}});
      }
    }
    if (!server_column_) {
      report(row, row.fields.front(), "found no column \"server\"",
             "a header such as server,nic,local_ack_timeout_err,out_of_sequence");
      good = false;
    }
    if (counters_.empty() || counters_.size() > kMostCounters) {
      report(row, row.fields.front(),
             fmt::format("found {} counters, expected 1 to {}", counters_.size(), kMostCounters));
      good = false;
    }
    columns_ = row.fields.size();
    return good;
  }

  void read_row(const CsvRow& row) {
    if (row.fields.size() != columns_) {
      return report(row, row.fields.front(),
                    fmt::format("found {} fields, expected {} as in the header", row.fields.size(),
                                columns_));
    }
    const CsvField& name = row.fields[*server_column_];
    const auto server = cluster_.find_server(name.text);
    if (!server) {
      return report(row, name, fmt::format("the cluster has no server \"{}\"", excerpt(name.text)));
    }
    const std::optional<int> nic = read_nic(row);
    if (nic_column_ && !nic) return;
    const auto [first, is_new] = line_of_.try_emplace({*server, nic.value_or(-1)}, row.line);
    if (!is_new) {
      return report(row, name,
                    fmt::format("{} stands twice, first in line {}",
                                nic ? fmt::format("NIC {} of {}", *nic, excerpt(name.text))
                                    : excerpt(name.text),
                                first->second));
    }
    for (const auto& [column, counter] : counter_of_column_) {
      const CsvField& field = row.fields[column];
      if (field.text.empty()) continue;  // not read
      const auto count = whole_number(field.text);
      if (!count) {
        report(row, field,
               fmt::format("found \"{}\", expected by how much {} grew, 0 or more",
                           excerpt(field.text), counters_[counter].name));
        continue;
      }
      std::int64_t& sum = sums_[counter];
      if (*count > kMostCounted - sum) {
        report(row, field,
               fmt::format("all of {} together do not fit 62 bits", counters_[counter].name));
        continue;
      }
      sum += *count;
      counters_[counter].readings.push_back({*server, nic, *count});
    }
  }

  [[nodiscard]] std::vector<NicCounter> take() { return std::move(counters_); }

 private:
  static constexpr std::int64_t kMostCounted = std::int64_t{1} << 62;

  std::optional<int> read_nic(const CsvRow& row) {
    if (!nic_column_) return std::nullopt;
    const CsvField& field = row.fields[*nic_column_];
    const std::size_t digits = field.text.find_last_not_of("0123456789") + 1;  // "mlx5_3"
    const auto nic = whole_number(std::string_view(field.text).substr(digits));
    if (nic && *nic < kMostNics) return static_cast<int>(*nic);
    report(row, field,
           fmt::format("found \"{}\", expected a NIC by its number from 0, "
                       "such as 3 or mlx5_3",
                       excerpt(field.text)));
    return std::nullopt;
  }

  void report(const CsvRow& row, const CsvField& field, std::string what, std::string hint = {}) {
    problems_.add(fmt::format("{}:{}:{}", source_, row.line, field.column), std::move(what),
                  std::move(hint));
  }

  const std::string& source_;
  const Cluster& cluster_;
  ProblemList& problems_;
  std::vector<NicCounter> counters_;
  std::map<std::size_t, std::size_t> counter_of_column_;
  std::map<std::size_t, std::int64_t> sums_;
  std::map<std::pair<ServerId, int>, int> line_of_;
  std::optional<std::size_t> server_column_;
  std::optional<std::size_t> nic_column_;
  std::size_t columns_ = 0;
};

}  // namespace

std::vector<NicCounter> parse_nic_counters(std::string_view text, const std::string& source,
                                           const Cluster& cluster) {
  ProblemList problems;
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);  // a byte order mark
  if (const auto malformed = find_malformed_utf8(text)) {
    throw InputError(fmt::format("{}:{}:{}", source, malformed->line, malformed->column),
                     malformed->what);
  }
  TableReader table(source, cluster, problems);
  CsvRows rows(text, source, problems);
  CsvRow row;
  if (!rows.next(row)) problems.add(source + ":1:1", "found no header", "server,nic,COUNTER,...");
  problems.throw_if_any();
  if (table.read_header(row)) {
    while (rows.next(row)) table.read_row(row);
  }
  problems.throw_if_any();
  return table.take();
}

}  // namespace zonecut
