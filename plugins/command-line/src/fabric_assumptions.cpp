#include "fabric_assumptions.hpp"

#include <fmt/format.h>

#include "zonecut/base/error.hpp"
#include "zonecut/base/units.hpp"
#include "zonecut/topology/cluster_file.hpp"

namespace zonecut::cli {
namespace {

constexpr const char* kZoneLevel = "--zone-level";
constexpr const char* kOversubscription = "--oversubscription";
constexpr const char* kNicBandwidth = "--nic-bandwidth";

BytesPerSecond parse_rate(const std::string& option, const std::string& text) {
  if (const auto rate = parse_bandwidth(text)) return *rate;
  throw InputError(option, fmt::format("found \"{}\", expected a rate such as 400Gbps", text));
}

double read_oversubscription(const std::string& text) {
  constexpr double kLeast = 0.01, kMost = 10'000;
  const std::optional<double> ratio = parse_ratio(text);
  if (ratio && *ratio >= kLeast && *ratio <= kMost) return *ratio;
  throw InputError(kOversubscription,
                   fmt::format("found \"{}\", expected a ratio from {} to {}", text, kLeast, kMost),
                   "such as 7:1 or 3.5");
}

}  // namespace

void add_fabric_assumptions(CLI::App& command, ImportOptions& options, const std::string& group) {
  command.add_option(kZoneLevel, options.zone_level, "The level whose borders the cut counts.")
      ->type_name("LEVEL")
      ->group(group);
  command
      .add_option_function<std::string>(
          kOversubscription,
          [&options](const std::string& text) {
            options.oversubscription = read_oversubscription(text);
          },
          "Network bandwidth of a zone's servers over that of its uplinks, such as 7:1 or 3.5.")
      ->type_name("RATIO")
      ->default_str("7")
      ->group(group);
  command
      .add_option_function<std::string>(
          kNicBandwidth,
          [&options](const std::string& text) {
            options.nic_bandwidth = parse_rate(kNicBandwidth, text);
          },
          "Rate of one network card and direction.")
      ->type_name("RATE")
      ->default_str("400Gbps")
      ->group(group);
}

std::vector<std::string> fabric_assumption_names() {
  return {kZoneLevel, kOversubscription, kNicBandwidth};
}

void check_levels(const ImportOptions& options, const std::string& labels) {
  try {
    check_kubernetes_levels(options);
  } catch (const InputError& error) {
    std::vector<Problem> problems = error.problems();
    for (Problem& problem : problems)
      problem.where = problem.where == "zone_level" ? kZoneLevel : labels;
    throw InputError(std::move(problems));
  }
}

}  // namespace zonecut::cli
