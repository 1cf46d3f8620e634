// zonecut job: what a job sends, learnt from what was recorded of it.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "choice.hpp"
#include "commands.hpp"
#include "number_checks.hpp"
#include "output.hpp"
#include "situation.hpp"
#include "zonecut/base/document.hpp"
#include "zonecut/base/text_check.hpp"
#include "zonecut/partition/job_file.hpp"
#include "zonecut/partition/job_write.hpp"
#include "zonecut/partition/trace_import.hpp"

namespace zonecut::cli {
namespace {

/// One rank's trace. Larger ones are of more than a step or two.
constexpr std::size_t kLargestTrace = std::size_t{1} << 30;

struct ImportCommand {
  TraceFormat from{};  ///< --from is required
  std::vector<std::string> paths;
  std::string output = "-";
  std::string groups;
  bool json = false;
  std::uint64_t ranks = 0;  ///< 0: what the traces say
  std::uint64_t iterations = 1;
  TraceOptions options;
};

std::vector<std::string> names_of_formats() {
  std::vector<std::string> names;
  for (const TraceFormat format : trace_formats()) names.emplace_back(trace_format_name(format));
  return names;
}

struct TraceFile {
  std::string path;
  std::size_t rank;
};

/// The traces in a folder: files with the extension of the format.
void add_folder(const std::string& folder, TraceFormat format, std::vector<std::string>& files) {
  std::error_code error;
  const auto before = files.size();
  const auto is_trace = [&](const std::string& extension) {
    return extension == ".json" || (format == TraceFormat::Chakra && extension == ".et");
  };
  for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end;
       at.increment(error)) {
    std::error_code ignored;
    if (at->is_regular_file(ignored) && is_trace(at->path().extension().string()))
      files.push_back(at->path().string());
  }
  if (error) throw InputError(folder, fmt::format("cannot be read: {}", error.message()));
  if (files.size() == before) {
    throw InputError(folder, "is a folder without traces",
                     format == TraceFormat::Chakra ? "expected NAME.RANK.et or NAME.RANK.json"
                                                   : "expected NAME.RANK.json");
  }
}

std::vector<TraceFile> find_traces(const ImportCommand& command) {
  std::vector<std::string> paths;
  for (const std::string& path : command.paths) {
    std::error_code ignored;
    if (path == "-") {
      throw InputError("PATH", "a trace has its rank in its name, so it is not read from stdin");
    }
    if (std::filesystem::is_directory(path, ignored))
      add_folder(path, command.from, paths);
    else
      paths.push_back(path);
  }
  std::vector<TraceFile> files;
  ProblemList problems;
  for (const std::string& path : paths) {
    const auto rank = rank_in_name(path);
    if (!rank && paths.size() > 1)
      problems.add(path, "has no rank in its name", "expected NAME.RANK.et or NAME_RANK.json");
    files.push_back({path, rank.value_or(0)});
  }
  problems.throw_if_any();
  std::sort(files.begin(), files.end(), [](const TraceFile& a, const TraceFile& b) {
    return std::tie(a.rank, a.path) < std::tie(b.rank, b.path);
  });
  return files;
}

/// A mistake in one rank's trace does not hide those in the next ones.
ImportedJob import_job(const ImportCommand& command, const std::vector<TraceFile>& files) {
  TraceOptions options = command.options;
  if (command.ranks > 0) options.ranks = command.ranks;
  options.iterations = static_cast<std::int64_t>(command.iterations);
  if (!command.groups.empty())
    options.groups = parse_trace_groups(read_file(command.groups), command.groups);
  TraceImport import(command.from, std::move(options));
  ProblemList problems;
  for (const TraceFile& file : files) {
    try {
      import.add(read_file(file.path, kLargestTrace), file.path, file.rank);
    } catch (const InputError& error) {
      for (const Problem& problem : error.problems())
        problems.add(problem.where, problem.what, problem.hint);
    }
  }
  problems.throw_if_any();
  return std::move(import).finish();
}

/// Names or sizes that a job file cannot say are found out before anything is written.
void refuse_unreadable(const std::string& text) {
  try {
    static_cast<void>(parse_job_file(text, "the job file to be written"));
  } catch (const InputError& error) {
    std::vector<Problem> problems = {
        {"PATH", "what the traces hold, with these options, makes no job file", ""}};
    problems.insert(problems.end(), error.problems().begin(), error.problems().end());
    throw InputError(std::move(problems));
  }
}

/// Collectives that differ in their members only.
struct Alike {
  const ExplicitCollective* first;
  std::int64_t groups;
};

std::vector<Alike> alike(const std::vector<ExplicitCollective>& collectives) {
  const auto key = [](const ExplicitCollective& c) {
    return std::tuple(std::string_view(c.name), c.kind, -c.bytes.count, c.times, c.members.size());
  };
  std::vector<const ExplicitCollective*> sorted;
  for (const ExplicitCollective& c : collectives) sorted.push_back(&c);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [&](const auto* a, const auto* b) { return key(*a) < key(*b); });
  std::vector<Alike> result;
  for (const ExplicitCollective* c : sorted) {
    if (result.empty() || key(*result.back().first) != key(*c)) result.push_back({c, 0});
    ++result.back().groups;
  }
  return result;
}

