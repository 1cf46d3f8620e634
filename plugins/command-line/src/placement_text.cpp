#include "placement_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "zonecut/base/counts.hpp"
#include "zonecut/base/hostlist.hpp"
#include "zonecut/scheduler/period.hpp"
#include "zonecut/scheduler/slowest_phase.hpp"

namespace zonecut::cli {
namespace {

std::string bound_text(const Placement& placement) {
  if (!placement.lower_bound) return "no bound is known for this traffic";
  std::string text = fmt::format("at least {}", to_text(*placement.lower_bound));
  // Percentages of more than 100 are hard to read.
  if (placement.gap && *placement.gap <= 1)
    text += fmt::format(", {:.1f} % above it", *placement.gap * 100);
  if (placement.gap && *placement.gap > 1)
    text += fmt::format(", and {:.3g} times as much is sent", 1 + *placement.gap);
  if (!placement.bound_method.empty())
    text += fmt::format(" ({})", in_ascii(placement.bound_method));
  return text;
}

std::size_t different_servers(const Placement& placement) {
  return std::set<ServerId>(placement.servers.begin(), placement.servers.end()).size();
}

/// What a job takes of one zone. A server with room for several places stands once.
struct ZoneShare {
  std::vector<std::string> servers;  ///< in the order of their first rank
  std::size_t places = 0;
};

std::map<DomainId, ZoneShare> shares_of(const Cluster& cluster, const Placement& placement) {
  std::map<DomainId, ZoneShare> shares;
  std::set<ServerId> seen;
  for (const ServerId server : placement.servers) {
    ZoneShare& share = shares[cluster.domain_of(server, cluster.zone_level())];
    ++share.places;
    if (seen.insert(server).second) share.servers.push_back(cluster.server(server).name);
  }
  return shares;
}

/// One host list; or, where a name cannot stand in one, one name a line.
std::string list_of(const std::vector<std::string>& names) {
  if (std::all_of(names.begin(), names.end(), is_host_name)) {
    return fmt::format("  {}\n", compress_hostlist(names));
  }
  std::string text;
  for (const std::string& name : names) text += fmt::format("  {}\n", name);
  return text;
}

/// The links that bind the slowest phase which waits for any; one that waits longer for NVLink is
/// said.
std::string binding_text(const PlacementProblem& problem, const Prediction& prediction) {
  if (prediction.binding_phase >= prediction.phases.size()) return "nothing is sent";
  const PhasePrediction& longest = prediction.phases[prediction.binding_phase];
  const PhasePrediction* slowest = slowest_outside(prediction.phases);
  if (!slowest && waits_for_receivers(longest))
    return fmt::format("none, connections of phase {} wait for their receivers", longest.name);
  if (!slowest) return fmt::format("none, phase {} waits for NVLink", longest.name);
  std::string text = fmt::format("phase {}: ", slowest->name);
  if (waits_for_receivers(*slowest)) {
    text += "none, connections wait for their receivers";
  } else {
    text += bundle_name(problem.fabric, slowest->binding->bundle);
  }
  if (longest.exposed > slowest->exposed) {
    text += fmt::format("\n               phase {} takes longer, {} of {}, over NVLink",
                        longest.name, to_text(longest.exposed), to_text(prediction.communication));
  }
  return text;
}

/// Seconds come before bytes: a smaller cut that was found and not chosen.
std::string smaller_cut_text(const Placement& placement) {
  const Candidate* smallest = smallest_cut(placement);
  if (!smallest) return {};
  constexpr double kMostAllowed = 2;  // a tolerance of 100 %
  const auto fastest =
      std::ranges::min_element(placement.candidates, {}, &Candidate::communication);
  const double times = smallest->communication.count / fastest->communication.count;
  return fmt::format("smaller cut    {} was found, but it takes longer: {}{}\n",
                     to_text(smallest->cross_zone), to_text(smallest->communication),
                     times <= kMostAllowed ? "; --time-tolerance allows it" : "");
}

std::string assumption_text(const Job& job) {
  const std::string assumed = assumed_model_text(job);
  return assumed.empty() ? assumed : fmt::format("model          {}\n", assumed);
}

std::string overload_line(const Job& job, const Prediction& prediction) {
  const std::string overload = overload_text(job, prediction.communication);
  return overload.empty() ? overload : fmt::format("overload       {}\n", overload);
}

std::string left_text(const Cluster& cluster, const Leftover& left) {
  const auto zones = static_cast<std::size_t>(cluster.zone_level());
  return fmt::format("left free      {}, {}, at most {} of them in one {}\n",
                     counted(static_cast<std::size_t>(left.free_gpus), "GPU"),
                     counted(static_cast<std::size_t>(left.free_servers), "whole server"),
                     grouped(left.largest_free_block[zones]), cluster.levels()[zones]);
}

}  // namespace

std::string in_ascii(std::string_view method) {
  constexpr std::string_view kTimes = "\xC3\x97";
  std::string text(method);
  for (auto at = text.find(kTimes); at != std::string::npos; at = text.find(kTimes))
    text.replace(at, kTimes.size(), "x");
  return text;
}

std::string metrics_text(const PlacementProblem& problem, const Placement& placement) {
  const Prediction& prediction = placement.prediction;
  std::string text;
  text += fmt::format("job            {}: {} on {}\n", problem.job.name,
                      counted(problem.traffic.ranks, "rank"),
                      counted(different_servers(placement), "server"));
  text += assumption_text(problem.job);
  text += fmt::format("between zones  {} per {}\n", to_text(prediction.cross_zone),
                      period_of(problem.job));
  text += fmt::format("lower bound    {}\n", bound_text(placement));
  text += smaller_cut_text(placement);
  text += fmt::format("communication  {} per {}, predicted with {}\n",
                      to_text(prediction.communication), period_of(problem.job),
                      describe(prediction.routing));
  text += overload_line(problem.job, prediction);
  if (prediction.communication > prediction.undisturbed)
    text += fmt::format("undisturbed    {}\n", to_text(prediction.undisturbed));
  text += fmt::format("binding link   {}\n", binding_text(problem, prediction));
  text += fmt::format("cost J         {}, bytes weighted by how far they go\n",
                      grouped(placement.cost));
  text += left_text(*problem.view.cluster, placement.leftover);
  for (const Disturbance& job : placement.disturbed) {
    if (job.beside <= job.alone) continue;
    text += fmt::format("disturbs       {}: {} per {}, {} without this job\n", job.job,
                        to_text(job.beside), period_word(job.served), to_text(job.alone));
  }
  return text;
}

std::string servers_text(const PlacementProblem& problem, const Placement& placement) {
  const Cluster& cluster = *problem.view.cluster;
  std::string text;
  for (const auto& [zone, share] : shares_of(cluster, placement)) {
    text += fmt::format("{}: {}", cluster.path(zone), counted(share.servers.size(), "server"));
    if (share.places > share.servers.size()) {
      text += fmt::format(", {} of {} each", counted(share.places, "place"),
                          counted(problem.traffic.ranks_per_server, "rank"));
    }
    text += "\n" + list_of(share.servers);
  }
  return text;
}

std::string refusal_text(const NoFit& refusal, std::string_view what) {
  std::string text = fmt::format("zonecut: {}\n", what);
  for (const Blocker& blocker : refusal.blockers) {
    text += fmt::format("  {}\n", to_text(blocker));
    if (!blocker.nearest.empty()) text += fmt::format("    nearest: {}\n", blocker.nearest);
  }
  return text;
}

}  // namespace zonecut::cli
