#include "solver_options.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>

#include "choice.hpp"
#include "number_checks.hpp"
#include "zonecut/base/error.hpp"

namespace zonecut::cli {
namespace {

const std::array<std::string, 3>& effort_names() {
  static const std::array<std::string, 3> names = {"fast", "balanced", "thorough"};
  return names;
}

// CLI11 would read -1 as 2^64 - 1.
std::uint64_t parse_seed(const std::string& text) {
  std::uint64_t seed = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seed);
  if (error == std::errc{} && end == text.data() + text.size()) return seed;
  throw InputError("--seed",
                   fmt::format("found \"{}\", expected a whole number from 0 to 2^64 - 1", text));
}

}  // namespace

std::string_view effort_name(Effort effort) {
  return effort_names()[static_cast<std::size_t>(effort)];
}

void add_solver_options(CLI::App& command, MappingOptions& options) {
  command
      .add_option_function<std::string>(
          "--effort",
          [&options](const std::string& word) {
            options.effort = static_cast<Effort>(chosen("--effort", word, effort_names()));
          },
          "How hard to search: fast (about 0.1 s for a large job), balanced (about 1 s; more for "
          "over 4,096 servers) or thorough (longer). Counted in work, not in time, so that "
          "results repeat.")
      ->type_name("LEVEL")
      ->default_str(std::string(effort_name(options.effort)));
  command
      .add_option_function<std::string>(
          "--seed", [&options](const std::string& text) { options.seed = parse_seed(text); },
          "Start of the random sequence; the same seed and input give the same result.")
      ->type_name("N")
      ->default_str("1");
  command
      .add_option("--threads", options.threads,
                  "Threads to search on; their number does not change the result.")
      ->type_name("N")
      ->check(WholeNumber(1, 256))
      ->capture_default_str();
}

}  // namespace zonecut::cli
