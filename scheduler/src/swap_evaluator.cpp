#include "zonecut/scheduler/swap_evaluator.hpp"

#include <algorithm>
#include <map>

#include "phase_times.hpp"
#include "positions.hpp"
#include "rounds.hpp"
#include "zonecut/base/error.hpp"
#include "zonecut/scheduler/prediction.hpp"

namespace zonecut {
namespace {

constexpr double kMostFlows = 20'000'000;

/// Times of all bundles, and the longest: a tournament, so that one that gets shorter is replaced
/// by the next.
class Longest {
 public:
  explicit Longest(std::size_t count) {
    while (leaves_ < count) leaves_ *= 2;
    times_.assign(2 * leaves_, Seconds{});
  }
  void set(std::size_t index, Seconds time) {
    std::size_t at = leaves_ + index;
    times_[at] = time;
    for (at /= 2; at > 0; at /= 2) {
      const Seconds longest = std::max(times_[2 * at], times_[2 * at + 1]);
      if (times_[at] == longest) break;
      times_[at] = longest;
    }
  }
  [[nodiscard]] Seconds get() const { return times_[1]; }

 private:
  std::size_t leaves_ = 1;
  std::vector<Seconds> times_;
};

/// Flows that are under way together: those of a phase, or of one hop of its pipelines.
struct Loads {
  Loads(std::size_t bundles, std::size_t levels)
      : bytes(bundles, 0), by_level(levels, 0), longest(bundles) {}
  std::vector<std::int64_t> bytes;     // by bundle, as TrafficSums numbers them
  std::vector<std::int64_t> by_level;  // over the fabric
  Longest longest;
  Seconds inside;  // NVLink: the same in every order
  std::int64_t sent = 0;
};

bool can_swap(const Cluster& cluster, const Traffic& traffic, std::span<const ServerId> servers) {
  std::vector<bool> seen(cluster.server_count(), false);
  for (const ServerId server : servers) {
    if (seen[server.index()] || cluster.server(server).scale_up) return false;
    seen[server.index()] = true;
  }
  double flows = 0;
  for (const Phase& phase : traffic.phases) {
    for (const Group& group : phase.groups) {
      if (group.stepwise) return false;
      const double size = group.size;
      flows += group.pattern == Pattern::AllToAll ? size * size : 4 * size;
    }
  }
  return flows <= kMostFlows;
}

}  // namespace

class SwapEvaluator::Impl {
 public:
  Impl(const Cluster& cluster, const Fabric& fabric, const Traffic& traffic,
       std::vector<ServerId> servers)
      : cluster_(cluster),
        fabric_(fabric),
        traffic_(traffic),
        servers_(std::move(servers)),
        domains_(cluster),
        positions_(positions_of(cluster, servers_)),
        flows_(servers_.size()),
        incremental_(can_swap(cluster, traffic, servers_)) {
    // Refuses what predict() refuses, but for links that have failed.
    TrafficSums sums(cluster, traffic, servers_, fabric.spec().nics_per_server, 1);
    if (!incremental_) return;
    note_capacities(sums);
    for (const Phase& phase : traffic.phases) {
      sums.begin_phase();
      for (const Group& group : phase.groups) sums.add(group);
      add_loads(
          sums,
          [&](const Group& group, const auto& visit) { for_each_flow(traffic_, group, visit); },
          phase);
      PartOfPhase part{&phase, loads_.size() - 1, rounds_of(phase)};
      for (const Round& round : part.rounds) {
        sums.begin_phase();
        for (const Group& group : phase.groups) sums.add(group, round);
        add_loads(
            sums,
            [&](const Group& group, const auto& visit) {
              for_each_flow_in(traffic_, group, round, visit);
            },
            phase);
      }
      parts_.push_back(std::move(part));
    }
  }

  void swap(std::size_t a, std::size_t b) {
    std::swap(servers_[a], servers_[b]);
    if (!incremental_ || a == b) return;
    move_flows(a, b, -1);
    std::swap(positions_[a], positions_[b]);
    move_flows(a, b, +1);
  }

  [[nodiscard]] Seconds communication() const {
    if (!incremental_) return predict(cluster_, fabric_, traffic_, servers_).communication;
    Seconds sum;
    for (const PartOfPhase& part : parts_) {
      const Loads& whole = loads_[part.first_loads];
      HashedSpan transfer = certain(std::max(whole.longest.get(), whole.inside));
      if (!part.rounds.empty()) {
        std::vector<HashedSpan> hops;
        for (std::size_t i = 1; i <= part.rounds.size(); ++i) {
          const Loads& hop = loads_[part.first_loads + i];
          hops.push_back(certain(std::max(hop.longest.get(), hop.inside)));
        }
        transfer = pipelined(*part.phase, part.rounds, hops, transfer);
      }
      const Seconds latency = step_latency(whole) * static_cast<double>(part.phase->steps);
      sum += (latency + transfer.mean) * (1 - part.phase->overlap);
    }
    return sum;
  }

  [[nodiscard]] std::span<const ServerId> servers() const { return servers_; }
  [[nodiscard]] bool is_incremental() const { return incremental_; }

