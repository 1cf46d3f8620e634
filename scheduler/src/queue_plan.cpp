#include "zonecut/scheduler/queue_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "zonecut/base/error.hpp"
#include "zonecut/scheduler/step_order.hpp"

namespace zonecut {
namespace {

using Time = std::int64_t;
using Servers = std::vector<ServerId>;

constexpr Time kNever = std::numeric_limits<Time>::max() / 4;

/// When plans of jobs in front want a server.
struct Claim {
  Time from = kNever;
  Time until = 0;
};

QueuePlan kept(const WaitingJob& job, Time begin) {
  QueuePlan plan;
  plan.kind = PlanKind::Keep;
  plan.servers = job.planned;
  plan.begin = begin;
  return plan;
}

QueuePlan without_servers(PlanKind kind, std::string why) {
  QueuePlan plan;
  plan.kind = kind;
  plan.why = std::move(why);
  return plan;
}

class Planner {
 public:
  Planner(const QueueState& state, const QueueOptions& options)
      : state_(state), options_(options), claims_(state.view.cluster->server_count()) {}

  QueuePlan plan(const WaitingJob& job) {
    ZONECUT_ENSURES(job.servers >= 1);
    if (job.eligible.size() < job.servers) {
      return without_servers(PlanKind::TooFew, fmt::format("needs {} servers, and {} may take it",
                                                           job.servers, job.eligible.size()));
    }
    const Servers now = usable_now(job);
    QueuePlan made = now.size() >= job.servers ? plan_now(job, now) : plan_later(job);
    if (job.claims) claim(made, job);
    return made;
  }

 private:
  [[nodiscard]] bool all_among(const Servers& servers, const Servers& others) const {
    IdMap<ServerId, std::uint8_t> is_other(claims_.size(), 0);
    for (const ServerId server : others) is_other[server] = 1;
    return std::all_of(servers.begin(), servers.end(),
                       [&](ServerId s) { return is_other[s] != 0; });
  }

  /// Free, and not wanted by a job in front before this one has ended.
  [[nodiscard]] Servers usable_now(const WaitingJob& job) const {
    Servers usable;
    std::copy_if(job.free.begin(), job.free.end(), std::back_inserter(usable),
                 [&](ServerId s) { return state_.now + job.limit <= claims_[s].from; });
    return usable;
  }

  /// When a job can have the server, behind those in front.
  [[nodiscard]] Time ready(ServerId server) const {
    return std::max({state_.now, state_.free_at[server], claims_[server].until});
  }

  QueuePlan plan_now(const WaitingJob& job, const Servers& usable) {
    if (job.planned.size() == job.servers && all_among(job.planned, usable))
      return kept(job, state_.now);
    return choose(job, usable, state_.now);
  }

  QueuePlan plan_later(const WaitingJob& job) {
    std::vector<Time> times;
    times.reserve(job.eligible.size());
    for (const ServerId server : job.eligible) times.push_back(ready(server));
    const auto last = times.begin() + static_cast<std::ptrdiff_t>(job.servers) - 1;
    std::nth_element(times.begin(), last, times.end());
    const Time soonest = *last;
    if (const auto begin = begin_of(job.planned, job);
        begin && *begin <= soonest + options_.patience) {
      return kept(job, *begin);
    }
    Servers candidates;
    std::copy_if(job.eligible.begin(), job.eligible.end(), std::back_inserter(candidates),
                 [&](ServerId server) { return ready(server) <= soonest + options_.patience; });
    QueuePlan plan = choose(job, candidates, soonest);
    for (const ServerId server : plan.servers) plan.begin = std::max(plan.begin, ready(server));
    return plan;
  }

  /// When a plan made before can begin; none where it cannot.
  [[nodiscard]] std::optional<Time> begin_of(const Servers& planned, const WaitingJob& job) const {
    if (planned.size() != job.servers || !all_among(planned, job.eligible)) return std::nullopt;
    Time begin = state_.now;
    for (const ServerId server : planned) begin = std::max(begin, ready(server));
    return begin;
  }

  QueuePlan choose(const WaitingJob& job, const Servers& candidates, Time begin) {
    if (plans_ == options_.most_plans) return without_servers(PlanKind::Later, {});
    ++plans_;
    const ClusterView view = vacated(candidates);
    try {
      auto result = choose_servers(view, state_.fabric, job.job,
                                   {candidates, job.servers, std::nullopt}, options_.placement);
      if (auto* placement = std::get_if<Placement>(&result)) {
        QueuePlan plan;
        plan.kind = PlanKind::New;
        plan.servers = std::move(placement->servers);
        plan.begin = begin;
        plan.cross_zone = placement->prediction.cross_zone;
        plan.communication = placement->prediction.communication;
        return plan;
      }
      return without_servers(PlanKind::None, to_text(std::get<NoFit>(result).blockers.front()));
    } catch (const InputError& error) {
      return without_servers(PlanKind::None, to_text(error.problems().front()));
    }
  }

  /// The view when what runs on these servers now has ended.
  [[nodiscard]] ClusterView vacated(const Servers& servers) const {
    ClusterView view = state_.view;
    for (const ServerId server : servers) {
      view.health.servers[server] = ServerHealth::Up;
      for (int gpu = 0; gpu < view.cluster->server(server).gpus; ++gpu)
        view.occupancy.release({server, gpu});
    }
    return view;
  }

  void claim(const QueuePlan& plan, const WaitingJob& job) {
    for (const ServerId server : plan.servers) {
      Claim& claim = claims_[server];
      claim.from = std::min(claim.from, plan.begin);
      claim.until = std::max(claim.until, plan.begin + job.limit);
    }
  }

  const QueueState& state_;
  const QueueOptions& options_;
  IdMap<ServerId, Claim> claims_;
  std::size_t plans_ = 0;
};

}  // namespace

std::vector<QueuePlan> plan_queue(const QueueState& state, const std::vector<WaitingJob>& jobs,
                                  const QueueOptions& options) {
  std::vector<std::size_t> order(jobs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_partition(order.begin(), order.end(), [&](std::size_t i) { return jobs[i].claims; });
  std::vector<QueuePlan> plans(jobs.size());
  Planner planner(state, options);
  for (const std::size_t i : order) plans[i] = planner.plan(jobs[i]);
  return plans;
}

}  // namespace zonecut
