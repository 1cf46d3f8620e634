// Three steps of a ring over 56 servers of 8 rails in two zones at 7:1, 2 MB a step, in four
// orders: measured with a packet-level simulation (htsim with RoCE, one launch each, µs).
#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

#include "routing/meta_world.hpp"
#include "support/catch.hpp"
#include "zonecut/base/random.hpp"

using namespace zonecut;

namespace {

constexpr std::uint32_t kServers = 56;
constexpr std::uint32_t kInZone = 28;
constexpr std::uint32_t kRails = 8;
constexpr double kBytes = 2e6;
constexpr std::size_t kSteps = 3;
constexpr int kDraws = 2;
constexpr double kCableLatency = 1e-6;  ///< seconds

using Order = std::vector<std::uint32_t>;

/// Servers in ring order; those below kInZone are in the first zone.
Order blocks_of(std::uint32_t size) {
  Order order;
  for (std::uint32_t first = 0; first < kInZone; first += size) {
    for (std::uint32_t i = 0; i < size; ++i) order.push_back(first + i);
    for (std::uint32_t i = 0; i < size; ++i) order.push_back(kInZone + first + i);
  }
  return order;
}

Order shuffled(std::uint64_t seed) {
  Order order(kServers);
  std::iota(order.begin(), order.end(), 0U);
  Random(seed).shuffle(std::span(order));
  return order;
}

/// One step of the ring: the parts of each flow with their paths.
RoutedLoads hashed_step(const World& world, const Order& order, int queue_pairs,
                        std::uint64_t seed) {
  std::vector<NicFlow> flows;
  for (std::uint32_t i = 0; i < kServers; ++i) {
    for (std::uint32_t rail = 0; rail < kRails; ++rail)
      flows.push_back(
          {order[i] * kRails + rail, order[(i + 1) % kServers] * kRails + rail, kBytes});
  }
  return route(*world.cables, flows, {RoutingScheme::EnhancedEcmp, queue_pairs, std::nullopt}, seed,
               Paths::Keep);
}

/// The ring in time. Flows are hashed anew each step. A server sends on what it has, and nobody
/// waits for the slowest of all. The parts under way share each cable evenly, and go as fast as the
/// tightest on their way lets them; each step also costs the latency of its cables.
class Ring {
 public:
  Ring(const World& world, const Order& order, int queue_pairs, std::uint64_t seed)
      : world_(world), sharing_(2 * world.cables->count(), 0) {
    for (std::uint64_t step = 0; step < kSteps; ++step)
      steps_.push_back(hashed_step(world, order, queue_pairs, seed * kSteps + step));
    parts_left_.assign(kSteps, std::vector<int>(kFlows, 0));
    for (std::size_t step = 0; step < kSteps; ++step) {
      for (const RoutedPart& part : steps_[step].parts) ++parts_left_[step][part.flow];
    }
  }

  /// Microseconds until all have done all steps.
  double run() {
    for (std::size_t flow = 0; flow < kFlows; ++flow) start(0, flow);
    double now = 0;
    while (!active_.empty()) now += advance();
    return now * 1e6;
  }

 private:
  static constexpr std::size_t kFlows = std::size_t{kServers} * kRails;
  struct Active {
    std::size_t step;
    const RoutedPart* part;
    const std::uint32_t* path;
    const std::uint32_t* path_end;
    double bytes;
    double wait;  ///< until the last byte is there, once all have been sent
    double rate = 0;
  };

  [[nodiscard]] bool is_done(std::size_t step, std::size_t flow) const {
    return parts_left_[step][flow] == 0;
  }

  /// One part more or less on these cables.
  void share(std::span<const std::uint32_t> path, int more) {
    for (const std::uint32_t index : path)
      sharing_[index] += more / world_.cables->capacity(index / 2);
  }

  void start(std::size_t step, std::size_t flow) {
    for (const RoutedPart& part : steps_[step].parts) {
      if (part.flow != flow) continue;
      const auto path = steps_[step].path(part);
      active_.push_back({step, &part, path.data(), path.data() + path.size(), part.bytes,
                         kCableLatency * part.hops});
      share(path, +1);
    }
  }

  /// To the next end of a part; the time until then.
  double advance() {
    double least = std::numeric_limits<double>::infinity();
    for (Active& one : active_) {
      if (one.bytes <= 0) {
        least = std::min(least, one.wait);
        continue;
      }
      double slowest = 0;  // seconds a byte
      for (const std::uint32_t* hop = one.path; hop != one.path_end; ++hop)
        slowest = std::max(slowest, sharing_[*hop]);
      one.rate = 1 / slowest;
      least = std::min(least, one.bytes * slowest);
    }
    std::vector<Active> ended;
    std::vector<Active> going;
    for (Active& one : active_) {
      if (one.bytes > 0) {
        one.bytes -= one.rate * least;
        if (one.bytes < 1e-3) leave(one);
      } else {
        one.wait -= least;
      }
      (one.bytes <= 0 && one.wait < 1e-15 ? ended : going).push_back(one);
    }
    active_ = std::move(going);
    for (const Active& one : ended) end(one);
    return least;
  }

  /// All bytes are sent: others may have its share of the cables.
  void leave(Active& one) {
    one.bytes = 0;
    share({one.path, one.path_end}, -1);
  }

  void end(const Active& one) {
    const std::size_t flow = one.part->flow;
    if (--parts_left_[one.step][flow] > 0 || one.step + 1 == kSteps) return;
    // It goes on where its sender has what the one before sent, and so does the one behind it.
    const std::size_t before = (flow + kFlows - kRails) % kFlows;
    const std::size_t behind = (flow + kRails) % kFlows;
    if (is_done(one.step, before)) start(one.step + 1, flow);
    if (is_done(one.step, behind)) start(one.step + 1, behind);
  }

  const World& world_;
  std::vector<RoutedLoads> steps_;
  std::vector<std::vector<int>> parts_left_;  // by step and flow
  std::vector<double> sharing_;  // by load index: seconds a byte of each part under way takes
  std::vector<Active> active_;
};

}  // namespace

TEST_CASE("the order of a ring matters as in a packet-level simulation", "[routing]") {
  const World world = meta_world({2, 14, 16, 2});
  struct Row {
    const char* name;
    std::uint32_t block;  ///< 0: random
    std::array<double, 2> simulated;
  };
  static constexpr std::array kQueuePairs = {1, 4};
  std::array<double, 2> before = {0, 0};
  for (const Row& row :
       std::array{Row{"zone-contiguous", kInZone, {293, 225}}, Row{"blocks of four", 4, {656, 412}},
                  Row{"random", 0, {754, 648}}, Row{"interleaved", 1, {1402, 1206}}}) {
    for (std::size_t i = 0; i < kQueuePairs.size(); ++i) {
      double sum = 0;
      for (std::uint64_t draw = 1; draw <= kDraws; ++draw) {
        const Order order = row.block > 0 ? blocks_of(row.block) : shuffled(draw);
        sum += Ring(world, order, kQueuePairs[i], draw).run();
      }
      const double mean = sum / kDraws;
      INFO(row.name << ", " << kQueuePairs[i] << " queue pairs: " << mean << " µs");
      CHECK(mean == Approx(row.simulated[i]).epsilon(0.20));
      CHECK(mean > before[i]);
      before[i] = mean;
    }
  }
}
