// How each job of a setting fares: who must move and where to, and what everybody then sends.
#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "parted.hpp"
#include "room.hpp"
#include "what_if/side_by_side.hpp"
#include "what_if/view_of.hpp"
#include "zonecut/base/error.hpp"
#include "zonecut/scheduler/what_if.hpp"

namespace zonecut {
namespace {

bool moves_server_by_server(const Constraints& constraints) {
  return constraints.slices.empty() && !constraints.spread && !constraints.only;
}

std::vector<RankMove> moves_between(std::span<const ServerId> before,
                                    std::span<const ServerId> after) {
  std::vector<RankMove> moves;
  for (std::size_t v = 0; v < before.size(); ++v) {
    if (before[v] != after[v]) moves.push_back({v, before[v], after[v]});
  }
  return moves;
}

class Looking {
 public:
  Looking(const Setting& setting, std::span<const SettledJob> jobs, const LookOptions& options)
      : setting_(setting),
        jobs_(jobs),
        options_(options),
        cluster_(*setting.view.cluster),
        view_(view_of(setting)),
        fabric_(std::make_shared<const Fabric>(
            Fabric::build(cluster_, setting.fabric, setting.view.health))),
        reach_(reach_over(*fabric_, 0)) {}

  /// `before` is of the same jobs in another setting, or null.
  std::pair<Outlook, SideBySide> look(const SideBySide* before) {
    for (const SettledJob& job : jobs_) outlook_.jobs.push_back(settled(job));
    for (const std::size_t index : displaced_) saying_whose(index, [&] { move(index); });
    for (const std::size_t index : waiting_) saying_whose(index, [&] { begin(index); });
    predict_all(before);
    find_mute();
    if (options_.anew && outlook_.jobs[*options_.anew].fate != Fate::Ended)
      place_anew(*options_.anew);
    return {std::move(outlook_), std::move(together_)};
  }

 private:
  JobOutlook settled(const SettledJob& job) {
    JobOutlook outlook;
    if (std::ranges::binary_search(setting_.ended, job.id)) {
      outlook.fate = Fate::Ended;
      return outlook;
    }
    if (job.running.servers.empty()) {
      waiting_.push_back(outlook_.jobs.size());
      return outlook;
    }
    outlook.servers = job.running.servers;
    if (must_move(job)) displaced_.push_back(outlook_.jobs.size());
    return outlook;
  }

  /// Whether it loses servers, GPUs that it holds, or the way to some of its own.
  [[nodiscard]] bool must_move(const SettledJob& job) const {
    const std::vector<ServerId>& servers = job.running.servers;
    const auto loses = [&](ServerId server) {
      return setting_.view.health.servers[server] == ServerHealth::Down ||
             std::ranges::binary_search(setting_.emptied, server);
    };
    const auto loses_gpu = [&](GpuId gpu) { return view_.occupancy.holder(gpu) == job.id; };
    if (std::ranges::any_of(servers, loses) ||
        std::ranges::any_of(view_.health.failed_gpus, loses_gpu))
      return true;
    return is_parted(job);
  }

  [[nodiscard]] bool is_parted(const SettledJob& job) const {
    const std::vector<ServerId>& servers = job.running.servers;
    int common = cluster_.rack_level() + 1;
    for (const ServerId server : servers) {
      if (server != servers.front())
        common = std::min(common, cluster_.common_level(servers.front(), server));
    }
    // Who reaches that far is cut off from nobody; who does not may have nothing to send there.
    return std::ranges::any_of(servers, [&](ServerId server) { return reach_[server] > common; }) &&
           parted(*fabric_, job.running.traffic, servers, job.running.served).has_value();
  }

  /// A mistake in what some other job asks for is not one of the job that was asked about.
  template <class Work>
  void saying_whose(std::size_t index, const Work& work) const {
    try {
      work();
    } catch (const InputError& error) {
      if (index == options_.asked) throw;
      std::vector<Problem> problems = error.problems();
      for (Problem& problem : problems) {
        problem.what = problem.where + ": " + problem.what;
        problem.where = "job " + jobs_[index].running.name;
      }
      throw InputError(std::move(problems));
    }
  }

  /// Whether every server of the job has healthy GPUs left for its ranks.
  [[nodiscard]] static bool has_its_servers(const ClusterView& open, const SettledJob& job) {
    std::map<ServerId, std::size_t> needed;
    for (const ServerId server : job.running.servers)
      needed[server] += job.running.traffic.ranks_per_server;
    return std::ranges::all_of(needed, [&](const auto& entry) {
      return static_cast<std::size_t>(open.usable_gpu_count(entry.first)) >= entry.second;
    });
  }

