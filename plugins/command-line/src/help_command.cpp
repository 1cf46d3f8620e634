// zonecut help: the help of a command, or a page on one of the ideas behind it.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>

#include "choice.hpp"
#include "command_tree.hpp"
#include "commands.hpp"
#include "output.hpp"
#include "topics.hpp"

namespace zonecut::cli {
namespace {

std::vector<std::string> known_words(const CLI::App& app) {
  std::vector<std::string> words = command_names(app);
  for (const Topic& topic : topics()) words.emplace_back(topic.name);
  return words;
}

bool is_topic(const std::string& word) {
  const auto called = [&](const Topic& topic) { return topic.name == word; };
  return std::any_of(topics().begin(), topics().end(), called);
}

/// Nothing below `command` is called `word`.
[[noreturn]] void refuse(const CLI::App& app, const CLI::App& command, const std::string& first,
                         const std::string& word) {
  if (&command == &app && is_topic(first)) {
    throw InputError("help", fmt::format("{} is a topic, and a topic stands alone", first),
                     "zonecut help " + first);
  }
  const std::vector<std::string> known =
      &command == &app ? known_words(app) : command_names(command);
  if (known.empty()) {
    throw InputError(
        "help",
        fmt::format("found \"{}\", but {} has no commands of its own", word, command.get_name()),
        "zonecut help " + first);
  }
  static_cast<void>(chosen("help", word, known));
  throw InternalError("a known word was not found");
}

std::string help_on(const CLI::App& app, const std::vector<std::string>& words) {
  if (words.size() == 1) {
    for (const Topic& topic : topics()) {
      if (topic.name == words.front()) return std::string(topic.text);
    }
  }
  std::string prefix;
  const CLI::App* command = &app;
  for (const std::string& word : words) {
    const CLI::App* next = find_command(*command, word);
    if (next == nullptr) refuse(app, *command, words.front(), word);
    prefix += (prefix.empty() ? "" : " ") + command->get_name();
    command = next;
  }
  return command->help(prefix);
}

}  // namespace

void add_help_command(CLI::App& app, Session& session) {
  struct Words {
    std::string first;
    std::string second;
  };
  auto words = std::make_shared<Words>();
  CLI::App& command =
      *app.add_subcommand("help", "Explain a command, or one of the ideas behind zonecut.");
  std::string list;
  for (const Topic& topic : topics()) list += fmt::format("\n  {:<12} {}", topic.name, topic.title);
  command.add_option("TOPIC", words->first, "A command, or a topic of the list below.");
  command.add_option("SUBCOMMAND", words->second, "A command of that command.");
  command.footer("Topics:" + list);
  command.callback([words, &app, &session] {
    session.run = [words, &app](const Session&) {
      std::vector<std::string> path;
      if (!words->first.empty()) path.push_back(words->first);
      if (!words->second.empty()) path.push_back(words->second);
      write_stdout(help_on(app, path));
      return ExitCode::Done;
    };
  });
}

}  // namespace zonecut::cli
