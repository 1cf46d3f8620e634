#include "refine/box_search.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "refine/box_exchanges.hpp"
#include "refine/box_grids.hpp"
#include "refine/box_offers.hpp"
#include "refine/refine_cycles.hpp"
#include "refine/refine_pairs.hpp"

namespace zonecut {
namespace {

constexpr std::size_t kMostParts = 64;
constexpr std::size_t kPatience = 48;
constexpr std::size_t kMostAttempts = 100;  // before no exchange is said to lower the cut
constexpr std::size_t kMostKicks = 200'000;
constexpr std::size_t kPerEdge = 24;   // of a look at all parts
constexpr std::size_t kPerStep = 100;  // at least, or small problems would not use their budget up
constexpr double kHeat = 0.15;         // at first, of what a part cuts on average

void make_set(std::vector<std::uint32_t>& all) {
  std::ranges::sort(all);
  all.erase(std::ranges::unique(all).begin(), all.end());
}

class BoxSearch {
 public:
  BoxSearch(WorkingPartition& partition, const BoxGrids& grids, Random& random, WorkBudget& budget)
      : partition_(partition),
        grids_(grids),
        random_(random),
        budget_(budget),
        offers_(partition, grids),
        pairs_(partition, kPatience),
        all_(partition.parts()),
        is_changed_(partition.parts(), false),
        remembered_(partition.parts(), BoxOffers::OfPart(2 * partition.parts())),
        marked_(partition.graph().vertices(), 0) {
    std::iota(all_.begin(), all_.end(), 0u);
  }

  void run(std::int64_t patience, std::int64_t enough) {
    budget_at_first_ = std::max<std::int64_t>(1, budget_.left());
    best_ = partition_.cut();
    best_parts_.assign(partition_.all().begin(), partition_.all().end());
    left_at_best_ = budget_.left();
    start_here();
    while (!budget_.spent() && best_ > enough && left_at_best_ - budget_.left() < patience) {
      if (kicks_.empty()) find_kicks();
      if (kicks_.empty()) break;
      step();
    }
    return_to_best();
  }

 private:
  /// All is looked at anew.
  void start_here() {
    partition_.begin_journal();
    offers_.see(all_, budget_);
    latest_ = all_;
    read_ = 0;
    descend();
    go_on_here();
    if (current_ >= best_) return;
    best_ = current_;
    best_parts_.assign(partition_.all().begin(), partition_.all().end());
    left_at_best_ = budget_.left();
  }

  /// Offers are as the partition is.
  void go_on_here() {
    current_ = partition_.cut();
    forget_moves();
    kicks_.clear();
  }

  void return_to_best() {
    if (partition_.cut() <= best_) return;
    for (std::uint32_t v = 0; v < best_parts_.size(); ++v) {
      if (partition_.part(v) != best_parts_[v]) partition_.move(v, best_parts_[v]);
    }
  }

  void forget_moves() {
    partition_.begin_journal();
    read_ = 0;
    for (const std::uint32_t part : changed_) is_changed_[part] = false;
    changed_.clear();
  }

  void step() {
    budget_.spend(kPerStep);
    const BoxExchange kick = kicks_[random_.below(kicks_.size())];
    if (exact_cost(offers_, kick, budget_) >= dearest_kick()) return;
    make(kick);
    refine_near();
    if (is_back()) return take_back();
    see_changed();
    descend();
    if (is_back() || !is_accepted(partition_.cut() - current_)) return take_back();
    if (partition_.cut() >= best_) return go_on_here();
    refine_by_turns(partition_, budget_);
    start_here();
  }

  /// Of what the cut rises; less and less while the budget is spent (Metropolis).
  bool is_accepted(std::int64_t rise) {
    if (rise <= 0) return true;
    const double left = static_cast<double>(budget_.left()) / static_cast<double>(budget_at_first_);
    const double heat = kHeat * left * static_cast<double>(dearest_kick());
    return heat > 0 && random_.unit() < std::exp(static_cast<double>(-rise) / heat);
  }

  void take_back() {
    partition_.roll_back();
    for (const std::uint32_t part : changed_) offers_.swap(part, remembered_[part]);
    forget_moves();
  }

  /// Every vertex is where it was.
  bool is_back() {
    if (partition_.cut() != current_) return false;
    ++mark_;
    for (const WorkingPartition::Record& first : partition_.journal()) {
      if (marked_[first.vertex] == mark_) continue;
      marked_[first.vertex] = mark_;
      if (partition_.part(first.vertex) != first.from) return false;
    }
    return true;
  }

  void make(const BoxExchange& exchange) {
    const std::array<Box, 3> boxes = boxes_of(offers_, exchange);
    for (std::size_t i = 0; i < exchange.count; ++i) move(boxes[i], exchange.to(i));
  }

  void move(const Box& box, std::uint32_t to) {
    for (std::uint32_t row = box.row; row < box.row + box.rows; ++row) {
      for (std::uint32_t column = box.column; column < box.column + box.columns; ++column) {
        partition_.move(grids_.vertex(row, column), to);
      }
    }
    budget_.spend(std::size_t{20} * box.rows * box.columns);
  }

  /// Exchanges that lower the cut, the best of them first, as long as there are any.
  void descend() {
    while (!budget_.spent()) {
      find_improvements();
      if (std::ranges::none_of(found_, [&](const BoxExchange& each) { return attempt(each); })) {
        return;
      }
      refine_near();
      see_changed();
    }
  }

