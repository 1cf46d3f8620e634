#include "help_format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <utility>

namespace zonecut::cli {
namespace {

constexpr int kTextColumn = 26;
/// In terminals that leave too little room beside the options' names, texts stand below them.
constexpr int kNarrow = 64;
constexpr int kNarrowTextColumn = 10;

/// "--seed NUMBER", "-o, --output FILE"
std::string head_of(const CLI::Option* option, bool is_positional) {
  if (is_positional) return "  " + option->get_name(true, false);
  std::string names;
  for (const std::string& name : option->get_snames()) names += ", -" + name;
  for (const std::string& name : option->get_lnames()) names += ", --" + name;
  // Long names start in one column, whether a short one stands before them or not.
  std::string head = option->get_snames().empty() ? "      " : "  ";
  head += names.substr(2);
  if (option->get_type_size() != 0 && !option->get_type_name().empty())
    head += " " + option->get_type_name();
  return head;
}

/// Given by its name or as an argument, whichever the user likes.
bool has_both_forms(const CLI::Option* option) {
  return option->get_positional() && option->nonpositional();
}

/// What stays together in a line: up to the next space, and "- is stdin" with its dash. One that is
/// longer than a whole line ends after the last comma that has room.
std::string_view next_word(std::string_view text, std::size_t line) {
  const std::size_t from = text.starts_with("- ") ? 2 : 0;
  const std::string_view word = text.substr(0, text.find_first_of(" \n", from));
  if (word.size() <= line) return word;
  const std::size_t comma = word.substr(0, line).rfind(',');
  return comma == std::string_view::npos ? word : word.substr(0, comma + 1);
}

void replace_all(std::string& text, std::string_view found, std::string_view by) {
  for (std::size_t at = text.find(found); at != std::string::npos; at = text.find(found, at))
    text.replace(at, found.size(), by);
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
    const std::string_view word =
        next_word(text, static_cast<std::size_t>(std::max(1, width - indent)));
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
  const std::size_t column = width_ < kNarrow ? kNarrowTextColumn : kTextColumn;
  if (head.size() + 2 > column) {
    out += "\n" + std::string(column, ' ');
  } else {
    out.append(column - head.size(), ' ');
  }
  const int from = static_cast<int>(column);
  return out + wrap(text, width_, from, from) + "\n";
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

std::string HelpFormat::make_help(const CLI::App* app, std::string name,
                                  CLI::AppFormatMode mode) const {
  // CLI11 ends a group of options with an empty line and begins the next one with another.
  std::string text = CLI::Formatter::make_help(app, std::move(name), mode);
  replace_all(text, "\n\n\n", "\n\n");
  return text;
}

std::string HelpFormat::make_footer(const CLI::App* app) const {
  std::string out;
  std::string sentences;
  const auto end_sentences = [&] {
    if (!sentences.empty()) out += wrap(sentences, width_, 0, 0) + "\n";
    sentences.clear();
  };
  std::istringstream lines(app->get_footer());
  for (std::string line; std::getline(lines, line);) {
    const bool is_prose = !line.empty() && line.front() != ' ';
    if (!is_prose || sentences.ends_with('.')) end_sentences();
    if (!is_prose) {
      out += line + "\n";
    } else {
      sentences += (sentences.empty() ? "" : " ") + line;
    }
  }
  end_sentences();
  return out;
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
