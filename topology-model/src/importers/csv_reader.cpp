#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>

#include "importers/outline.hpp"
#include "importers/readers.hpp"
#include "importers/source_text.hpp"
#include "level_name.hpp"
#include "zonecut/base/csv.hpp"

namespace zonecut::importers {
namespace {

/// What each column of interest is, by its index in a row.
struct Columns {
  std::size_t server = 0;
  std::vector<std::pair<std::string, std::size_t>> levels;  ///< name of the level, its column
  std::optional<std::size_t> gpus;
};

/// Finds the columns that the options name, or those that speak for themselves.
class ColumnFinder {
 public:
  ColumnFinder(const CsvRow& header, const std::string& source, ProblemList& problems)
      : header_(header),
        source_(source),
        where_(position(source, header.line, 1)),
        problems_(problems) {
    for (std::size_t i = 0; i < header.fields.size(); ++i) {
      if (find(header.fields[i].text) != i) {
        problems.add(position(source, header.line, header.fields[i].column),
                     fmt::format("column \"{}\" is named twice", header.fields[i].text));
      }
    }
  }

  Columns columns(const ImportOptions& options) {
    Columns columns;
    columns.server = options.server_column.empty() ? likely_server() : named(options.server_column);
    if (!options.gpu_column.empty()) columns.gpus = named(options.gpu_column);
    for (const auto& [level, column] : options.level_columns)
      columns.levels.emplace_back(level, named(column));
    if (columns.levels.empty()) all_others_are_levels(columns);
    if (columns.levels.empty())
      problems_.add(where_, "found no column for a level such as the rack");
    if (columns.levels.size() > kMaxLevels) {
      problems_.add(where_,
                    fmt::format("found {} columns that could be levels, expected at most {}",
                                columns.levels.size(), kMaxLevels),
                    "say which columns are the levels");
    }
    return columns;
  }

 private:
  [[nodiscard]] std::size_t find(std::string_view name) const {
    const auto found = std::find_if(header_.fields.begin(), header_.fields.end(),
                                    [&](const CsvField& field) { return field.text == name; });
    return static_cast<std::size_t>(found - header_.fields.begin());
  }

  std::size_t named(const std::string& name) {
    const std::size_t index = find(name);
    if (index < header_.fields.size()) return index;
    std::string known;
    for (const CsvField& field : header_.fields) known += (known.empty() ? "" : ", ") + field.text;
    problems_.add(where_, fmt::format("there is no column \"{}\"", name), "columns: " + known);
    return 0;
  }

  std::size_t likely_server() {
    constexpr std::array<std::string_view, 6> kWords = {"server", "host", "hostname",
                                                        "node",   "name", "ip"};
    for (const std::string_view word : kWords) {
      for (std::size_t i = 0; i < header_.fields.size(); ++i) {
        if (lower_case(header_.fields[i].text) == word) return i;
      }
    }
    problems_.add(where_, "found no column for the server's name",
                  "expected one called server, host, hostname, node, name or ip, or say which");
    return 0;
  }

  void all_others_are_levels(Columns& columns) {
    std::map<std::string, std::string_view> seen;
    for (std::size_t i = 0; i < header_.fields.size(); ++i) {
      const CsvField& field = header_.fields[i];
      const std::string name = lower_case(field.text);
      const auto [first, is_new] = seen.try_emplace(name, field.text);
      if (!is_new && field.text != first->second) {
        problems_.add(
            position(source_, header_.line, field.column),
            fmt::format("columns \"{}\" and \"{}\" differ in case only", first->second, field.text),
            "say which columns are the levels");
      }
      if (i == columns.server || name == "gpus") continue;
      if (columns.gpus == i) continue;
      columns.levels.emplace_back(name, i);
    }
    if (columns.gpus) return;
    for (std::size_t i = 0; i < header_.fields.size(); ++i) {
      if (lower_case(header_.fields[i].text) == "gpus") columns.gpus = i;
    }
  }

  const CsvRow& header_;
  const std::string& source_;
  std::string where_;
  ProblemList& problems_;
};

int gpu_count(const CsvField& field, const std::string& where, ProblemList& problems) {
  int count = 0;
  const char* end = field.text.data() + field.text.size();
  const auto [stop, error] = std::from_chars(field.text.data(), end, count);
  if (error != std::errc{} || stop != end || count < 1 || count > 1024) {
    problems.add(where, fmt::format("\"{}\" is no number of GPUs, expected 1 to 1024",
                                    field.text.substr(0, 32)));
    return 1;
  }
  return count;
}

ServerEntry server_of(const CsvRow& row, const Columns& columns, const std::string& source,
                      ProblemList& problems) {
  ServerEntry server;
  server.name = row.fields[columns.server].text;
  server.where = position(source, row.line, row.fields[columns.server].column);
  for (const auto& [level, column] : columns.levels) {
    const CsvField& field = row.fields[column];
    const auto fault = fault_of_domain_name(field.text);
    if (!fault.empty()) {
      problems.add(position(source, row.line, field.column),
                   fmt::format("the name \"{}\" {}", shown(field.text), fault));
    }
    server.path.push_back(fault.empty() ? field.text : "?");  // reads on, to find further mistakes
  }
  if (columns.gpus) {
    const CsvField& field = row.fields[*columns.gpus];
    server.gpus = gpu_count(field, position(source, row.line, field.column), problems);
  }
  return server;
}

}  // namespace

Cluster read_csv(std::string_view text, const std::string& source, const ImportOptions& options) {
  ProblemList problems;
  CsvRows rows(checked_text(text, source), source, problems);
  CsvRow header;
  if (!rows.next(header)) problems.add(source, "found no header line");
  problems.throw_if_any();
  const Columns columns = ColumnFinder(header, source, problems).columns(options);
  problems.throw_if_any();

  Outline outline;
  for (const auto& [level, column] : columns.levels) {
    const auto fault = fault_of_level_name(level);
    if (!fault.empty()) {
      problems.add(position(source, header.line, header.fields[column].column),
                   fmt::format("the level name \"{}\" {}", shown(level), fault),
                   "say which columns are the levels, and how they are called");
    }
    outline.levels.push_back(fault.empty() ? level : "?");  // reads on, for further mistakes
  }
  // One server too many is enough for assemble() to refuse them all.
  for (CsvRow row; outline.servers.size() <= kMaxServers && rows.next(row);) {
    if (row.fields.size() == header.fields.size()) {
      outline.servers.push_back(server_of(row, columns, source, problems));
    } else {
      problems.add(position(source, row.line, 1),
                   fmt::format("found {} fields, expected {} as in the header", row.fields.size(),
                               header.fields.size()));
    }
  }
  return assemble(std::move(outline), options, source, problems);
}

}  // namespace zonecut::importers