 private:
  struct PartOfPhase {
    const Phase* phase;
    std::size_t first_loads;  // those of all its flows; those of its rounds follow
    std::vector<Round> rounds;
  };
  /// What a vertex sends to another, or gets from it.
  struct VertexFlow {
    std::uint32_t loads;
    std::uint32_t other;
    std::int64_t bytes;
    bool outward;
  };

  static HashedSpan certain(Seconds time) { return {time, time, time}; }

  void note_capacities(const TrafficSums& sums) {
    for (std::size_t i = 0; i < sums.bundle_count(); ++i)
      capacity_.push_back(capacity_of(fabric_, sums.bundle(i)));
  }

  /// The flows that `list` gives for each group of the phase, vertex by vertex; `sums` has them
  /// too.
  template <class List>
  void add_loads(const TrafficSums& sums, const List& list, const Phase& phase) {
    const auto number = static_cast<std::uint32_t>(loads_.size());
    Loads& loads = loads_.emplace_back(sums.bundle_count(), cluster_.levels().size());
    loads.inside = scale_up_time(sums, fabric_.spec());
    loads.sent = sums.phase_bytes();
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::int64_t> between;
    for (const Group& group : phase.groups) {
      list(group, [&](const Flow& flow) {
        const auto from = static_cast<std::uint32_t>(flow.from.index() / traffic_.ranks_per_server);
        const auto to = static_cast<std::uint32_t>(flow.to.index() / traffic_.ranks_per_server);
        if (from != to && flow.bytes.count > 0) between[{from, to}] += flow.bytes.count;
      });
    }
    for (const auto& [ends, bytes] : between) {
      flows_[ends.first].push_back({number, ends.second, bytes, true});
      flows_[ends.second].push_back({number, ends.first, bytes, false});
      load_path(loads, ends.first, ends.second, bytes);
    }
  }

  /// Takes the flows of two vertices off the links, or puts them on. One between the two counts
  /// once.
  void move_flows(std::size_t a, std::size_t b, int sign) {
    for (const VertexFlow& flow : flows_[a]) move_flow(a, flow, sign);
    for (const VertexFlow& flow : flows_[b]) {
      if (flow.other != a) move_flow(b, flow, sign);
    }
  }
  void move_flow(std::size_t vertex, const VertexFlow& flow, int sign) {
    load_path(loads_[flow.loads], flow.outward ? vertex : flow.other,
              flow.outward ? flow.other : vertex, sign * flow.bytes);
  }

  void load(Loads& loads, std::size_t bundle, std::int64_t bytes) {
    loads.bytes[bundle] += bytes;
    loads.longest.set(bundle, transfer_time({loads.bytes[bundle]}, capacity_[bundle]));
  }

  void load_path(Loads& loads, std::size_t from, std::size_t to, std::int64_t bytes) {
    const std::size_t servers = cluster_.server_count();
    load(loads, 2 * std::size_t{positions_[from].server} + 1, bytes);
    load(loads, 2 * std::size_t{positions_[to].server}, bytes);
    std::uint32_t up = positions_[from].rack;
    std::uint32_t down = positions_[to].rack;
    while (up != down) {
      load(loads, 2 * (servers + up) + 1, bytes);
      load(loads, 2 * (servers + down), bytes);
      up = domains_.parent[up];
      down = domains_.parent[down];
    }
    loads.by_level[domains_.level[up]] += bytes;
  }

  [[nodiscard]] Seconds step_latency(const Loads& loads) const {
    const FabricSpec& spec = fabric_.spec();
    for (std::size_t level = 0; level < loads.by_level.size(); ++level) {
      if (loads.by_level[level] > 0) return spec.tiers[level].latency;
    }
    return loads.sent > 0 ? spec.scale_up_latency : Seconds{0};
  }

  const Cluster& cluster_;
  const Fabric& fabric_;
  const Traffic& traffic_;
  std::vector<ServerId> servers_;
  DomainLevels domains_;
  std::vector<Position> positions_;  // by vertex
  std::vector<BytesPerSecond> capacity_;
  std::vector<Loads> loads_;
  std::vector<PartOfPhase> parts_;
  std::vector<std::vector<VertexFlow>> flows_;  // by vertex
  bool incremental_;
};

SwapEvaluator::SwapEvaluator(const Cluster& cluster, const Fabric& fabric, const Traffic& traffic,
                             std::vector<ServerId> servers) {
  ZONECUT_ENSURES(servers.size() == traffic.vertices());
  impl_ = std::make_unique<Impl>(cluster, fabric, traffic, std::move(servers));
}

SwapEvaluator::SwapEvaluator(SwapEvaluator&&) noexcept = default;
SwapEvaluator& SwapEvaluator::operator=(SwapEvaluator&&) noexcept = default;
SwapEvaluator::~SwapEvaluator() = default;

void SwapEvaluator::swap(std::size_t a, std::size_t b) { impl_->swap(a, b); }
Seconds SwapEvaluator::communication() const { return impl_->communication(); }
std::span<const ServerId> SwapEvaluator::servers() const { return impl_->servers(); }
bool SwapEvaluator::is_incremental() const { return impl_->is_incremental(); }

}  // namespace zonecut
