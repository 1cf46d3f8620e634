#include "program.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <optional>

#include "command_tree.hpp"
#include "commands.hpp"
#include "help_format.hpp"
#include "output.hpp"
#include "zonecut/base/document.hpp"
#include "zonecut_version.hpp"

namespace zonecut::cli {
namespace {

/// Whether stdout was promised to carry one JSON object, so that a failure must be one too. Asked
/// of the words themselves, because a command line that cannot be read has failed as well.
bool wants_json(const std::vector<std::string>& arguments) {
  const bool report = !arguments.empty() && arguments.front() == "report";
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& word = arguments[i];
    const std::string next = i + 1 < arguments.size() ? arguments[i + 1] : "";
    if (report && (word == "--json=-" || (word == "--json" && next == "-"))) return true;
    if (!report && word == "--json") return true;
    if (word == "--format=json" || (word == "--format" && next == "json")) return true;
  }
  return false;
}

/// An empty path or name is a variable that was not set in somebody's script, never a wish.
void refuse_empty_names(CLI::App& app) {
  const CLI::Validator not_empty(
      [](const std::string& text) {
        return text.empty() ? std::string("found an empty text, expected a name") : std::string();
      },
      "");
  for (CLI::Option* option : app.get_options()) {
    const std::string& kind = option->get_type_name();
    if (is_path(*option) || kind == "NAME" || kind == "COLUMN") option->check(not_empty);
  }
  for (CLI::App* command : app.get_subcommands([](CLI::App*) { return true; })) {
    refuse_empty_names(*command);
  }
}

std::unique_ptr<CLI::App> make_app(Session& session) {
  auto app = std::make_unique<CLI::App>(
      "Decides where the ranks of a distributed GPU training job run: on which servers, and in "
      "which order, so that least traffic crosses the oversubscribed links between zones.",
      "zonecut");
  app->formatter(std::make_shared<HelpFormat>(prose_width(session.terminal)));
  app->set_help_flag("-h,--help", "Print this help.");
  app->set_version_flag("--version", std::string("zonecut ") + kVersion, "Print the version.");
  app->require_subcommand(1);
  add_map_command(*app, session);
  add_place_command(*app, session);
  add_predict_command(*app, session);
  add_report_command(*app, session);
  add_whatif_command(*app, session);
  add_attribute_command(*app, session);
  add_simulate_command(*app, session);
  add_topology_command(*app, session);
  add_job_command(*app, session);
  add_serve_command(*app, session);
  add_slurm_order_command(*app, session);
  add_slurm_placer_command(*app, session);
  add_completion_command(*app, session);
  add_help_command(*app, session);
  refuse_empty_names(*app);
  app->footer(
      "Examples:\n"
      "  zonecut topology import --from slurm-conf topology.conf -o cluster.yaml\n"
      "  zonecut place --cluster cluster.yaml --job tp=8,pp=4,dp=8\n"
      "  zonecut report --cluster cluster.yaml --job job.yaml --html report.html\n"
      "\n"
      "zonecut COMMAND --help explains a command; zonecut help lists the topics.\n"
      "Exit codes: 0 done, 2 bad input, 3 no placement exists, 4 a disk or peer\n"
      "failed, 70 a defect of zonecut.");
  return app;
}

/// The command that was being read, as far as it got.
const CLI::App& deepest(const CLI::App& app) {
  const CLI::App* at = &app;
  while (!at->get_subcommands().empty()) at = at->get_subcommands().front();
  return *at;
}

std::string full_name(const CLI::App& command) {
  if (command.get_parent() == nullptr) return command.get_name();
  return full_name(*command.get_parent()) + " " + command.get_name();
}

std::string hint_for(const CLI::App& command, const std::string& word) {
  std::vector<std::string> known = command_names(command);
  if (known.empty() || word.starts_with('-')) {
    known.clear();
    for (const OptionWord& option : option_words(command)) known.push_back(option.name);
  }
  if (std::find(known.begin(), known.end(), word.substr(0, word.find('='))) != known.end())
    return "options stand after the command";
  if (const auto nearest = nearest_word(word.substr(0, word.find('=')), known)) {
    return "did you mean " + *nearest + "?";
  }
  return full_name(command) + " --help lists what there is";
}

/// A required option that was given neither by name nor as an argument, while it could be either.
const CLI::Option* missing_in_both_forms(const CLI::App& command) {
  for (const CLI::Option* option : command.get_options()) {
    const bool both = option->get_positional() && option->nonpositional();
    if (both && option->get_required() && option->count() == 0) return option;
  }
  return nullptr;
}

/// CLI11 says "--seed: 1 required N missing", and of an option given twice the same again.
std::string in_our_words(const CLI::ArgumentMismatch& error) {
  std::string text = error.what();
  const std::size_t colon = text.find(": ");
  const std::string option = text.substr(0, colon);
  if (text.find(" missing") != std::string::npos) return option + ": its value is missing";
  if (text.find("At Most 1 required") != std::string::npos) return option + ": it is given twice";
  return text;
}

/// What CLI11 found wrong, in our words.
InputError wrong_command_line(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App& command = deepest(app);
  const auto unread = app.remaining(true);
  if (!unread.empty()) {
    const std::string& word = unread.front();
    const bool is_command = !word.starts_with('-') && !command_names(command).empty();
    return {"",
            full_name(command) + " has no " + (is_command ? "command " : "option or argument ") +
                "\"" + word + "\"",
            hint_for(command, word)};
  }
  if (!command_names(command).empty()) {
    return {"", full_name(command) + ": a command is missing", full_name(command) + " --help"};
  }
  if (const CLI::Option* missing = missing_in_both_forms(command)) {
    return {"",
            "a file is missing, as " + missing->get_name(true, false) + " or as --" +
                missing->get_lnames().front() + " " + missing->get_type_name(),
            full_name(command) + " --help explains the options"};
  }
  if (const auto* mismatch = dynamic_cast<const CLI::ArgumentMismatch*>(&error)) {
    return {"", in_our_words(*mismatch), full_name(command) + " --help explains the options"};
  }
  return {"", error.what(), full_name(command) + " --help explains the options"};
}

ExitCode read_and_run(Session& session) {
  const auto app = make_app(session);
  if (session.arguments.empty()) {
    write_stdout(app->help());
    return ExitCode::Done;
  }
  try {
    // CLI11 takes the words from the back.
    std::vector<std::string> words(session.arguments.rbegin(), session.arguments.rend());
    app->parse(std::move(words));
  } catch (const CLI::CallForHelp&) {
    write_stdout(app->help());
    return ExitCode::Done;
  } catch (const CLI::CallForVersion& version) {
    write_stdout(std::string(version.what()) + "\n");
    return ExitCode::Done;
  } catch (const CLI::ParseError& error) {
    throw wrong_command_line(*app, error);
  }
  ZONECUT_ENSURES(session.run != nullptr);
  return session.run(session);
}

ExitCode tell(const Failure& failure, bool json) {
  write_stderr(to_lines(failure));
  if (!json) return failure.code;
  try {
    write_stdout(to_json(failure));
  } catch (const IoError&) {  // NOLINT(bugprone-empty-catch)
    // stdout takes nothing, which may be the very failure; stderr and the exit code have said it.
  } catch (const ReaderGone&) {  // NOLINT(bugprone-empty-catch)
    // It is a failure all the same.
  }
  return failure.code;
}

}  // namespace

ExitCode run_program(std::vector<std::string> arguments) noexcept {
  bool json = false;
  try {
    prepare_streams();
    json = wants_json(arguments);
    Session session{detect_terminal(), std::move(arguments), nullptr};
    return read_and_run(session);
  } catch (const ReaderGone&) {
    return ExitCode::Done;
  } catch (...) {
    try {
      return tell(current_failure(), json);
    } catch (...) {
      return ExitCode::OurDefect;
    }
  }
}

}  // namespace zonecut::cli
