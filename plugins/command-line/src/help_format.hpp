#pragma once
// How --help looks: prose and option texts wrapped to the terminal, never wider than 80 columns.
#include <CLI/CLI.hpp>
#include <string>
#include <string_view>

namespace zonecut::cli {

class HelpFormat : public CLI::Formatter {
 public:
  explicit HelpFormat(int width) : width_(width) {}

  std::string make_description(const CLI::App* app) const override;
  std::string make_usage(const CLI::App* app, std::string name) const override;
  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override;
  /// Sentences are wrapped; lines that begin with a space, such as examples, stay as they are.
  std::string make_footer(const CLI::App* app) const override;
  std::string make_option(const CLI::Option* option, bool is_positional) const override;
  std::string make_subcommand(const CLI::App* command) const override;

 private:
  [[nodiscard]] std::string row(std::string_view head, std::string_view text) const;
  int width_;
};

/// Breaks lines at spaces; every line after the first starts with `indent` spaces, and the first
/// one is taken to start at column `start`. Line breaks in the text stay.
[[nodiscard]] std::string wrap(std::string_view text, int width, int start, int indent);

}  // namespace zonecut::cli