  void find_improvements() {
    constexpr std::size_t kMostFound = 64 * kMostAttempts;
    found_.clear();
    for_exchanges(offers_, latest_, 0, budget_, [&](const BoxExchange& exchange) {
      if (found_.size() == kMostFound) keep_cheapest();
      found_.push_back(exchange);
    });
    keep_cheapest();
    std::ranges::sort(found_);
  }

  void keep_cheapest() {
    if (found_.size() <= kMostAttempts) return;
    std::ranges::nth_element(found_, found_.begin() + kMostAttempts);
    found_.resize(kMostAttempts);
  }

  /// Whether it lowered the cut, and so was made.
  bool attempt(const BoxExchange& exchange) {
    if (budget_.spent() || exact_cost(offers_, exchange, budget_) >= 0) return false;
    const std::int64_t before = partition_.cut();
    const std::size_t moves = partition_.journal().size();
    make(exchange);
    // Offers may be out of date.
    if (partition_.cut() < before) return true;
    partition_.roll_back_to(moves);
    return false;
  }

  /// What a part cuts on average, on one side.
  [[nodiscard]] std::int64_t dearest_kick() const {
    return current_ / static_cast<std::int64_t>(partition_.parts());
  }

  void find_kicks() {
    const auto first = static_cast<std::ptrdiff_t>(random_.below(all_.size()));
    std::ranges::rotate(all_, all_.begin() + first);
    for_exchanges(offers_, all_, dearest_kick(), budget_, [&](const BoxExchange& exchange) {
      // Once each.
      const auto parts = std::span(exchange.parts).first(exchange.count);
      if (parts.front() != std::ranges::min(parts) || kicks_.size() >= kMostKicks) return;
      kicks_.push_back(exchange);
    });
    std::ranges::sort(all_);
  }

  /// Pair passes from the borders of what moved since the last look, between the parts it moved
  /// between and those around.
  void refine_near() {
    seeds_.clear();
    around_.clear();
    moved_between_.clear();
    for (const WorkingPartition::Record& move : partition_.journal().subspan(read_)) {
      const std::uint32_t v = move.vertex;
      const std::uint32_t part = partition_.part(v);
      moved_between_.push_back(move.from);
      moved_between_.push_back(part);
      const std::size_t before = seeds_.size();
      for (const auto& [u, weight] : partition_.graph().neighbours(v)) {
        if (partition_.part(u) == part) continue;
        seeds_.push_back(u);
        around_.push_back(partition_.part(u));
      }
      if (seeds_.size() > before) seeds_.push_back(v);
      budget_.spend(6 * partition_.graph().neighbours(v).size());
    }
    make_set(moved_between_);
    around_.insert(around_.end(), moved_between_.begin(), moved_between_.end());
    budget_.spend(24 * seeds_.size());
    make_set(seeds_);
    make_set(around_);
    for (const std::uint32_t a : moved_between_) {
      for (const std::uint32_t b : around_) {
        const bool twice = b < a && std::ranges::binary_search(moved_between_, b);
        if (a != b && !twice) pairs_.improve_near(a, b, seeds_, budget_);
      }
    }
  }

  /// Offers of the parts whose vertices changed since the last look.
  void see_changed() {
    latest_.clear();
    for (const WorkingPartition::Record& move : partition_.journal().subspan(read_)) {
      latest_.push_back(move.from);
      latest_.push_back(partition_.part(move.vertex));
    }
    read_ = partition_.journal().size();
    make_set(latest_);
    for (const std::uint32_t part : latest_) {
      if (is_changed_[part]) continue;
      is_changed_[part] = true;
      changed_.push_back(part);
      offers_.swap(part, remembered_[part]);
    }
    offers_.see(latest_, budget_);
  }

  WorkingPartition& partition_;
  const BoxGrids& grids_;
  Random& random_;
  WorkBudget& budget_;
  BoxOffers offers_;
  PairRefinement pairs_;
  std::vector<std::uint32_t> all_;  // parts
  std::int64_t current_ = 0;        // cut where every step begins
  std::int64_t best_ = 0;           // the least cut so far
  std::vector<std::uint32_t> best_parts_;
  std::int64_t left_at_best_ = 0;  // of the budget, when it was found
  std::int64_t budget_at_first_ = 1;
  std::vector<BoxExchange> kicks_;  // from there
  std::vector<BoxExchange> found_;
  std::size_t read_ = 0;                       // moves of the journal, at the last look
  std::vector<std::uint32_t> latest_;          // parts that were looked at last
  std::vector<std::uint32_t> changed_;         // parts whose offers are no longer those of current_
  std::vector<bool> is_changed_;               // by part
  std::vector<BoxOffers::OfPart> remembered_;  // their offers then
  std::vector<std::uint32_t> seeds_, moved_between_, around_;  // scratch
  std::vector<std::uint32_t> marked_;                          // scratch, by vertex
  std::uint32_t mark_ = 0;
};

}  // namespace

void search_by_boxes(WorkingPartition& partition, Random& random, WorkBudget& budget,
                     std::int64_t patience, std::int64_t enough) {
  if (partition.parts() < 2 || partition.parts() > kMostParts) return;
  if (partition.cut() <= enough) return;
  const std::size_t first_look =
      partition.graph().vertices() + kPerEdge * partition.graph().edges();
  if (budget.left() < static_cast<std::int64_t>(first_look)) return;
  const BoxGrids grids = box_grids(partition.problem().coordinates);
  if (!grids.rows.empty()) BoxSearch(partition, grids, random, budget).run(patience, enough);
}

}  // namespace zonecut
