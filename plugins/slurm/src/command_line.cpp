#include "command_line.hpp"

#include <algorithm>
#include <array>
#include <fstream>

namespace zonecut::slurm {
namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 20;

// Slurm: src/common/slurm_opt.c (common_options).
/// Short options about servers, tasks or their layout.
constexpr std::string_view kShort = "BcCFmMnNOrwxZ";
constexpr std::array<std::string_view, 37> kLong = {"clusters",
                                                    "constraint",
                                                    "contiguous",
                                                    "cores-per-socket",
                                                    "cpus-per-gpu",
                                                    "cpus-per-task",
                                                    "distribution",
                                                    "exclude",
                                                    "external",
                                                    "extra-node-info",
                                                    "gpus-per-task",
                                                    "het-group",
                                                    "hint",
                                                    "interactive",
                                                    "jobid",
                                                    "mincpus",
                                                    "multi-prog",
                                                    "no-allocate",
                                                    "nodefile",
                                                    "nodelist",
                                                    "nodes",
                                                    "ntasks",
                                                    "ntasks-per-core",
                                                    "ntasks-per-gpu",
                                                    "ntasks-per-node",
                                                    "ntasks-per-socket",
                                                    "overcommit",
                                                    "overlap",
                                                    "pack-group",
                                                    "relative",
                                                    "sockets-per-node",
                                                    "spread-job",
                                                    "tasks-per-node",
                                                    "test-only",
                                                    "threads-per-core",
                                                    "tres-per-task",
                                                    "use-min-nodes"};

/// Options after which no word can be their value, as they have none.
constexpr std::string_view kShortFlags = "kKlQuvX";
constexpr std::array<std::string_view, 6> kLongFlags = {"label",      "no-kill", "pty",
                                                        "unbuffered", "quiet",   "verbose"};

bool is_option(std::string_view word) { return word.size() > 1 && word[0] == '-'; }
bool is_long(std::string_view word) { return word.starts_with("--"); }

std::string_view name_of(std::string_view word) { return word.substr(2, word.find('=') - 2); }

/// Whether a long option may mean this one: getopt takes any beginning that is no other's.
bool may_mean(std::string_view word, std::string_view option) {
  const std::string_view name = name_of(word);
  return !name.empty() && (option.starts_with(name) || name.starts_with(option));
}

bool value_may_follow(std::string_view word) {
  if (!is_long(word)) return word.find_first_not_of(kShortFlags, 1) != std::string_view::npos;
  return word.find('=') == std::string_view::npos &&
         std::find(kLongFlags.begin(), kLongFlags.end(), name_of(word)) == kLongFlags.end();
}

/// The words before the program, as far as that is certain: it begins at the latest where a plain
/// word cannot be the value of an option.
std::span<const std::string> before_program(std::span<const std::string> words) {
  bool may_be_value = false;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const bool option = is_option(words[i]) && words[i] != "--";
    if (!option && !may_be_value) return words.subspan(1, i - 1);
    may_be_value = option && value_may_follow(words[i]);
  }
  return words.subspan(std::min<std::size_t>(words.size(), 1));
}

bool speaks_of_layout(std::string_view word) {
  if (!is_option(word)) return false;
  if (!is_long(word)) return word.find_first_of(kShort, 1) != std::string_view::npos;
  return std::any_of(kLong.begin(), kLong.end(),
                     [&](std::string_view option) { return may_mean(word, option); });
}

}  // namespace

std::vector<std::string> command_line() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::string text(kMostBytes, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\0', begin), text.size());
    words.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

bool command_line_mentions(const std::string& text) {
  const std::vector<std::string> words = command_line();
  return std::any_of(words.begin(), words.end(),
                     [&](const std::string& word) { return word.find(text) != std::string::npos; });
}

bool may_say_layout(std::span<const std::string> words) {
  const auto own = before_program(words);
  return std::any_of(own.begin(), own.end(), speaks_of_layout);
}

bool may_give(std::span<const std::string> words, std::string_view option) {
  const auto own = before_program(words);
  return std::any_of(own.begin(), own.end(), [&](const std::string& word) {
    return is_long(word) && may_mean(word, option);
  });
}

}  // namespace zonecut::slurm
