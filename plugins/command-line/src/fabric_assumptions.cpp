#include "fabric_assumptions.hpp"

#include <fmt/format.h>

#include "zonecut/base/error.hpp"
#include "zonecut/base/units.hpp"
#include "zonecut/topology/cluster_file.hpp"

namespace zonecut::cli {
namespace {

BytesPerSecond parse_rate(const std::string& option, const std::string& text) {
  if (const auto rate = parse_bandwidth(text)) return *rate;
  throw InputError(option, fmt::format("found \"{}\", expected a rate such as 400Gbps", text));
}

double read_oversubscription(const std::string& text) {
  constexpr double kLeast = 0.01, kMost = 10'000;
  const std::optional<double> ratio = parse_ratio(text);
  if (ratio && *ratio >= kLeast && *ratio <= kMost) return *ratio;
  throw InputError("--oversubscription",
                   fmt::format("found \"{}\", expected a ratio from {} to {}", text, kLeast, kMost),
                   "such as 7:1 or 3.5");
}

}  // namespace

void add_fabric_assumptions(CLI::App& command, ImportOptions& options, const std::string& group) {
  command.add_option("--zone-level", options.zone_level, "The level whose borders the cut counts.")
      ->type_name("LEVEL")
      ->group(group);
  command
      .add_option_function<std::string>(
          "--oversubscription",
          [&options](const std::string& text) {
            options.oversubscription = read_oversubscription(text);
          },
          "Network bandwidth of a zone's servers over that of its uplinks, such as 7:1 or 3.5.")
      ->type_name("RATIO")
      ->default_str("7")
      ->group(group);
  command
      .add_option_function<std::string>(
          "--nic-bandwidth",
          [&options](const std::string& text) {
            options.nic_bandwidth = parse_rate("--nic-bandwidth", text);
          },
          "Rate of one network card and direction.")
      ->type_name("RATE")
      ->default_str("400Gbps")
      ->group(group);
}

void check_levels(const ImportOptions& options, const std::string& labels) {
  try {
    check_kubernetes_levels(options);
  } catch (const InputError& error) {
    std::vector<Problem> problems = error.problems();
    for (Problem& problem : problems)
      problem.where = problem.where == "zone_level" ? "--zone-level" : labels;
    throw InputError(std::move(problems));
  }
}

}  // namespace zonecut::cli
