// zonecut completion: scripts that let a shell complete commands and options, made from the command
// line itself, so that they never lag behind it.
#include <fmt/format.h>

#include <array>
#include <memory>

#include "choice.hpp"
#include "command_tree.hpp"
#include "commands.hpp"
#include "output.hpp"

namespace zonecut::cli {
namespace {

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

std::string names_of(const std::vector<OptionWord>& words, bool only_with_value) {
  std::vector<std::string> names;
  for (const OptionWord& word : words) {
    if (word.takes_value || !only_with_value) names.push_back(word.name);
  }
  return joined(names);
}

/// Commands that have commands of their own, each with its path; the program itself is "".
std::vector<Leaf> branches(const CLI::App& app) {
  std::vector<Leaf> found = {{"", &app}};
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (!command_names(*command).empty()) found.push_back({command->get_name(), command});
  }
  return found;
}

/// "case" lines that follow the path of commands from the words typed so far.
std::string path_patterns(const CLI::App& app) {
  std::string text;
  for (const Leaf& branch : branches(app)) {
    for (const std::string& name : command_names(*branch.command)) {
      text += fmt::format("{}\"{} {}\"", text.empty() ? "" : "|", branch.path, name);
    }
  }
  return text;
}

std::string bash_script(const CLI::App& app) {
  std::string text =
      "# Completion of zonecut for bash. Put this where bash-completion looks, or source it.\n"
      "_zonecut() {\n"
      "  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}\n"
      "  local chosen='' names='' with_value='' i\n"
      "  for ((i = 1; i < COMP_CWORD; i++)); do\n"
      "    case \"$chosen ${COMP_WORDS[i]}\" in\n";
  text += fmt::format("      {}) chosen=\"${{chosen:+$chosen }}${{COMP_WORDS[i]}}\" ;;\n",
                      path_patterns(app));
  text += "    esac\n  done\n  case \"$chosen\" in\n";
  for (const Leaf& branch : branches(app)) {
    text += fmt::format("    \"{}\") names='{}' ;;\n", branch.path,
                        joined(command_names(*branch.command)));
  }
  for (const Leaf& leaf : leaf_commands(app)) {
    const auto words = option_words(*leaf.command);
    text += fmt::format("    \"{}\") names='{}' with_value='{}' ;;\n", leaf.path,
                        names_of(words, false), names_of(words, true));
  }
  text +=
      "  esac\n"
      "  # No word of ours after an option with a value: the shell then offers files.\n"
      "  if [[ \" $with_value \" == *\" $previous \"* ]]; then COMPREPLY=(); return; fi\n"
      "  if [[ $current != -* && $names == -* ]]; then COMPREPLY=(); return; fi\n"
      "  COMPREPLY=($(compgen -W \"$names\" -- \"$current\"))\n"
      "}\n"
      "complete -o default -F _zonecut zonecut\n";
  return text;
}

/// For single quotes: zsh's _describe also takes ':' as the end of a name.
std::string plain(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c != '\'' && c != ':' && c != '\\') out += c;
  }
  return out;
}

std::string zsh_script(const CLI::App& app) {
  std::string text =
      "#compdef zonecut\n"
      "# Completion of zonecut for zsh. Put this as _zonecut into a directory of $fpath.\n"
      "_zonecut() {\n"
      "  local chosen='' word\n"
      "  local -a names\n"
      "  for word in ${words[2,CURRENT-1]}; do\n"
      "    case \"$chosen $word\" in\n";
  text += fmt::format("      {}) chosen=\"${{chosen:+$chosen }}$word\" ;;\n", path_patterns(app));
  text += "    esac\n  done\n  case \"$chosen\" in\n";
  for (const Leaf& branch : branches(app)) {
    text += fmt::format("    \"{}\") names=(", branch.path);
    for (const std::string& name : command_names(*branch.command)) {
      const std::string description = branch.command->get_subcommand(name)->get_description();
      text += fmt::format("'{}:{}' ", name, plain(description.substr(0, description.find('.'))));
    }
    text += ") ;;\n";
  }
  for (const Leaf& leaf : leaf_commands(app)) {
    text += fmt::format("    \"{}\") names=(", leaf.path);
    for (const OptionWord& word : option_words(*leaf.command)) {
      text += fmt::format("'{}:{}' ", word.name, plain(word.description));
    }
    text += ") ;;\n";
  }
  text +=
      "  esac\n"
      "  if [[ $PREFIX != -* && ${names[1]} == -* ]]; then _files; return; fi\n"
      "  _describe 'zonecut' names\n"
      "}\n"
      "_zonecut \"$@\"\n";
  return text;
}

std::string fish_condition(const std::string& path) {
  const auto space = path.find(' ');
  if (space == std::string::npos) return fmt::format("__fish_seen_subcommand_from {}", path);
  return fmt::format("__fish_seen_subcommand_from {}; and __fish_seen_subcommand_from {}",
                     path.substr(0, space), path.substr(space + 1));
}

std::string fish_script(const CLI::App& app) {
  std::string text =
      "# Completion of zonecut for fish. Put this into ~/.config/fish/completions.\n";
  for (const Leaf& branch : branches(app)) {
    const std::string names = joined(command_names(*branch.command));
    const std::string condition = branch.path.empty()
                                      ? "__fish_use_subcommand"
                                      : fmt::format("{}; and not __fish_seen_subcommand_from {}",
                                                    fish_condition(branch.path), names);
    for (const std::string& name : command_names(*branch.command)) {
      const std::string description = branch.command->get_subcommand(name)->get_description();
      text += fmt::format("complete -c zonecut -f -n '{}' -a {} -d '{}'\n", condition, name,
                          plain(description.substr(0, description.find('.'))));
    }
  }
  for (const Leaf& leaf : leaf_commands(app)) {
    for (const OptionWord& word : option_words(*leaf.command)) {
      const bool is_long = word.name.starts_with("--");
      text +=
          fmt::format("complete -c zonecut -n '{}' {} {}{} -d '{}'\n", fish_condition(leaf.path),
                      is_long ? "-l" : "-s", word.name.substr(is_long ? 2 : 1),
                      word.takes_file    ? " -r -F"
                      : word.takes_value ? " -x"
                                         : "",
                      plain(word.description));
    }
  }
  return text;
}

}  // namespace

void add_completion_command(CLI::App& app, Session& session) {
  auto shell = std::make_shared<std::string>();
  CLI::App& command = *app.add_subcommand(
      "completion", "Print a script that completes zonecut's commands and options in a shell.");
  command.add_option("SHELL", *shell, "bash, zsh or fish.")->required();
  command.footer("Example:\n  zonecut completion bash > /etc/bash_completion.d/zonecut");
  command.callback([shell, &app, &session] {
    session.run = [shell, &app](const Session&) {
      const std::array<std::string, 3> shells = {"bash", "zsh", "fish"};
      const std::size_t which = chosen("SHELL", *shell, shells);
      write_stdout(which == 0 ? bash_script(app) : which == 1 ? zsh_script(app) : fish_script(app));
      return ExitCode::Done;
    };
  });
}

}  // namespace zonecut::cli