  /// A job that waits is placed once those that run have their servers.
  void begin(std::size_t index) {
    const SettledJob& job = jobs_[index];
    const PlacementProblem problem = pose(view_, *fabric_, job.job, job.constraints,
                                          {.routing = setting_.routing, .proof = Proof::None});
    settle_in(outlook_.jobs[index], job, Fate::Begins,
              place(problem, job.constraints, options_.placement));
  }

  void settle_in(JobOutlook& outlook, const SettledJob& job, Fate fate, PlacementResult result) {
    if (auto* refusal = std::get_if<NoFit>(&result)) {
      outlook.fate = Fate::Stopped;
      outlook.servers.clear();
      outlook.blockers = std::move(refusal->blockers);
      return;
    }
    const auto& placement = std::get<Placement>(result);
    for (const GpuId gpu : placement.gpus) view_.occupancy.hold(job.id, gpu);
    outlook.servers = placement.servers;
    outlook.fate = fate;
    if (fate == Fate::Begins) return;
    outlook.moves = moves_between(job.running.servers, placement.servers);
    if (outlook.moves.empty()) outlook.fate = Fate::Stays;
  }

  void move(std::size_t index) {
    const SettledJob& job = jobs_[index];
    const std::vector<GpuId> held = view_.occupancy.held(job.id);
    for (const GpuId gpu : held) view_.occupancy.release(gpu);
    const ClusterView open = where_it_may_run(job);
    if (has_its_servers(open, job) && !is_parted(job)) {  // what failed on them is not missed
      for (const GpuId gpu : held) view_.occupancy.hold(job.id, gpu);
      return;
    }
    const PlacementProblem problem = pose(open, *fabric_, job.job, job.constraints,
                                          {.routing = setting_.routing, .proof = Proof::None});
    settle_in(outlook_.jobs[index], job, Fate::Moves, moved(problem, job, held));
  }

  /// Server by server where it can go on so, else as a whole.
  [[nodiscard]] PlacementResult moved(const PlacementProblem& problem, const SettledJob& job,
                                      std::span<const GpuId> held) const {
    if (moves_server_by_server(job.constraints)) {
      PlacementResult kept = keep(problem, job.constraints, job.running.servers,
                                  {.tolerance = options_.placement.tolerance}, held);
      if (std::holds_alternative<Placement>(kept)) return kept;
    }
    return place(problem, job.constraints, options_.placement);
  }

  /// Jobs that lose servers or GPUs, and of which nobody knows what they send.
  void find_mute() {
    std::map<JobId, MuteJob> mute;
    const auto is_known = [&](JobId id) {
      return std::ranges::count(jobs_, id, &SettledJob::id) > 0;
    };
    std::map<JobId, bool> known;
    for (const ServerId server : cluster_.server_ids()) {
      const bool lost = setting_.view.health.servers[server] == ServerHealth::Down ||
                        std::ranges::binary_search(setting_.emptied, server);
      for (int gpu = 0; gpu < cluster_.server(server).gpus; ++gpu) {
        const auto holder = setting_.view.occupancy.holder({server, gpu});
        if (!holder) continue;
        const auto [entry, is_new] = known.try_emplace(*holder, false);
        if (is_new) entry->second = is_known(*holder);
        if (entry->second) continue;
        MuteJob& job = mute[*holder];
        ++job.gpus;
        job.is_hit |= lost || setting_.view.health.has_failed({server, gpu});
      }
    }
    for (auto& [id, job] : mute) {
      if (!job.is_hit) continue;
      job.name = setting_.view.occupancy.job_name(id);
      outlook_.mute.push_back(std::move(job));
    }
  }

  /// Ranks on servers that are drained, but not to be emptied, stay there; nobody comes to them, as
  /// if the GPUs that nobody held had failed.
  [[nodiscard]] ClusterView where_it_may_run(const SettledJob& job) const {
    ClusterView open = view_;
    std::vector<GpuId>& failed = open.health.failed_gpus;
    for (const ServerId server : job.running.servers) {
      ServerHealth& health = open.health.servers[server];
      if (health != ServerHealth::Drained || std::ranges::binary_search(setting_.emptied, server))
        continue;
      health = ServerHealth::Up;
      for (int gpu = 0; gpu < cluster_.server(server).gpus; ++gpu) {
        const GpuId id{server, gpu};
        if (!setting_.view.occupancy.holder(id)) failed.push_back(id);
      }
    }
    std::ranges::sort(failed);
    failed.erase(std::unique(failed.begin(), failed.end()), failed.end());
    return open;
  }

