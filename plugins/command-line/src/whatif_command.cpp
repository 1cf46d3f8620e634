// zonecut whatif: how jobs would fare if something failed, were emptied, mended or built another
// way.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <memory>

#include "asked.hpp"
#include "commands.hpp"
#include "number_checks.hpp"
#include "output.hpp"
#include "progress.hpp"
#include "routing_options.hpp"
#include "situation.hpp"
#include "solver_options.hpp"
#include "zonecut/base/error.hpp"
#include "zonecut/base/text_check.hpp"
#include "zonecut/base/threads.hpp"
#include "zonecut/scheduler/what_if_report.hpp"

namespace zonecut::cli {
namespace {

struct WhatIfOptions {
  SituationOptions situation;
  PlacementOptions placement;
  std::string order;                   ///< empty: the job is placed first
  std::vector<std::string> questions;  ///< changes
  std::optional<std::string> each;
  std::size_t most = 10;
  bool json = false;
};

/// Of many questions a mistake says in which one it is.
Outlook answer_to(const std::string& question, const WhatIfOptions& options,
                  const std::function<Outlook()>& look) {
  try {
    return look();
  } catch (const InputError& error) {
    if (!options.each && options.questions.size() == 1) throw;
    std::vector<Problem> problems = error.problems();
    for (Problem& problem : problems)
      problem.what = fmt::format("asked {}: {}", excerpt(question), problem.what);
    throw InputError(std::move(problems));
  }
}

WhatIfReport answered(const WhatIfOptions& options, const AskedFiles& files,
                      std::span<const SettledJob> jobs, std::optional<std::size_t> asked,
                      Provenance provenance) {
  const auto asked_with = [&](const std::string& changes) {
    return changed(files.setting, changes, options.each ? "--each" : "--if");
  };
  // A mistake in the last one is found before the first one is answered.
  std::vector<std::string> questions = options.questions;
  std::optional<InputError> unused = unused_option(files.setting.routing);
  for (const std::string& changes : questions) {
    const Setting asked_of = asked_with(changes);
    // Queue pairs and a seed may be for the routing that a question asks about.
    if (unused && !unused_option(asked_of.routing)) unused.reset();
  }
  if (unused) throw InputError(*unused);
  LookOptions looks{options.placement, options.each ? std::nullopt : asked, asked};
  if (options.each) looks.placement.mapping.effort = Effort::Fast;  // for jobs that wait
  const Lookout lookout(files.setting, jobs, looks);
  if (options.each) questions = each_of(files.setting, lookout.now(), *options.each, "--each");
  looks.placement.mapping.threads = 1;
  std::vector<WhatIfAnswer> answers(questions.size());
  for_each_index(questions.size(), options.placement.mapping.threads, [&](std::size_t i) {
    Outlook outlook = answer_to(questions[i], options,
                                [&] { return lookout.when(asked_with(questions[i]), looks); });
    const Harm harm = harm_of(lookout.now(), outlook, jobs);
    answers[i] = {questions[i], std::move(outlook), harm};
  });
  if (options.each && is_to_help(*options.each)) {
    std::ranges::stable_sort(answers, std::ranges::less{}, &WhatIfAnswer::harm);
  } else if (options.each) {
    std::ranges::stable_sort(answers, std::ranges::greater{}, &WhatIfAnswer::harm);
  }
  return {files.cluster,
          files.setting.routing,
          jobs,
          asked,
          mute_jobs(files.setting.view, jobs),
          lookout.now(),
          std::move(answers),
          options.each,
          std::move(provenance)};
}

ExitCode run(const WhatIfOptions& options, const Session& session) {
  std::string text;
  {
    const Progress progress(session.terminal, "asking what if");
    const SituationOptions& paths = options.situation;
    refuse_shared_stdin({{"--cluster", paths.cluster},
                         {"--job", paths.job},
                         {"--state", paths.state},
                         {"--order", options.order}});
    AskedFiles files(paths);
    std::vector<SettledJob> jobs = running_jobs(files, paths.state);
    std::optional<std::size_t> asked;
    const auto answer = [&] {
      if (files.job) asked = add_asked(options.order, options.placement, files, jobs);
      if (jobs.empty()) {
        throw InputError("--job", "is missing, and no job of the state says what it sends",
                         "give a job, or traffic to the jobs of --state");
      }
      return answered(options, files, jobs, asked,
                      provenance_of(files.cluster_file, files.state_file, paths.job, files.job_hash,
                                    options.placement.mapping, session));
    };
    try {
      const WhatIfReport report = answer();
      text = options.json ? write_what_if_json(report) : write_what_if_text(report, options.most);
    } catch (const InputError& error) {
      if (!files.job) throw;
      throw placed(error, files.cluster_file.name, *files.job);
    }
  }
  write_stdout(text);
  return ExitCode::Done;
}

void add_questions(CLI::App& command, const std::shared_ptr<WhatIfOptions>& options) {
  auto* questions =
      command
          .add_option("--if", options->questions,
                      "What to change, commas between: fail=NAME, limit=LINK@RATE, mend=NAME|all, "
                      "drain=SERVERS|DOMAIN, end=JOB, routing=SCHEME, queue-pairs=N, "
                      "admission-window=SIZE|none, oversubscription=[LEVEL:]RATIO, "
                      "uplinks=[LEVEL:]N, nic-bandwidth=RATE. "
                      "Once for each question.")
          ->type_name("CHANGE,...")
          ->allow_extra_args(false);
  command
      .add_option("--each", options->each,
                  "Ask about every one of a kind, and say which does most harm, or helps most: the "
                  "name of a "
                  "tier's switches (CTSW: each fails), a level (rack: each is drained), server "
                  "(fails), failure (mended) or job (ends).")
      ->type_name("KIND")
      ->excludes(questions);
  command
      .add_option("--most", options->most,
                  "With --each: how many of the first and of the last are printed; questions "
                  "with the same answer count once.")
      ->type_name("N")
      ->check(WholeNumber(1, 1'000'000))
      ->capture_default_str()
      ->needs("--each");
}

}  // namespace

void add_whatif_command(CLI::App& app, Session& session) {
  auto options = std::make_shared<WhatIfOptions>();
  CLI::App& command = *app.add_subcommand(
      "whatif",
      "Say how jobs would fare if links or switches failed or were mended, servers were emptied, "
      "jobs ended, or the fabric were routed or built another way: which take longer, which must "
      "move and where to, and what placing a job anew would cost. Nothing is changed.");
  add_situation_options(command, options->situation, JobOption::Optional);
  command
      .add_option("--order", options->order,
                  "Host file of the order that the job of --job runs on. Without it the job is "
                  "placed first. - is stdin.")
      ->type_name("HOSTFILE")
      ->needs("--job");
  add_questions(command, options);
  add_solver_options(command, options->placement.mapping);
  command.get_option("--threads")
      ->description("Questions to answer at a time; their number does not change the answers.");
  command.add_flag("--json", options->json, "Print one JSON object (zonecut.whatif/v1).");
  command.footer(
      "Examples:\n"
      "  zonecut whatif --cluster cluster.yaml --job job.yaml --order hosts.txt \\\n"
      "    --if fail=zone1/CTSW-3 --if routing=e-ecmp --if drain=zone2/rack1\n"
      "  zonecut whatif --cluster cluster.yaml --state now.yaml --each CTSW\n"
      "  zonecut whatif --cluster cluster.yaml --state now.yaml --job job.yaml \\\n"
      "    --if end=nightly --if oversubscription=2.8");
  command.callback([options, &session] {
    if (options->questions.empty() && !options->each)
      throw InputError("", "there is no question", "ask with --if CHANGE or --each KIND");
    session.run = [options](const Session& now) { return run(*options, now); };
  });
}

}  // namespace zonecut::cli
