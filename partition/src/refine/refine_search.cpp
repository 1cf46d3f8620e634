#include "refine/refine_search.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "refine/refine_pairs.hpp"

namespace zonecut {
namespace {

constexpr std::size_t kLargestBall = 64;
constexpr std::size_t kPatience = 48;

/// An edge between two parts; none when a few draws met none.
struct Border {
  std::uint32_t inside, outside;
};
/// Drawn among the ends of `among`, or of all vertices if it is empty.
std::optional<Border> draw_border(const WorkingPartition& partition,
                                  std::span<const std::uint32_t> among, Random& random) {
  for (int draw = 0; draw < 64; ++draw) {
    const auto u = among.empty()
                       ? static_cast<std::uint32_t>(random.below(partition.graph().vertices()))
                       : among[random.below(among.size())];
    const auto row = partition.graph().neighbours(u);
    if (row.empty()) continue;
    const std::size_t start = random.below(row.size());
    for (std::size_t k = 0; k < row.size(); ++k) {
      const std::uint32_t v = row[(start + k) % row.size()].vertex;
      if (partition.part(u) != partition.part(v)) return Border{u, v};
    }
  }
  return std::nullopt;
}

class BallSearch {
 public:
  /// Without uplinks the cut decides.
  BallSearch(WorkingPartition& partition, std::span<const std::int64_t> uplinks, Random& random,
             WorkBudget& budget)
      : partition_(partition),
        uplinks_(uplinks),
        random_(random),
        budget_(budget),
        pairs_(partition, kPatience),
        seen_(partition.graph().vertices(), 0) {}

  void step() {
    budget_.spend(64);  // at least so much, or tiny graphs would never use their budget up
    const std::optional<Border> border = draw_border(partition_, drawn_among(), random_);
    if (!border) return;
    const Value before = value();
    partition_.begin_journal();
    const std::uint32_t a = partition_.part(border->inside);
    const std::uint32_t b = partition_.part(border->outside);
    const std::size_t most =
        std::min({kLargestBall, partition_.members(a).size(), partition_.members(b).size()});
    const std::size_t size = 1 + random_.below(most);
    const std::vector<std::uint32_t> gained = ball(border->outside, size);
    const std::vector<std::uint32_t> given = ball(counterpart(a, b), gained.size());
    for (const std::uint32_t v : gained) partition_.move(v, a);
    for (const std::uint32_t v : given) partition_.move(v, b);
    fill_up(a, b, gained.size() - given.size());
    // Refinement lowers the cut, which may be what loads a part: every other time the bare exchange
    // is judged.
    if (uplinks_.empty() || random_.below(2) == 0) refine_near(a, b, gained, given);
    if (!may_stay(before, value())) partition_.roll_back();
  }

  /// From here on, exchanges stay that leave the load as it is.
  void walk() { walks_ = true; }

  struct Value {
    ZoneLoad load;
    std::int64_t cut;
    friend auto operator<=>(const Value&, const Value&) = default;
  };
  [[nodiscard]] Value value() const {
    return {uplinks_.empty() ? ZoneLoad{} : largest_load(partition_, uplinks_), partition_.cut()};
  }

 private:
  /// One part decides the load, so most exchanges leave it as it is: walking among those, whatever
  /// they cut, leads out of corners.
  [[nodiscard]] bool may_stay(const Value& before, const Value& now) const {
    return walks_ ? now.load <= before.load : now <= before;
  }

  /// Members of the busiest part, every other time.
  std::span<const std::uint32_t> drawn_among() {
    if (uplinks_.empty() || random_.below(2) == 0) return {};
    std::size_t busiest = 0;
    for (std::size_t part = 1; part < partition_.parts(); ++part) {
      if (ZoneLoad{partition_.border(part), uplinks_[part]} >
          ZoneLoad{partition_.border(busiest), uplinks_[busiest]})
        busiest = part;
    }
    budget_.spend(partition_.parts());
    return partition_.members(busiest);
  }

