#include "solver_options.hpp"

#include <array>

#include "choice.hpp"

namespace zonecut::cli {
namespace {

const std::array<std::string, 3>& effort_names() {
  static const std::array<std::string, 3> names = {"fast", "balanced", "thorough"};
  return names;
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
          "How hard to search: fast (about 0.1 s for a large job), balanced (about 1 s) or "
          "thorough (longer). Counted in work, not in time, so that results repeat.")
      ->type_name("LEVEL")
      ->default_str("balanced");
  command
      .add_option("--seed", options.seed,
                  "Start of the random sequence; the same seed and input give the same result.")
      ->type_name("N")
      ->capture_default_str();
  command
      .add_option("--threads", options.threads,
                  "Threads to search on; their number does not change the result.")
      ->type_name("N")
      ->check(CLI::Range(1, 256).description(""))
      ->capture_default_str();
}

}  // namespace zonecut::cli
