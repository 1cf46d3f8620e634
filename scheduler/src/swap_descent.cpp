#include "swap_descent.hpp"

#include <algorithm>

#include "routing/link_times.hpp"
#include "zonecut/scheduler/swap_evaluator.hpp"

namespace zonecut {
namespace {

/// Swaps looked at before the best of them is made, for each of the slowest phases.
constexpr std::size_t kSwapsTried = 64;
/// Less is no gain, and may be rounding.
constexpr double kLeastGain = 1e-6;
/// A link that needs so much longer than its like is uneven.
constexpr double kUneven = 1.005;

double flows_in(const Traffic& traffic) {
  double flows = 0;
  for (const Phase& phase : traffic.phases) {
    for (const Group& group : phase.groups) {
      const double size = group.size;
      flows += group.pattern == Pattern::AllToAll ? size * size : 2 * size;
    }
  }
  return flows;
}

/// Whether some phase waits for links that are busier than their like: of a domain, its level's in
/// the same direction; of a server, one that has lost some.
class Unevenness {
 public:
  explicit Unevenness(const PlacementProblem& problem, const Placement& placement)
      : problem_(problem), placement_(placement) {}

  [[nodiscard]] bool any() const {
    const auto& phases = placement_.prediction.phases;
    return std::any_of(phases.begin(), phases.end(), [&](const PhasePrediction& phase) {
      return phase.binding && phase.exposed.count > 0 && is_uneven(phase.binding->bundle);
    });
  }

 private:
  [[nodiscard]] bool is_uneven(const Bundle& bundle) const {
    const auto* domain = std::get_if<DomainId>(&bundle.below);
    return domain != nullptr ? domains_uneven(problem_.view.cluster->domain(*domain).level)
                             : servers_uneven();
  }

  /// Both directions of all domains of the level that hold part of the job; some may carry nothing.
  [[nodiscard]] bool domains_uneven(int level) const {
    const Cluster& cluster = *problem_.view.cluster;
    std::vector<DomainId> used;
    for (const ServerId server : placement_.servers)
      used.push_back(cluster.domain_of(server, level));
    std::sort(used.begin(), used.end());
    used.erase(std::unique(used.begin(), used.end()), used.end());
    std::vector<double> times;
    for (const BundleLoad& load : placement_.prediction.loads) {
      const auto* domain = std::get_if<DomainId>(&load.bundle.below);
      if (domain != nullptr && cluster.domain(*domain).level == level)
        times.push_back(load.time.count);
    }
    const auto [shortest, longest] = std::minmax_element(times.begin(), times.end());
    return times.size() < 2 * used.size() || *longest > kUneven * *shortest;
  }

  [[nodiscard]] bool servers_uneven() const {
    const auto capacity = [&](ServerId server) {
      return problem_.fabric.injection_capacity(server).count;
    };
    const std::vector<ServerId>& servers = placement_.servers;
    return std::any_of(servers.begin(), servers.end(), [&](ServerId server) {
      return capacity(server) != capacity(servers.front());
    });
  }

  const PlacementProblem& problem_;
  const Placement& placement_;
};

bool keeps_slices(const Cluster& cluster, std::span<const VertexSlice> slices,
                  std::span<const ServerId> servers, const SwapEvaluator::Swap& swap) {
  return std::all_of(slices.begin(), slices.end(), [&](const VertexSlice& slice) {
    return swap.a / slice.vertices == swap.b / slice.vertices ||
           cluster.common_level(servers[swap.a], servers[swap.b]) >= slice.level;
  });
}

class Descent {
 public:
  Descent(const Cluster& cluster, SwapEvaluator& evaluator, std::span<const VertexSlice> slices,
          double& work)
      : cluster_(cluster), evaluator_(evaluator), slices_(slices), work_(work) {}

  /// Whether it got anywhere.
  bool run() {
    bool swapped = false;
    now_ = evaluator_.communication();
    while (work_ > 0 && step()) swapped = true;
    return swapped;
  }

 private:
  bool step() {
    std::optional<SwapEvaluator::Swap> best;
    Seconds least = now_ * (1 - kLeastGain);
    for (const SwapEvaluator::Swap& swap : evaluator_.promising(kSwapsTried)) {
      if (work_ <= 0) break;
      if (!keeps_slices(cluster_, slices_, evaluator_.servers(), swap)) continue;
      const Seconds time = time_after(swap);
      if (time < least) {
        least = time;
        best = swap;
      }
    }
    if (!best) return false;
    evaluator_.swap(best->a, best->b);
    now_ = least;
    return true;
  }

  [[nodiscard]] Seconds time_after(const SwapEvaluator::Swap& swap) {
    work_ -= 2 * static_cast<double>(evaluator_.flows_of(swap));
    evaluator_.swap(swap.a, swap.b);
    const Seconds time = evaluator_.communication();
    evaluator_.swap(swap.a, swap.b);
    return time;
  }

  const Cluster& cluster_;
  SwapEvaluator& evaluator_;
  std::span<const VertexSlice> slices_;
  double& work_;  // flows that may still be moved
  Seconds now_;
};

}  // namespace

SwapWork swap_work_of(Effort effort) {
  switch (effort) {
    case Effort::Fast:
      return {10'000, 20'000};
    case Effort::Balanced:
      return {400'000, 1'000'000};
    case Effort::Thorough:
      return {20'000'000, 20'000'000};
  }
  return {};
}

std::optional<std::vector<ServerId>> swapped_for_time(const PlacementProblem& problem,
                                                      const Placement& start,
                                                      std::span<const VertexSlice> slices,
                                                      SwapWork& work) {
  if (work.moved <= 0 || !Unevenness(problem, start).any()) return std::nullopt;
  const double flows = flows_in(problem.traffic);
  if (flows > work.listed) return std::nullopt;
  work.listed -= flows;
  const std::optional<Traffic> chosen = arranged_on(problem, start.servers);
  const Cluster& cluster = *problem.view.cluster;
  SwapEvaluator evaluator(problem.fabric, chosen ? *chosen : problem.traffic, start.servers,
                          problem.background);
  if (!evaluator.is_incremental()) return std::nullopt;
  if (!Descent(cluster, evaluator, slices, work.moved).run()) return std::nullopt;
  const std::span<const ServerId> servers = evaluator.servers();
  return std::vector<ServerId>(servers.begin(), servers.end());
}

}  // namespace zonecut
