#include "zonecut/scheduler/swap_evaluator.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

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
  /// All at once, at the price of one each.
  template <class TimeOf>
  void set_all(std::size_t count, const TimeOf& time_of) {
    for (std::size_t i = 0; i < count; ++i) times_[leaves_ + i] = time_of(i);
    for (std::size_t at = leaves_; at-- > 1;)
      times_[at] = std::max(times_[2 * at], times_[2 * at + 1]);
  }
  [[nodiscard]] Seconds get() const { return times_[1]; }
  /// Of equal ones the first.
  [[nodiscard]] std::size_t index() const {
    std::size_t at = 1;
    while (at < leaves_) at = times_[2 * at] == times_[at] ? 2 * at : 2 * at + 1;
    return at - leaves_;
  }

 private:
  std::size_t leaves_ = 1;
  std::vector<Seconds> times_;
};

/// Flows that are under way together: those of a phase, or of one hop of its pipelines.
struct Loads {
  Loads(std::size_t bundles, std::size_t levels)
      : bytes(bundles, 0), by_level(levels, 0), longest(bundles) {}
  std::vector<std::int64_t> bytes;     // by bundle
  std::vector<std::int64_t> by_level;  // over the fabric
  Longest longest;
  Seconds inside;  // NVLink: the same in every order
  std::int64_t sent = 0;
};

/// Whether the NICs of the ranks, and so what they hand over, may depend on the order of servers.
bool rails_differ(const Cluster& cluster, const FabricSpec& spec,
                  std::span<const ServerId> servers) {
  if (spec.leaves == LeafWiring::Rack) return false;
  return std::any_of(servers.begin(), servers.end(), [&](ServerId server) {
    return cluster.server(server).gpus != cluster.server(servers.front()).gpus;
  });
}