std::string summary_json(const ImportedJob& imported) {
  const auto& work = std::get<ExplicitTraffic>(imported.job.work);
  nlohmann::ordered_json object = {{"schema", "zonecut.job-import/v1"},
                                   {"job", imported.job.name},
                                   {"ranks", work.ranks},
                                   {"traces", imported.traces}};
  object["collectives"] = nlohmann::ordered_json::array();
  for (const Alike& one : alike(work.collectives)) {
    object["collectives"].push_back({{"name", one.first->name},
                                     {"kind", collective_name(one.first->kind)},
                                     {"ranks", one.first->members.size()},
                                     {"bytes", one.first->bytes.count},
                                     {"times", one.first->times},
                                     {"groups", one.groups}});
  }
  object["left_out"] = nlohmann::ordered_json::array();
  for (const ImportedJob::LeftOut& left : imported.left_out)
    object["left_out"].push_back({{"what", left.what}, {"records", left.count}});
  object["assumed"] = imported.assumed;
  return object.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

/// What the job file does not tell: nothing is dropped or taken for granted without a word.
std::string remarks(const ImportedJob& imported) {
  constexpr std::size_t kMostLines = 20;
  std::string text;
  for (std::size_t i = 0; i < imported.left_out.size(); ++i) {
    if (i == kMostLines) {
      text += fmt::format("zonecut: left out: {} more kinds of records; --json lists them\n",
                          imported.left_out.size() - i);
      break;
    }
    const ImportedJob::LeftOut& left = imported.left_out[i];
    text += fmt::format("zonecut: left out: {} ({} {})\n", harmless(left.what), left.count,
                        left.count == 1 ? "record" : "records");
  }
  for (const std::string& assumed : imported.assumed)
    text += fmt::format("zonecut: assumed: {}\n", harmless(assumed));
  return text;
}

std::string one_line(const ImportedJob& imported) {
  const auto& work = std::get<ExplicitTraffic>(imported.job.work);
  return fmt::format("{} ranks, {} {}", work.ranks, work.collectives.size(),
                     work.collectives.size() == 1 ? "collective" : "collectives");
}

ExitCode run_import(const ImportCommand& command) {
  const std::vector<TraceFile> files = find_traces(command);
  refuse_overwriting({"--output", command.output}, {command.groups});
  for (const TraceFile& file : files) refuse_overwriting({"--output", command.output}, {file.path});
  const ImportedJob imported = import_job(command, files);
  const std::string text = write_job(imported.job);
  refuse_unreadable(text);
  write_stderr(remarks(imported));
  write_output(command.output, text);
  if (command.json) {
    const std::string summary = summary_json(imported);
    if (command.output == "-") {
      write_stderr(summary);
    } else {
      write_stdout(summary);
    }
  } else if (command.output != "-") {
    write_stderr(fmt::format("zonecut: wrote {}: {}\n", command.output, one_line(imported)));
  }
  return ExitCode::Done;
}

void add_import_source(CLI::App& command, const std::shared_ptr<ImportCommand>& import) {
  command
      .add_option_function<std::string>(
          "--from",
          [import](const std::string& word) {
            import->from = trace_formats()[chosen("--from", word, names_of_formats())];
          },
          fmt::format("Format of the traces: {}.", one_of(names_of_formats())))
      ->type_name("FORMAT")
      ->required();
  command
      .add_option("PATH", import->paths,
                  "The traces, one for each rank, with the rank at the end of the name "
                  "(NAME.RANK.et, NAME_RANK.json); or a folder of them.")
      ->type_name("FILE|FOLDER")
      ->required();
  command.add_option("-o,--output", import->output, "Where the job file goes. - is stdout.")
      ->type_name("FILE")
      ->capture_default_str();
  command.add_flag("--json", import->json,
                   "Print what was imported as one JSON object (to stderr when the job goes to "
                   "stdout).");
}

void add_import_assumptions(CLI::App& command, const std::shared_ptr<ImportCommand>& import) {
  constexpr const char* kGroup = "What the traces do not say";
  command.add_option("--name", import->options.job_name, "Name of the job.")
      ->type_name("NAME")
      ->capture_default_str()
      ->group(kGroup);
  command
      .add_option("--iterations", import->iterations,
                  "Iterations that each trace holds. The job is one of them.")
      ->type_name("N")
      ->check(WholeNumber(1, 1'000'000'000))
      ->capture_default_str()
      ->group(kGroup);
  command.add_option("--ranks", import->ranks, "Ranks of the job, where the traces tell of fewer.")
      ->type_name("N")
      ->check(WholeNumber(1, 4'194'304))
      ->group(kGroup);
  command
      .add_option("--groups", import->groups,
                  "Members of the groups that traces only name: a JSON object of lists of ranks, "
                  "{\"0\": [0, 1, 2, 3]}.")
      ->type_name("FILE")
      ->group(kGroup);
  command
      .add_flag("--allow-missing", import->options.allow_missing,
                "Take ranks without a trace to have done what the other members of their groups "
                "recorded, instead of refusing. What they sent among themselves is lost.")
      ->group(kGroup);
  command
      .add_flag("--even-all-to-all", import->options.even_all_to_all,
                "Write all-to-alls of unequal parts as equal ones of the same sum, instead of as a "
                "message for each pair of ranks.")
      ->group("How to write the job");
}

void add_import(CLI::App& job, Session& session) {
  auto import = std::make_shared<ImportCommand>();
  CLI::App& command = *job.add_subcommand(
      "import",
      "Write a job file from traces of a job that ran: the collectives and messages of one "
      "iteration, each counted once.");
  add_import_source(command, import);
  add_import_assumptions(command, import);
  command.footer(
      "Examples:\n"
      "  zonecut job import --from pytorch-et traces/ -o job.yaml\n"
      "  zonecut job import --from chakra --iterations 4 llama.*.et -o job.yaml\n"
      "  zonecut place --cluster cluster.yaml --job job.yaml");
  command.callback([import, &session] {
    session.run = [import](const Session&) { return run_import(*import); };
  });
}

}  // namespace

void add_job_command(CLI::App& app, Session& session) {
  CLI::App& job = *app.add_subcommand(
      "job", "Learn what a job sends from traces of it, for the commands that place jobs.");
  job.require_subcommand(1);
  add_import(job, session);
}

}  // namespace zonecut::cli
