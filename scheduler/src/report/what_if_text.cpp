// What-if answers for people: a few lines for each question, or a table of all of a kind.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "report/text.hpp"
#include "zonecut/scheduler/period.hpp"
#include "zonecut/scheduler/what_if_report.hpp"

namespace zonecut {
namespace {

using report::clean;

constexpr std::size_t kMostMovesTold = 4;
/// Times that differ by less are told as equal: a tenth of the last digit that is printed.
constexpr double kTold = 0.0005;

std::string line(std::string_view head, std::string_view rest) {
  return fmt::format("  {:<14} {}\n", head, rest);
}

/// "8.4 % more", "the same"
std::string against(Seconds before, Seconds after) {
  const double share =
      before.count > 0 ? after.count / before.count - 1 : (after.count > 0 ? 1.0 : 0.0);
  if (std::abs(share) < kTold) return "the same";
  if (share >= 1) return fmt::format("{:.3g} times as long", 1 + share);
  return fmt::format("{:.1f} % {}", std::abs(share) * 100, share > 0 ? "more" : "less");
}

/// "1.15 s per iteration"
std::string time_of(const SettledJob& job, const OrderFigures& figures) {
  return fmt::format("{} per {}", to_text(figures.communication), period_of(job.job));
}

bool is_other(const JobOutlook& before, const JobOutlook& after) {
  if (before.fate != after.fate || before.servers != after.servers) return true;
  if (!before.figures || !after.figures) return false;
  return against(before.figures->communication, after.figures->communication) != "the same";
}

std::string binding(const OrderFigures& figures) {
  if (figures.binding.empty() && !figures.binding_phase.empty()) {
    return fmt::format("none, connections of phase {} wait for their receivers",
                       clean(figures.binding_phase));
  }
  if (figures.binding.empty())
    return figures.communication.count > 0 ? "none, it waits for NVLink" : "nothing is sent";
  return fmt::format("phase {}: {}", clean(figures.binding_phase), clean(figures.binding));
}

std::string blockers_text(std::string_view head, std::span<const Blocker> blockers) {
  std::string text;
  for (const Blocker& blocker : blockers) {
    text += line(head, clean(to_text(blocker)));
    head = "";
  }
  return text;
}

std::string moves_text(const Cluster& cluster, const SettledJob& job, const JobOutlook& outlook) {
  std::string text = line(
      "must move", fmt::format("{} of {} servers' worths of ranks", grouped(outlook.moves.size()),
                               grouped(job.running.servers.size())));
  const std::size_t ranks = job.running.traffic.ranks_per_server;
  for (std::size_t i = 0; i < std::min(kMostMovesTold, outlook.moves.size()); ++i) {
    const auto& [vertex, from, to] = outlook.moves[i];
    text += line(
        "", fmt::format("ranks {}-{} from {} to {}", vertex * ranks, vertex * ranks + ranks - 1,
                        clean(cluster.server(from).name), clean(cluster.server(to).name)));
  }
  if (outlook.moves.size() > kMostMovesTold)
    text += line("", fmt::format("and {} more", outlook.moves.size() - kMostMovesTold));
  return text;
}

/// How the job that was asked about fares; `before` is null for now itself.
std::string asked_text(const WhatIfReport& report, const Outlook* before, const Outlook& outlook) {
  const SettledJob& job = report.jobs[*report.asked];
  const JobOutlook& now = outlook.jobs[*report.asked];
  const JobOutlook* then = before ? &before->jobs[*report.asked] : nullptr;
  std::string text;
  if (now.figures) {
    std::string figures = time_of(job, *now.figures);
    if (then && then->figures)
      figures += ", " + against(then->figures->communication, now.figures->communication);
    text += line("communication", figures);
    if (const std::string overload = overload_text(job.job, now.figures->communication);
        !overload.empty())
      text += line("overload", overload);
    text += line("binding link", binding(*now.figures));
  } else if (now.fate == Fate::Ended) {
    text += line("ended", "");
  } else {
    text += blockers_text(now.fate == Fate::Stuck ? "stuck" : "no room", now.blockers);
  }
  if (now.fate == Fate::Moves) text += moves_text(report.cluster, job, now);
  if (!outlook.anew) return text;
  if (const auto* refusal = std::get_if<NoFit>(&*outlook.anew))
    return text + blockers_text("no room anew", refusal->blockers);
  const auto& anew = std::get<OrderFigures>(*outlook.anew);
  std::string figures = time_of(job, anew);
  if (now.figures) {
    const std::string than = against(now.figures->communication, anew.communication);
    figures += ", " + than + (than == "the same" ? " as kept" : " than kept");
  }
  return text + line("placed anew", figures);
}

std::string other_job(const WhatIfReport& report, const JobOutlook& before, const JobOutlook& after,
                      std::size_t index) {
  const std::string name = clean(report.jobs[index].running.name);
  if (after.fate == Fate::Ended) return line("ended", name);
  if (!after.figures) {
    return line(after.fate == Fate::Stuck ? "stuck" : "stopped", name) +
           blockers_text("", after.blockers);
  }
  std::string figures = time_of(report.jobs[index], *after.figures);
  if (before.figures) {
    figures += ", " + against(before.figures->communication, after.figures->communication);
  }
  std::string text = line(before.figures ? "" : "goes on", fmt::format("{}: {}", name, figures));
  if (after.fate == Fate::Moves) text += moves_text(report.cluster, report.jobs[index], after);
  return text;
}

std::string harm_text(const Harm& harm, bool differs) {
  std::string text;
  const auto add = [&](double gpus, std::string_view bad, std::string_view good) {
    if (std::abs(gpus) < 0.05) return;
    if (!text.empty()) text += ", ";
    text += fmt::format("{:.{}f} GPUs {}", std::abs(gpus), gpus == std::floor(gpus) ? 0 : 1,
                        gpus > 0 ? bad : good);
  };
  add(static_cast<double>(harm.stopped_gpus), "stand still", "go on");
  add(static_cast<double>(harm.interrupted_gpus), "are interrupted", "are not interrupted");
  add(harm.lost_gpus, "worth of work lost", "worth of work gained");
  if (!text.empty()) return text;
  return differs ? "together worth less than a tenth of a GPU" : "nothing changes for any";
}

/// Jobs that are hit, and of which only that is known.
std::string mute_text(const Outlook& outlook) {
  std::string text;
  for (const MuteJob& job : outlook.mute) {
    text += line("is hit", fmt::format("{}, on {}; what it sends is unknown", clean(job.name),
                                       counted(job.gpus, "GPU")));
  }
  return text;
}

std::string answer_text(const WhatIfReport& report, const WhatIfAnswer& answer) {
  std::string text = clean(answer.changes) + "\n";
  if (report.asked) text += asked_text(report, &report.now, answer.outlook);
  std::string others;
  for (std::size_t index = 0; index < report.jobs.size(); ++index) {
    const JobOutlook& before = report.now.jobs[index];
    const JobOutlook& after = answer.outlook.jobs[index];
    if (index != report.asked && is_other(before, after))
      others += other_job(report, before, after, index);
  }
  others += mute_text(answer.outlook);
  if (report.asked && others.empty()) return text;
  return text + others + line("all jobs", harm_text(answer.harm, !others.empty()));
}

/// "llama: 431 ms -> 467 ms": the job that is hit hardest, or helped most.
std::string worst_hit(const WhatIfReport& report, const WhatIfAnswer& answer) {
  double most = 0;
  std::string text;
  for (std::size_t index = 0; index < report.jobs.size(); ++index) {
    const JobOutlook& before = report.now.jobs[index];
    const JobOutlook& after = answer.outlook.jobs[index];
    const SettledJob& job = report.jobs[index];
    if (after.fate == Fate::Ended || !is_other(before, after)) continue;
    const auto gpus = static_cast<double>(job.running.traffic.ranks);
    const bool both = before.figures && after.figures;
    double weight = gpus;
    if (both) {
      weight = gpus * std::abs(lost_share(before.figures->communication,
                                          after.figures->communication, job.running.iteration));
    }
    if (after.fate == Fate::Moves && before.fate != Fate::Moves) weight = std::max(weight, gpus);
    if (!after.figures) weight = 2 * gpus;
    if (weight <= most && !text.empty()) continue;
    most = weight;
    text = clean(job.running.name) + ": ";
    text += (before.figures ? to_text(before.figures->communication) : "stands still") + " -> " +
            (after.figures ? to_text(after.figures->communication) : "stands still");
    if (!after.moves.empty()) text += ", moves";
  }
  if (text.empty() && !answer.outlook.mute.empty())
    text = clean(answer.outlook.mute.front().name) + " is hit; what it sends is unknown";
  return text;
}

/// Answers that say the same of all jobs, by the first question of each.
struct Alike {
  std::string figures;
  std::string hit;
  std::string first;
  std::size_t questions = 0;
};

std::vector<Alike> alike_answers(const WhatIfReport& report) {
  std::vector<Alike> groups;
  for (const WhatIfAnswer& answer : report.answers) {
    const auto& [stopped, interrupted, lost] = answer.harm;
    std::string figures = fmt::format("{:>8} {:>12} {:>10.1f}", stopped, interrupted,
                                      std::abs(lost) < 0.05 ? 0.0 : lost);
    std::string hit = worst_hit(report, answer);
    const bool as_before =
        !groups.empty() && groups.back().figures == figures && groups.back().hit == hit;
    if (!as_before)
      groups.push_back({std::move(figures), std::move(hit), clean(answer.changes), 0});
    ++groups.back().questions;
  }
  return groups;
}

std::string row(const Alike& alike) {
  std::string text = fmt::format("{}  {}", alike.figures, alike.first);
  if (alike.questions > 1) text += fmt::format(" and {} alike", grouped(alike.questions - 1));
  text += '\n';
  if (!alike.hit.empty()) text += fmt::format("{:34}{}\n", "", alike.hit);
  return text;
}

std::string each_text(const WhatIfReport& report, std::size_t most) {
  std::string text =
      fmt::format("{}, for each {}, {} first\n", counted(report.answers.size(), "question"),
                  clean(*report.each), is_to_help(*report.each) ? "most helpful" : "worst");
  if (report.answers.empty())
    return text + (*report.each == "failure" ? "nothing is broken\n" : "none can touch a job\n");
  text += " stopped  interrupted  lost work  in GPUs\n";
  const std::vector<Alike> groups = alike_answers(report);
  const bool all = groups.size() <= 2 * most;
  for (std::size_t i = 0; i < (all ? groups.size() : most); ++i) text += row(groups[i]);
  if (all) return text;
  std::size_t between = 0;
  for (std::size_t i = most; i < groups.size() - most; ++i) between += groups[i].questions;
  text += fmt::format("     and {} between, then the least {}\n", grouped(between),
                      is_to_help(*report.each) ? "helpful" : "harmful");
  for (std::size_t i = groups.size() - most; i < groups.size(); ++i) text += row(groups[i]);
  return text;
}

std::string head_text(const WhatIfReport& report) {
  std::string text;
  if (report.asked) {
    const SettledJob& job = report.jobs[*report.asked];
    text =
        fmt::format("{}: {}", clean(job.running.name), counted(job.running.traffic.ranks, "rank"));
    if (report.jobs.size() > 1)
      text += fmt::format(", beside {}", counted(report.jobs.size() - 1, "job"));
  } else {
    std::size_t ranks = 0;
    for (const SettledJob& job : report.jobs) ranks += job.running.traffic.ranks;
    text = fmt::format("{} of {}", counted(report.jobs.size(), "job"), counted(ranks, "rank"));
  }
  if (report.mute_jobs > 0)
    text += fmt::format(" and {} whose traffic is unknown", grouped(report.mute_jobs));
  return text + ", " + describe(report.routing) + "\n";
}

/// Empty where the job names its model.
std::string model_line(const SettledJob& job) {
  const std::string assumed = assumed_model_text(job.job);
  return assumed.empty() ? assumed : line("model", assumed);
}

std::string now_text(const WhatIfReport& report) {
  std::string text = "now\n";
  if (report.asked)
    text += model_line(report.jobs[*report.asked]) + asked_text(report, nullptr, report.now);
  for (std::size_t index = 0; index < report.jobs.size(); ++index) {
    const JobOutlook& job = report.now.jobs[index];
    const std::string name = clean(report.jobs[index].running.name);
    // Beside the one that is asked about only those that do not simply go on are told.
    if (index == report.asked || (report.asked && job.fate == Fate::Stays)) continue;
    if (job.figures) {
      text += line("", name + ": " + time_of(report.jobs[index], *job.figures));
      if (!report.asked) text += line("", binding(*job.figures));
    } else {
      text += line("", name + ": stands still") + blockers_text("", job.blockers);
    }
    if (job.fate == Fate::Moves) text += moves_text(report.cluster, report.jobs[index], job);
    if (!report.asked) text += model_line(report.jobs[index]);
  }
  return text + mute_text(report.now);
}

}  // namespace

std::string write_what_if_text(const WhatIfReport& report, std::size_t most) {
  std::string text = head_text(report) + now_text(report);
  if (report.each) return text + each_text(report, most);
  for (const WhatIfAnswer& answer : report.answers) text += answer_text(report, answer);
  return text;
}

}  // namespace zonecut
