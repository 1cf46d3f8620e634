#pragma once
// The command line as a tree that can be walked: for shell completion and for hints.
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace zonecut::cli {

/// Names of the commands under `app`, in the order they were added.
[[nodiscard]] std::vector<std::string> command_names(const CLI::App& app);

/// The command of that name under `app`; null when there is none.
[[nodiscard]] const CLI::App* find_command(const CLI::App& app, const std::string& name);

struct OptionWord {
  std::string name;         ///< "--seed"
  std::string description;  ///< its first sentence
  bool takes_value = false;
  bool takes_file = false;  ///< its value is a path
};
/// Whether an option or argument takes a path.
[[nodiscard]] bool is_path(const CLI::Option& option);
/// Long and short names of a command's options, --help included.
[[nodiscard]] std::vector<OptionWord> option_words(const CLI::App& command);

/// The commands below `app` that have no commands of their own, each with its path, "topology
/// show".
struct Leaf {
  std::string path;
  const CLI::App* command;
};
[[nodiscard]] std::vector<Leaf> leaf_commands(const CLI::App& app);

}  // namespace zonecut::cli