bool can_swap(const Cluster& cluster, const FabricSpec& spec, const Traffic& traffic,
              std::span<const ServerId> servers) {
  if (rails_differ(cluster, spec, servers)) return false;
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
  Impl(const Fabric& fabric, const Traffic& traffic, std::vector<ServerId> servers,
       const Background& background)
      : cluster_(fabric.cluster()),
        fabric_(fabric),
        traffic_(traffic),
        servers_(std::move(servers)),
        domains_(cluster_),
        positions_(positions_of(cluster_, servers_)),
        flows_(servers_.size()),
        incremental_(can_swap(cluster_, fabric.spec(), traffic, servers_)) {
    // Refuses what predict() refuses, but for links that have failed.
    TrafficSums sums(cluster_, fabric.spec(), traffic, servers_, Routing{});
    if (!incremental_) return;
    number_places(sums, background);
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
    if (!incremental_) return predict(fabric_, traffic_, servers_).communication;
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
        transfer = pipelined(part.rounds, hops, transfer);
      }
      const Seconds latency = step_latency(whole) * static_cast<double>(part.phase->steps);
      sum += (latency + transfer.mean) * (1 - part.phase->overlap);
    }
    return sum;
  }

  [[nodiscard]] std::span<const ServerId> servers() const { return servers_; }
  [[nodiscard]] bool is_incremental() const { return incremental_; }

  [[nodiscard]] std::vector<Swap> promising(std::size_t most) const {
    std::vector<const PartOfPhase*> slowest;
    for (const PartOfPhase& part : parts_) {
      const Loads& whole = loads_[part.first_loads];
      if (whole.longest.get() > whole.inside) slowest.push_back(&part);
    }
    const auto waits = [&](const PartOfPhase* part) {
      return loads_[part->first_loads].longest.get() * (1 - part->phase->overlap);
    };
    std::stable_sort(slowest.begin(), slowest.end(),
                     [&](const auto* a, const auto* b) { return waits(a) > waits(b); });
    if (slowest.size() > kPhasesTried) slowest.resize(kPhasesTried);
    std::vector<Swap> swaps;
    for (const PartOfPhase* part : slowest) {
      const std::size_t bundle = loads_[part->first_loads].longest.index();
      const std::size_t place = place_[bundle / 2];
      const auto found = place < cluster_.server_count()
                             ? off_server(part->first_loads, bundle, most)
                             : off_domain(part->first_loads, bundle, most);
      swaps.insert(swaps.end(), found.begin(), found.end());
    }
    return swaps;
  }

  [[nodiscard]] std::size_t flows_of(const Swap& swap) const {
    return flows_[swap.a].size() + flows_[swap.b].size();
  }

 private:
  struct PartOfPhase {
    const Phase* phase;
    std::size_t first_loads;  // those of all its flows; those of its rounds follow
    std::vector<Round> rounds;
  };
  static constexpr std::size_t kPhasesTried = 2;
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  /// A vertex and how many bytes less a bundle carries when it leaves its side of it.
  struct Gain {
    std::int64_t bytes;
    std::size_t vertex;
  };

  [[nodiscard]] bool stands_in(std::size_t vertex, std::uint32_t domain) const {
    std::uint32_t at = positions_[vertex].rack;
    while (at != domain && at != domains_.parent[at]) at = domains_.parent[at];
    return at == domain;
  }

  /// Of a domain's links, in one direction. What is counted there goes from the vertices on one
  /// side to those on the other, so that a vertex which changes sides takes off what it has across
  /// and puts on what it has on its own side (Kernighan and Lin 1970).
  [[nodiscard]] std::vector<Swap> off_domain(std::size_t loads, std::size_t bundle,
                                             std::size_t most) const {
    const auto domain = static_cast<std::uint32_t>(place_[bundle / 2] - cluster_.server_count());
    const bool out = bundle % 2 == 1;
    std::vector<bool> inside(servers_.size());
    for (std::size_t v = 0; v < inside.size(); ++v) inside[v] = stands_in(v, domain);
    std::vector<Gain> within;
    std::vector<Gain> without;
    for (std::size_t v = 0; v < inside.size(); ++v) {
      const bool sends = inside[v] == out;  // what it sends across is counted, else what it gets
      Gain gain{0, v};
      for (const VertexFlow& flow : flows_[v]) {
        if (flow.loads != loads) continue;
        const bool across = inside[flow.other] != inside[v];
        if (across && flow.outward == sends) gain.bytes += flow.bytes;
        if (!across && flow.outward != sends) gain.bytes -= flow.bytes;
      }
      (inside[v] ? within : without).push_back(gain);
    }
    std::size_t each = 1;
    while ((each + 1) * (each + 1) <= most) ++each;
    keep_best(within, each);
    keep_best(without, each);
    return best_pairs(within, without);
  }

  static void keep_best(std::vector<Gain>& gains, std::size_t most) {
    most = std::min(most, gains.size());
    std::partial_sort(gains.begin(), gains.begin() + static_cast<std::ptrdiff_t>(most), gains.end(),
                      [](const Gain& a, const Gain& b) {
                        return a.bytes != b.bytes ? a.bytes > b.bytes : a.vertex < b.vertex;
                      });
    gains.resize(most);
  }

  static std::vector<Swap> best_pairs(std::span<const Gain> within, std::span<const Gain> without) {
    std::vector<std::pair<std::int64_t, Swap>> pairs;
    for (const Gain& u : within) {
      for (const Gain& v : without) pairs.push_back({-u.bytes - v.bytes, {u.vertex, v.vertex}});
    }
    std::stable_sort(pairs.begin(), pairs.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<Swap> swaps;
    for (const auto& [gain, swap] : pairs) swaps.push_back(swap);
    return swaps;
  }

  /// Of one server's links: another whose links would carry its bytes sooner, and it theirs.
  [[nodiscard]] std::vector<Swap> off_server(std::size_t loads, std::size_t bundle,
                                             std::size_t most) const {
    const std::uint32_t server = place_[bundle / 2];
    const std::size_t way = bundle % 2;
    std::size_t here = 0;
    while (positions_[here].server != server) ++here;
    const Loads& all = loads_[loads];
    const Seconds now = all.longest.get();
    std::vector<std::pair<Seconds, std::size_t>> later;
    for (std::size_t v = 0; v < servers_.size(); ++v) {
      const std::size_t there = inward(positions_[v].server) + way;
      const Seconds time = std::max(transfer_time({all.bytes[bundle]}, capacity_[there]),
                                    transfer_time({all.bytes[there]}, capacity_[bundle]));
      if (time < now) later.emplace_back(time, v);
    }
    most = std::min(most, later.size());
    std::partial_sort(later.begin(), later.begin() + static_cast<std::ptrdiff_t>(most),
                      later.end());
    std::vector<Swap> swaps;
    for (const auto& [time, v] : std::span(later).first(most)) swaps.push_back({here, v});
    return swaps;
  }

  /// What a vertex sends to another, or gets from it.
  struct VertexFlow {
    std::uint32_t loads;
    std::uint32_t other;
    std::int64_t bytes;
    bool outward;
  };

  static HashedSpan certain(Seconds time) { return {time, time, time}; }

  /// Only links above the job's own servers carry any of its bytes, so only these have numbers: two
  /// for each place, inward first.
  void number_places(const TrafficSums& sums, const Background& background) {
    const std::size_t servers = cluster_.server_count();
    number_.assign(servers + domains_.parent.size(), kNone);
    const std::vector<double> flows = most_flows(background);
    const auto note = [&](std::size_t place) {
      if (number_[place] != kNone) return false;
      number_[place] = static_cast<std::uint32_t>(place_.size());
      place_.push_back(static_cast<std::uint32_t>(place));
      for (const std::size_t bundle : {2 * place, 2 * place + 1}) {
        const double left = background.empty() ? 1 : background.left_to(flows[bundle], bundle);
        capacity_.push_back(left_of(capacity_of(fabric_, sums.bundle(bundle)), left));
      }
      return true;
    };
    for (const Position& at : positions_) {
      note(at.server);
      for (std::uint32_t domain = at.rack; note(servers + domain);)
        domain = domains_.parent[domain];
    }
  }

  /// How many flows each bundle has in the phase in which it has the most; one where it has none.
  [[nodiscard]] std::vector<double> most_flows(const Background& background) const {
    if (background.empty()) return {};
    TrafficSums sums(cluster_, fabric_.spec(), traffic_, servers_, Routing{});
    std::vector<double> flows(sums.bundle_count(), 1.0);
    for (const Phase& phase : traffic_.phases) {
      sums.begin_phase();
      for (const Group& group : phase.groups) sums.add(group);
      for (const std::uint32_t bundle : sums.phase_loads().touched())
        flows[bundle] = std::max(flows[bundle], sums.phase_flows(bundle));
    }
    return flows;
  }

  static BytesPerSecond left_of(BytesPerSecond capacity, double share) {
    if (share >= 1 || capacity.count == 0) return capacity;
    const auto left = static_cast<std::int64_t>(static_cast<double>(capacity.count) * share);
    return {std::max<std::int64_t>(1, left)};
  }

  /// The flows that `list` gives for each group of the phase, vertex by vertex; `sums` has them
  /// too.
  template <class List>
  void add_loads(const TrafficSums& sums, const List& list, const Phase& phase) {
    const auto number = static_cast<std::uint32_t>(loads_.size());
    Loads& loads = loads_.emplace_back(capacity_.size(), cluster_.levels().size());
    loads.inside = scale_up_time(sums, fabric_.spec());
    loads.sent = sums.phase_bytes();
    for (const auto& [from, to, bytes] : between_vertices(list, phase)) {
      flows_[from].push_back({number, to, bytes, true});
      flows_[to].push_back({number, from, bytes, false});
      for_each_bundle(loads, from, to, bytes,
                      [&](std::size_t bundle) { loads.bytes[bundle] += bytes; });
    }
    loads.longest.set_all(capacity_.size(),
                          [&](std::size_t bundle) { return time_of(loads, bundle); });
  }

  struct Between {
    std::uint32_t from;
    std::uint32_t to;
    std::int64_t bytes;
  };
  /// What each vertex sends each other one in all.
  template <class List>
  [[nodiscard]] std::vector<Between> between_vertices(const List& list, const Phase& phase) const {
    std::vector<Between> all;
    for (const Group& group : phase.groups) {
      list(group, [&](const Flow& flow) {
        const auto from = static_cast<std::uint32_t>(flow.from.index() / traffic_.ranks_per_server);
        const auto to = static_cast<std::uint32_t>(flow.to.index() / traffic_.ranks_per_server);
        if (from != to && flow.bytes.count > 0) all.push_back({from, to, flow.bytes.count});
      });
    }
    std::sort(all.begin(), all.end(), [](const Between& a, const Between& b) {
      return a.from != b.from ? a.from < b.from : a.to < b.to;
    });
    std::size_t kept = 0;
    for (const Between& next : all) {
      if (kept > 0 && all[kept - 1].from == next.from && all[kept - 1].to == next.to) {
        all[kept - 1].bytes += next.bytes;
      } else {
        all[kept++] = next;
      }
    }
    all.resize(kept);
    return all;
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

  [[nodiscard]] Seconds time_of(const Loads& loads, std::size_t bundle) const {
    return transfer_time({loads.bytes[bundle]}, capacity_[bundle]);
  }

  void load_path(Loads& loads, std::size_t from, std::size_t to, std::int64_t bytes) {
    for_each_bundle(loads, from, to, bytes, [&](std::size_t bundle) {
      loads.bytes[bundle] += bytes;
      loads.longest.set(bundle, time_of(loads, bundle));
    });
  }

  /// Visits the bundles between two vertices, and counts the bytes at the level where they turn.
  template <class Visit>
  void for_each_bundle(Loads& loads, std::size_t from, std::size_t to, std::int64_t bytes,
                       const Visit& visit) {
    const std::size_t servers = cluster_.server_count();
    visit(outward(positions_[from].server));
    visit(inward(positions_[to].server));
    std::uint32_t up = positions_[from].rack;
    std::uint32_t down = positions_[to].rack;
    while (up != down) {
      visit(outward(servers + up));
      visit(inward(servers + down));
      up = domains_.parent[up];
      down = domains_.parent[down];
    }
    loads.by_level[domains_.level[up]] += bytes;
  }
  [[nodiscard]] std::size_t inward(std::size_t place) const { return 2 * number_[place]; }
  [[nodiscard]] std::size_t outward(std::size_t place) const { return inward(place) + 1; }

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
  std::vector<Position> positions_;       // by vertex
  std::vector<std::uint32_t> number_;     // by place: servers, then domains; kNone: not passed
  std::vector<std::uint32_t> place_;      // by number
  std::vector<BytesPerSecond> capacity_;  // by bundle: number doubled, inward first
  std::vector<Loads> loads_;
  std::vector<PartOfPhase> parts_;
  std::vector<std::vector<VertexFlow>> flows_;  // by vertex
  bool incremental_;
};

SwapEvaluator::SwapEvaluator(const Fabric& fabric, const Traffic& traffic,
                             std::vector<ServerId> servers, const Background& background) {
  ZONECUT_ENSURES(servers.size() == traffic.vertices());
  impl_ = std::make_unique<Impl>(fabric, traffic, std::move(servers), background);
}

SwapEvaluator::SwapEvaluator(SwapEvaluator&&) noexcept = default;
SwapEvaluator& SwapEvaluator::operator=(SwapEvaluator&&) noexcept = default;
SwapEvaluator::~SwapEvaluator() = default;

void SwapEvaluator::swap(std::size_t a, std::size_t b) { impl_->swap(a, b); }
Seconds SwapEvaluator::communication() const { return impl_->communication(); }
std::span<const ServerId> SwapEvaluator::servers() const { return impl_->servers(); }
bool SwapEvaluator::is_incremental() const { return impl_->is_incremental(); }
std::vector<SwapEvaluator::Swap> SwapEvaluator::promising(std::size_t most) const {
  return impl_->promising(most);
}
std::size_t SwapEvaluator::flows_of(const Swap& swap) const { return impl_->flows_of(swap); }

}  // namespace zonecut