  void predict_all(const SideBySide* before) {
    std::vector<std::vector<ServerId>> servers;
    for (const JobOutlook& outlook : outlook_.jobs) servers.push_back(outlook.servers);
    together_ = side_by_side(fabric_, setting_.routing, jobs_, servers, before);
    for (std::size_t i = 0; i < jobs_.size(); ++i) {
      if (!together_.figures[i]) continue;
      if (const auto* refusal = std::get_if<NoFit>(&*together_.figures[i])) {
        stick(outlook_.jobs[i], *refusal);
      } else {
        outlook_.jobs[i].figures = std::get<OrderFigures>(*together_.figures[i]);
      }
    }
  }

  static void stick(JobOutlook& outlook, NoFit refusal) {
    outlook.fate = Fate::Stuck;
    outlook.moves.clear();
    outlook.blockers = std::move(refusal.blockers);
  }

  void place_anew(std::size_t index) {
    const SettledJob& job = jobs_[index];
    for (const GpuId gpu : view_.occupancy.held(job.id)) view_.occupancy.release(gpu);
    const PlacementProblem problem =
        pose(view_, *fabric_, job.job, job.constraints,
             {.routing = setting_.routing, .beside = others(index), .proof = Proof::None});
    PlacementResult result = place(problem, job.constraints, options_.placement);
    if (auto* refusal = std::get_if<NoFit>(&result)) {
      outlook_.anew = std::move(*refusal);
    } else {
      outlook_.anew = figures_of(*fabric_, std::get<Placement>(result).prediction);
    }
  }

  [[nodiscard]] std::vector<RunningTraffic> others(std::size_t index) const {
    std::vector<RunningTraffic> running;
    for (std::size_t i = 0; i < jobs_.size(); ++i) {
      if (i != index && together_.senders[i]) running.push_back(*together_.senders[i]->running);
    }
    return running;
  }

  const Setting& setting_;
  std::span<const SettledJob> jobs_;
  const LookOptions& options_;
  const Cluster& cluster_;
  ClusterView view_;  // as jobs move
  std::shared_ptr<const Fabric> fabric_;
  Reach reach_;
  Outlook outlook_;
  std::vector<std::size_t> displaced_;  // by index, as the next
  std::vector<std::size_t> waiting_;
  SideBySide together_;
};

}  // namespace

Outlook look(const Setting& setting, std::span<const SettledJob> jobs, const LookOptions& options) {
  return Looking(setting, jobs, options).look(nullptr).first;
}

Lookout::Lookout(const Setting& now, std::span<const SettledJob> jobs, const LookOptions& options)
    : jobs_(jobs) {
  auto [outlook, together] = Looking(now, jobs, options).look(nullptr);
  now_ = std::move(outlook);
  together_ = std::make_unique<const SideBySide>(std::move(together));
}

Lookout::~Lookout() = default;

Outlook Lookout::when(const Setting& changed, const LookOptions& options) const {
  return Looking(changed, jobs_, options).look(together_.get()).first;
}

double lost_share(Seconds before, Seconds after, std::optional<Seconds> iteration) {
  const double whole = std::max(before.count, iteration.value_or(before).count);
  const double longer = whole + after.count - before.count;
  return longer > 0 ? (longer - whole) / longer : 0;
}

Harm harm_of(const Outlook& before, const Outlook& after, std::span<const SettledJob> jobs) {
  const auto stands = [](const JobOutlook& job) {
    return job.fate == Fate::Stuck || job.fate == Fate::Stopped;
  };
  Harm harm;
  for (std::size_t index = 0; index < jobs.size(); ++index) {
    const JobOutlook& then = before.jobs[index];
    const JobOutlook& now = after.jobs[index];
    if (now.fate == Fate::Ended) continue;  // as it was meant
    const auto gpus = static_cast<std::int64_t>(jobs[index].running.traffic.ranks);
    harm.stopped_gpus += gpus * (int{stands(now)} - int{stands(then)});
    if (!stands(now)) {
      harm.interrupted_gpus +=
          gpus * (int{now.fate == Fate::Moves} - int{then.fate == Fate::Moves});
    }
    if (now.figures && then.figures) {
      harm.lost_gpus += static_cast<double>(gpus) * lost_share(then.figures->communication,
                                                               now.figures->communication,
                                                               jobs[index].running.iteration);
    }
  }
  for (const MuteJob& job : after.mute) harm.interrupted_gpus += job.gpus;
  for (const MuteJob& job : before.mute) harm.interrupted_gpus -= job.gpus;
  return harm;
}

}  // namespace zonecut