  /// Up to `size` vertices of one part around `seed`: the nearest first, or along heavy edges
  /// first, or along light ones, in all stages of a pipeline before the next rank.
  std::vector<std::uint32_t> ball(std::uint32_t seed, std::size_t size) {
    const std::size_t by_weight = random_.below(3);
    std::int64_t found = 0;
    const auto rank = [&](std::int64_t weight) {
      return by_weight == 0 ? -++found : by_weight == 1 ? weight : -weight;
    };
    ++mark_;
    std::vector<std::uint32_t> ball;
    border_.assign(1, {0, seed});
    seen_[seed] = mark_;
    while (!border_.empty() && ball.size() < size) {
      std::ranges::pop_heap(border_);
      const std::uint32_t next = border_.back().second;
      border_.pop_back();
      ball.push_back(next);
      for (const auto& [v, weight] : partition_.graph().neighbours(next)) {
        if (seen_[v] == mark_ || partition_.part(v) != partition_.part(seed)) continue;
        seen_[v] = mark_;
        border_.emplace_back(rank(weight), v);
        std::ranges::push_heap(border_);
      }
    }
    return ball;
  }

  /// Where the ball begins that part a gives: at its border with b if a few draws meet it.
  std::uint32_t counterpart(std::uint32_t a, std::uint32_t b) {
    const auto members = partition_.members(a);
    std::uint32_t vertex = members[random_.below(members.size())];
    for (int draw = 0; draw < 12 && partition_.weight_to(vertex, b) == 0; ++draw) {
      vertex = members[random_.below(members.size())];
    }
    return vertex;
  }

  /// Pair passes between the two parts and those around, from what moved and its neighbours.
  void refine_near(std::uint32_t a, std::uint32_t b, std::span<const std::uint32_t> gained,
                   std::span<const std::uint32_t> given) {
    std::vector<std::uint32_t> seeds;
    std::vector<std::uint32_t> around;
    for (const auto moved : {gained, given}) {
      for (const std::uint32_t v : moved) {
        seeds.push_back(v);
        for (const auto& neighbour : partition_.graph().neighbours(v)) {
          seeds.push_back(neighbour.vertex);
          around.push_back(partition_.part(neighbour.vertex));
        }
      }
    }
    std::ranges::sort(around);
    around.erase(std::ranges::unique(around).begin(), around.end());
    pairs_.improve_near(a, b, seeds, budget_);
    for (const std::uint32_t other : around) {
      if (other != a) pairs_.improve_near(a, other, seeds, budget_);
      if (other != b && other != a) pairs_.improve_near(b, other, seeds, budget_);
    }
    budget_.spend(2 * seeds.size());
  }

  /// A ball that met the end of its component is smaller: the rest comes from anywhere in the part.
  void fill_up(std::uint32_t a, std::uint32_t b, std::size_t missing) {
    for (; missing > 0; --missing) {
      partition_.move(partition_.members(a)[random_.below(partition_.members(a).size())], b);
    }
  }

  WorkingPartition& partition_;
  std::span<const std::int64_t> uplinks_;
  bool walks_ = false;
  Random& random_;
  WorkBudget& budget_;
  PairRefinement pairs_;
  std::vector<std::uint32_t> seen_;
  std::uint32_t mark_ = 0;
  std::vector<std::pair<std::int64_t, std::uint32_t>> border_;  // a heap around the ball
};

}  // namespace

void search_by_balls(WorkingPartition& partition, Random& random, WorkBudget& budget,
                     std::int64_t enough) {
  if (partition.cut() == 0) return;
  BallSearch search(partition, {}, random, budget);
  while (!budget.spent() && partition.cut() > enough) search.step();
}

void search_by_balls_for_load(WorkingPartition& partition, std::span<const std::int64_t> uplinks,
                              Random& random, WorkBudget& budget, const ZoneLoad& enough) {
  BallSearch search(partition, uplinks, random, budget);
  auto least = search.value();
  std::vector<std::uint32_t> best(partition.all().begin(), partition.all().end());
  const std::int64_t half = budget.left() / 2;
  while (!budget.spent() && least.load > enough) {
    if (budget.left() < half) search.walk();
    search.step();
    const auto now = search.value();
    if (now >= least) continue;
    least = now;
    best.assign(partition.all().begin(), partition.all().end());
  }
  for (std::uint32_t v = 0; v < best.size(); ++v) partition.move(v, best[v]);
}

ZoneLoad largest_load(const WorkingPartition& partition, std::span<const std::int64_t> uplinks) {
  ZoneLoad largest;
  for (std::size_t part = 0; part < partition.parts(); ++part)
    largest = std::max(largest, ZoneLoad{partition.border(part), uplinks[part]});
  return largest;
}

}  // namespace zonecut
