#include "help_format.hpp"

#include <fmt/format.h>

namespace zonecut::cli {
namespace {

constexpr int kTextColumn = 26;

/// "--seed NUMBER", "-o, --output FILE"
std::string head_of(const CLI::Option* option, bool is_positional) {
  if (is_positional) return "  " + option->get_name(true, false);
  std::string names;
  for (const std::string& name : option->get_snames()) names += ", -" + name;
  for (const std::string& name : option->get_lnames()) names += ", --" + name;
  // Long names start in one column, whether a short one stands before them or not.
  std::string head = option->get_snames().empty() ? "      " : "  ";
  head += names.substr(2);
  if (option->get_type_size() != 0) head += " " + option->get_type_name();
  return head;
}

/// Given by its name or as an argument, whichever the user likes.
bool has_both_forms(const CLI::Option* option) {
  return option->get_positional() && option->nonpositional();
}

}  // namespace

std::string wrap(std::string_view text, int width, int start, int indent) {
  std::string out;
  int column = start;
  bool line_is_empty = true;
  while (!text.empty()) {
    if (text.front() == '\n') {
      out += '\n' + std::string(static_cast<std::size_t>(indent), ' ');
      column = indent;
      line_is_empty = true;
      text.remove_prefix(1);
      continue;
    }
    if (text.front() == ' ') {
      text.remove_prefix(1);
      continue;
    }
    const std::string_view word = text.substr(0, text.find_first_of(" \n"));
    const int length = static_cast<int>(word.size());
    if (!line_is_empty && column + 1 + length > width) {
      out += '\n' + std::string(static_cast<std::size_t>(indent), ' ');
      column = indent;
      line_is_empty = true;
    }
    if (!line_is_empty) out += ' ', ++column;
    out += word;
    column += length;
    line_is_empty = false;
    text.remove_prefix(word.size());
  }
  return out;
}

std::string HelpFormat::row(std::string_view head, std::string_view text) const {
  std::string out(head);
  if (text.empty()) return out + "\n";
  if (static_cast<int>(head.size()) + 2 > kTextColumn) {
    out += "\n" + std::string(kTextColumn, ' ');
  } else {
    out.append(kTextColumn - head.size(), ' ');
  }
  return out + wrap(text, width_, kTextColumn, kTextColumn) + "\n";
}

std::string HelpFormat::make_description(const CLI::App* app) const {
  return wrap(app->get_description(), width_, 0, 0) + "\n\n";
}

std::string HelpFormat::make_usage(const CLI::App* app, std::string name) const {
  std::string usage = "Usage: " + name;
  for (const CLI::Option* option : app->get_options([](const CLI::Option* o) {
         return o->nonpositional() && o->get_required() && !has_both_forms(o);
       })) {
    usage += " --" + option->get_lnames().front() + " " + option->get_type_name();
  }
  if (!app->get_options([](const CLI::Option* o) { return o->nonpositional(); }).empty()) {
    usage += " [OPTION]...";
  }
  for (const CLI::Option* option :
       app->get_options([](const CLI::Option* o) { return o->get_positional(); })) {
    usage += " " + make_option_usage(option);
  }
  if (!app->get_subcommands([](const CLI::App*) { return true; }).empty()) usage += " COMMAND ...";
  return wrap(usage, width_, 0, 7) + "\n";
}

std::string HelpFormat::make_option(const CLI::Option* option, bool is_positional) const {
  std::string text = option->get_description();
  if (!option->get_default_str().empty())
    text += fmt::format(" Default: {}.", option->get_default_str());
  if (option->get_required() && has_both_forms(option)) {
    text += fmt::format(" Required, as {} or as --{}.", option->get_name(true, false),
                        option->get_lnames().front());
  } else if (option->get_required()) {
    text += " Required.";
  }
  return row(head_of(option, is_positional), text);
}

std::string HelpFormat::make_subcommand(const CLI::App* command) const {
  // The first sentence; the rest is in the command's own help.
  std::string text = command->get_description();
  if (const auto end = text.find(". "); end != std::string::npos) text.resize(end + 1);
  return row("  " + command->get_name(), text);
}

}  // namespace zonecut::cli
