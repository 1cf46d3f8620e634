// What the documents show is what the program does.
#include <sstream>

#include "partition/traffic/traffic_sums.hpp"
#include "support/catch.hpp"
#include "zonecut/base/document.hpp"
#include "zonecut/partition/job_file.hpp"

using namespace zonecut;

namespace {

std::string document(const std::string& name) {
  return read_file(std::string(ZONECUT_TEST_SOURCE_DIR) + "/../docs/" + name);
}

/// The fenced blocks of a Markdown text that are marked `language`.
std::vector<std::string> blocks(const std::string& text, const std::string& language) {
  std::vector<std::string> found;
  std::istringstream lines(text);
  bool inside = false;
  for (std::string line; std::getline(lines, line);) {
    if (inside && line == "```") {
      inside = false;
    } else if (inside) {
      found.back() += line + "\n";
    } else if (line == "```" + language) {
      inside = true;
      found.emplace_back();
    }
  }
  return found;
}

/// Cells of the table rows that begin with a text in backquotes.
std::vector<std::vector<std::string>> example_rows(const std::string& text) {
  std::vector<std::vector<std::string>> rows;
  std::istringstream lines(text.substr(text.find("## Worked examples")));
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("| `")) continue;
    std::vector<std::string> cells;
    std::istringstream parts(line.substr(1));
    for (std::string cell; std::getline(parts, cell, '|');) {
      const std::size_t first = cell.find_first_not_of(" `");
      cells.push_back(cell.substr(first, cell.find_last_not_of(" `") - first + 1));
    }
    rows.push_back(std::move(cells));
  }
  return rows;
}

}  // namespace

TEST_CASE("every example of the job format is a job", "[partition][docs]") {
  const std::string text = document("formats/job.md");
  const auto files = blocks(text, "yaml");
  REQUIRE(files.size() == 9);
  for (const std::string& file : files) {
    INFO(file);
    const Job job = parse_job_file(file, "job.md").job;
    CHECK_FALSE(traffic_of(job, 8).phases.empty());
  }
  const auto flat = blocks(text, "flat");
  REQUIRE(flat.size() == 5);
  for (const std::string& line : flat) {
    INFO(line);
    CHECK_FALSE(traffic_of(load_job(line.substr(0, line.size() - 1)).job, 8).phases.empty());
  }
}

TEST_CASE("every worked example of the traffic formulas comes out as written",
          "[partition][docs]") {
  const auto rows = example_rows(document("traffic.md"));
  REQUIRE(rows.size() == 19);
  for (const auto& row : rows) {
    REQUIRE(row.size() == 4);
    INFO(row[0] << " " << row[1]);
    const Traffic traffic = traffic_of(parse_job_text(row[0]), 8);
    const Phase& phase = phase_of(traffic, row[1]);
    CHECK(std::to_string(phase.groups.front().bytes.count) == row[2]);
    CHECK(std::to_string(phase.steps) == row[3]);
  }
}

TEST_CASE("every preset is named in the job format", "[partition][docs]") {
  const std::string text = document("formats/job.md");
  for (const std::string& name : model_preset_names())
    CHECK(text.find("`" + name + "`") != std::string::npos);
}
