#include "command_tree.hpp"

namespace zonecut::cli {
namespace {

std::string first_sentence(const std::string& text) {
  const auto end = text.find_first_of(".;:\n");
  return end == std::string::npos ? text : text.substr(0, end);
}

void add_leaves(const CLI::App& app, const std::string& prefix, std::vector<Leaf>& leaves) {
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    const std::string path =
        prefix.empty() ? command->get_name() : prefix + " " + command->get_name();
    if (command_names(*command).empty()) {
      leaves.push_back({path, command});
    } else {
      add_leaves(*command, path, leaves);
    }
  }
}

}  // namespace

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(command->get_name());
  }
  return names;
}

const CLI::App* find_command(const CLI::App& app, const std::string& name) {
  const auto named = [&](const CLI::App* command) { return command->get_name() == name; };
  const auto found = app.get_subcommands(named);
  return found.empty() ? nullptr : found.front();
}

bool is_path(const CLI::Option& option) {
  return option.get_type_name().find("FILE") != std::string::npos;
}

std::vector<OptionWord> option_words(const CLI::App& command) {
  std::vector<OptionWord> words;
  for (const CLI::Option* option :
       command.get_options([](const CLI::Option* o) { return o->nonpositional(); })) {
    const bool takes_value = option->get_type_size() != 0;
    const bool takes_file = takes_value && is_path(*option);
    const std::string description = first_sentence(option->get_description());
    for (const std::string& name : option->get_lnames()) {
      words.push_back({"--" + name, description, takes_value, takes_file});
    }
    for (const std::string& name : option->get_snames()) {
      words.push_back({"-" + name, description, takes_value, takes_file});
    }
  }
  return words;
}

std::vector<Leaf> leaf_commands(const CLI::App& app) {
  std::vector<Leaf> leaves;
  add_leaves(app, "", leaves);
  return leaves;
}

}  // namespace zonecut::cli
