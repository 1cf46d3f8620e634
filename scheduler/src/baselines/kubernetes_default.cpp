#include "baselines/kubernetes_default.hpp"

#include <algorithm>
#include <cmath>

#include "zonecut/base/random.hpp"

namespace zonecut {
namespace {

// Of kube-scheduler 1.36, pkg/scheduler: schedule_one.go, apis/config/v1/default_plugins.go, and
// of framework/plugins podtopologyspread/{plugin,scoring}.go and noderesources/least_allocated.go.
constexpr std::int64_t kMostScore = 100;
constexpr std::int64_t kSpreadWeight = 2;
constexpr std::int64_t kSkewOfServers = 3;
constexpr std::int64_t kSkewOfZones = 5;
constexpr std::size_t kLeastSample = 100;

/// All servers in the order of its node tree: the first of every zone, then the second of every
/// zone, …
std::vector<ServerId> zone_by_zone_in_turns(const Cluster& cluster) {
  const std::span<const DomainId> zones = cluster.domains_at(cluster.zone_level());
  std::vector<ServerId> servers;
  servers.reserve(cluster.server_count());
  for (std::size_t turn = 0; servers.size() < cluster.server_count(); ++turn) {
    for (const DomainId zone : zones) {
      const Domain& domain = cluster.domain(zone);
      if (turn < domain.server_count) servers.emplace_back(domain.first_server + turn);
    }
  }
  return servers;
}

class DefaultProfile {
 public:
  DefaultProfile(const ClusterView& view, Room room, std::size_t gpus_each, std::uint64_t seed)
      : cluster_(*view.cluster),
        room_(std::move(room)),
        gpus_each_(static_cast<std::int64_t>(gpus_each)),
        random_(seed),
        servers_(zone_by_zone_in_turns(cluster_)),
        enough_(kubernetes_sample(servers_.size())),
        // Where the pods that came before have left off is anybody's guess.
        start_(random_.below(servers_.size())),
        zone_of_(servers_.size()),
        held_(servers_.size(), 0),
        pods_on_(servers_.size(), 0),
        pods_in_(cluster_.domains_at(cluster_.zone_level()).size(), 0),
        seen_(pods_in_.size(), 0) {
    for (const ServerId server : servers_) {
      zone_of_[server] =
          cluster_.position_in_level(cluster_.domain_of(server, cluster_.zone_level()));
      for (int gpu = 0; gpu < cluster_.server(server).gpus; ++gpu)
        held_[server] += view.occupancy.holder({server, gpu}).has_value() ? 1 : 0;
    }
  }

  /// Of the next pod; none: no server has room.
  std::optional<ServerId> schedule() {
    find_feasible();
    if (feasible_.empty()) return std::nullopt;
    const ServerId chosen = best();
    --room_[chosen];
    held_[chosen] += gpus_each_;
    ++pods_on_[chosen];
    ++pods_in_[zone_of_[chosen]];
    return chosen;
  }

 private:
  /// Servers with room from where the last search ended, until there are enough.
  void find_feasible() {
    feasible_.clear();
    std::size_t looked_at = 0;
    for (; looked_at < servers_.size() && feasible_.size() < enough_; ++looked_at) {
      const ServerId server = servers_[(start_ + looked_at) % servers_.size()];
      if (room_[server] > 0) feasible_.push_back(server);
    }
    start_ = (start_ + looked_at) % servers_.size();
  }

  [[nodiscard]] std::size_t zones_of_feasible() {
    std::fill(seen_.begin(), seen_.end(), 0);
    for (const ServerId server : feasible_) seen_[zone_of_[server]] = 1;
    return static_cast<std::size_t>(std::count(seen_.begin(), seen_.end(), 1));
  }

  /// PodTopologySpread before it is normalised: how crowded the server and its zone are with pods
  /// of the job.
  [[nodiscard]] std::int64_t crowd(ServerId server, double weight_of_servers,
                                   double weight_of_zones) const {
    double crowd = static_cast<double>(pods_on_[server]) * weight_of_servers +
                   static_cast<double>(kSkewOfServers - 1);
    crowd += static_cast<double>(pods_in_[zone_of_[server]]) * weight_of_zones +
             static_cast<double>(kSkewOfZones - 1);
    return std::llround(crowd);
  }

  /// NodeResourcesFit by LeastAllocated, with the pod: the share of processors and of memory, which
  /// are taken as GPUs are, that stays free.
  [[nodiscard]] std::int64_t left(ServerId server) const {
    const std::int64_t all = cluster_.server(server).gpus;
    const std::int64_t taken = held_[server] + gpus_each_;
    return taken > all ? 0 : (all - taken) * kMostScore / all;
  }

  /// The highest sum of scores, one of them at random.
  ServerId best() {
    const double of_servers = std::log(static_cast<double>(feasible_.size() + 2));
    const double of_zones = std::log(static_cast<double>(zones_of_feasible() + 2));
    crowds_.clear();
    for (const ServerId server : feasible_) crowds_.push_back(crowd(server, of_servers, of_zones));
    const auto [least, most] = std::minmax_element(crowds_.begin(), crowds_.end());
    std::int64_t highest = -1;
    best_.clear();
    for (std::size_t i = 0; i < feasible_.size(); ++i) {
      const std::int64_t apart = kMostScore * (*most + *least - crowds_[i]) / *most;
      const std::int64_t score = left(feasible_[i]) + kSpreadWeight * apart;
      if (score > highest) best_.clear();
      highest = std::max(highest, score);
      if (score == highest) best_.push_back(feasible_[i]);
    }
    return best_[random_.below(best_.size())];
  }

  const Cluster& cluster_;
  Room room_;
  std::int64_t gpus_each_;
  Random random_;
  std::vector<ServerId> servers_;
  std::size_t enough_;
  std::size_t start_;
  IdMap<ServerId, std::size_t> zone_of_;
  IdMap<ServerId, std::int64_t> held_;
  IdMap<ServerId, std::int64_t> pods_on_;  ///< of the job
  std::vector<std::int64_t> pods_in_;      ///< by zone
  std::vector<char> seen_;
  std::vector<ServerId> feasible_;
  std::vector<std::int64_t> crowds_;
  std::vector<ServerId> best_;
};

}  // namespace

std::size_t kubernetes_sample(std::size_t servers) {
  if (servers < kLeastSample) return servers;
  constexpr std::size_t kLeastPercent = 5;
  const std::size_t fewer = servers / 125;
  const std::size_t percent = fewer > 50 - kLeastPercent ? kLeastPercent : 50 - fewer;
  return std::max(kLeastSample, servers * percent / 100);
}

std::optional<std::vector<ServerId>> kubernetes_default(const ClusterView& view, Room room,
                                                        std::size_t pods, std::size_t gpus_each,
                                                        std::uint64_t seed) {
  DefaultProfile profile(view, std::move(room), gpus_each, seed);
  std::vector<ServerId> servers;
  while (servers.size() < pods) {
    const std::optional<ServerId> server = profile.schedule();
    if (!server) return std::nullopt;
    servers.push_back(*server);
  }
  return servers;
}

}  // namespace zonecut
