#include "bound/bound_rows.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bound/ascent.hpp"
#include "bound/blended_relaxation.hpp"
#include "bound/branch_and_bound.hpp"
#include "bound/bundle_ascent.hpp"
#include "bound/group_relaxation.hpp"
#include "bound/incidence.hpp"
#include "bound/open_zones.hpp"
#include "grid/relaxation_sums.hpp"

namespace zonecut {
namespace {

constexpr int kBlendedSteps = 2000;
// Steps, for prices by zone to be worth their while.
constexpr int kFewestByZone = 60;
constexpr int kFewestUncounted = 150;
constexpr int kFewestOpen = 100;
constexpr int kFewestOpenUncounted = 250;
constexpr int kMostByZone = 1000;
constexpr int kFewestOfGroups = 20;
constexpr int kEnoughOfGroups = 60;
constexpr double kNearWithGroups = 0.99;  // to the bound so far, for a climb to be worth its while
constexpr int kMostByParts = 1000;
constexpr std::int64_t kEvenly = 30;  // hundredths of the work
constexpr std::int64_t kByZone = 40;  // the same
constexpr double kLeastAhead = 0.01;
constexpr double kMostAhead = 0.2;
constexpr double kMostAheadByZone = 0.02;  // prices of the pooled pieces are a good beginning
constexpr double kAheadLast = 0.02;
constexpr std::int64_t kRankings = 150;    // that there should be time for
constexpr std::int64_t kDivisions = 2000;  // the same
constexpr std::int64_t kAround = 8;        // one part of the work in so many
constexpr std::int64_t kToBranch = 6;      // one part of the work in so many, for cases
constexpr double kNear = 0.98;             // of what is known, for cases to be worth their while
constexpr std::int64_t kToTouch = 8;       // the same, for prices of touches
constexpr std::int64_t kToBlend = 4;  // one part of the work in so many, for the views it takes

}  // namespace

class RowBound::Search {
 public:
  Search(const GridViews& views, GridView view, std::span<const std::uint32_t> sizes,
         std::int64_t enough)
      : views_(views),
        view_(std::move(view)),
        sizes_(sizes),
        enough_(enough),
        name_(view_.model.name + ", pieces and patterns"),
        incidence_(is_open() ? open_incidence(view_.model)
                             : incidence_of(sizes_, view_.model.length, view_.model.rows)) {}

  [[nodiscard]] const GridBound& best() const { return best_; }

  /// Shares and multipliers sought at once, from those of the view on. The work it keeps for prices
  /// of each zone.
  std::int64_t pool(WorkBudget& budget, std::int64_t known) {
    begin(budget, known);
    choose_by_zone(budget.left() / 2);
    seen_ = blends(view_) ? blended(view_) : std::vector<GridView>{view_};
    pooled_.emplace(seen_, sizes_, incidence_, views_.filling());
    const std::int64_t kept =
        zones_apart_ ? std::min(budget.left() * kByZone / 100, by_zone_ * kMostByZone) : 0;
    best_pooled_ = with_part(budget, budget.left() - kept, [&](WorkBudget& part) {
      return climb_pooled(*pooled_, pooled_->multipliers_at(view_.priced, view_.closing, {}), part);
    });
    keep_shares(*pooled_, best_pooled_);
    return kept;
  }

  /// Prices for each zone, from the pooled ones on.
  void price_zones(WorkBudget& budget, std::int64_t known) {
    begin(budget, known);
    if (done()) return;
    choose_by_zone(budget.left());
    if (!zones_apart_) return;
    const std::vector<GridView> with = with_groups(seen_);
    BlendedByZone by_zone(with, sizes_, incidence_, most_counted_, views_.filling());
    by_zone.relaxed().allow_ranking(budget.left() / kRankings);
    const ByZone begun{pooled_->priced(best_pooled_), pooled_->closing(best_pooled_),
                       by_zone.relaxed().of_pooled(pooled_->of_pieces(best_pooled_))};
    const PieceMultipliers start =
        by_zone.multipliers_at(begun.priced, begun.closing, begun.of_pieces);
    const std::string name = name_ + " by zone";
    const PieceMultipliers better =
        is_open() ? climb(by_zone, start, name, budget, kMostAheadByZone)
                  : climb_by_parts(by_zone, start, name, budget, in_quarters(known_));
    keep_shares(by_zone, better);
    if (is_open() || !views_.groups() || !has_counted_groups(views_.grid(), view_.rows)) return;
    zoned_ = {{by_zone.priced(better), by_zone.closing(better), by_zone.of_pieces(better)}, begun};
  }

  /// And for each size of a piece of a group, after price_zones.
  void price_groups(WorkBudget& budget, std::int64_t known) {
    begin(budget, known);
    if (zoned_.empty() || best_.quarters >= enough_) return;
    // Not fewer steps because the others took them.
    for (const std::size_t most_counted : {ZoneShapes::kMostCounted, std::size_t{0}}) {
      const std::int64_t enough = steps_of_groups(most_counted) * kEnoughOfGroups;
      const std::int64_t granted = std::max(budget.left(), std::min(enough, all_ * 3 / 10));
      if (climb_groups(most_counted, granted)) return;
    }
  }

 private:
  struct ByZone {  ///< multipliers
    double priced = 0;
    double closing = 0;
    PieceMultipliers of_pieces;
  };

  void begin(WorkBudget& budget, std::int64_t known) {
    budget_ = &budget;
    all_ = std::max(all_, budget.left());
    known_ = known;
  }

  [[nodiscard]] bool done() const { return budget_->spent() || best_.quarters >= enough_; }

  [[nodiscard]] bool is_open() const { return views_.filling() == Filling::Open; }

  void take(std::int64_t quarters, const std::string& name) {
    if (quarters > best_.quarters) best_ = {quarters, std::move(best_.shares), name};
  }

  /// Those at which the bound stands.
  template <class Relaxation>
  void keep_shares(Relaxation& relaxation, const PieceMultipliers& multipliers) {
    if (!is_open()) return;
    PieceViolation violation;
    const auto quarters = rounded_down(relaxation.solve(multipliers, violation));
    if (quarters < best_.quarters) return;
    if (auto shares = relaxation.relaxed().shares()) best_.shares = *std::move(shares);
  }

  /// Whether prices by zone are worth their while in so many steps, and with which tables. Where
  /// zones in every row are not counted there is less to gain, so it takes more.
  void choose_by_zone(std::int64_t steps) {
    const std::array<std::pair<std::size_t, std::int64_t>, 2> ways{
        {{ZoneShapes::kMostCounted, is_open() ? kFewestOpen : kFewestByZone},
         {0, is_open() ? kFewestOpenUncounted : kFewestUncounted}}};
    for (const auto& [most_counted, fewest] : ways) {
      by_zone_ = steps_by_zone(most_counted);
      most_counted_ = most_counted;
      zones_apart_ = by_zone_ * fewest <= steps;
      if (zones_apart_) return;
    }
  }

  /// Of a solution with such tables.
  [[nodiscard]] std::int64_t steps_by_zone(std::size_t most_counted) const {
    return static_cast<std::int64_t>(
        ZonePieceRelaxation(view_.model, sizes_, incidence_, most_counted, views_.filling())
            .steps_per_solve());
  }

  /// Whether the views for shares as multipliers take no more than a part of the work.
  [[nodiscard]] bool blends(const GridView& view) const {
    const auto views = static_cast<std::int64_t>(blended_views_for(views_, view));
    return views * static_cast<std::int64_t>(views_.steps(view)) <= budget_->left() / kToBlend;
  }

  std::vector<GridView> blended(const GridView& view) {
    budget_->spend(blended_views_for(views_, view) * views_.steps(view));
    return blended_views(views_, view);
  }

  /// The same with divisions of rows, or else with prices of touches of groups, where those take no
  /// more than a part of the work.
  std::vector<GridView> with_groups(std::span<const GridView> views) {
    const Rows rows = views.front().rows;
    if (views_.divisible(rows)) {
      std::vector<GridView> all = views_.with_divisions(views);
      for (const GridView& view : all) view.divisions->allow(budget_->left() / kDivisions);
      return all;
    }
    std::vector<GridView> all(views.begin(), views.end());
    const std::size_t steps = all.size() * views_.touches(rows) * views_.steps(views.front());
    if (static_cast<std::int64_t>(steps) > budget_->left() / kToTouch) return all;
    budget_->spend(steps);
    for (GridView& view : all) view.touched = views_.touched(view);
    return all;
  }

  [[nodiscard]] GroupRelaxation with_groups_apart(const ByZone& at,
                                                  std::size_t most_counted) const {
    return GroupRelaxation(views_.grid(), view_.rows, *views_.groups(), at.closing, sizes_,
                           incidence_, most_counted);
  }

  [[nodiscard]] std::int64_t steps_of_groups(std::size_t most_counted) const {
    return steps_by_zone(most_counted) +
           static_cast<std::int64_t>(counted_rows_steps(views_.grid(), view_.rows));
  }

  /// Multipliers for each size of a piece of a group, where there is time for it, and it begins not
  /// far below the best bound: where prices by zone count on divisions or touches, which these know
  /// nothing of, that is where those began. Whether there was time.
  bool climb_groups(std::size_t most_counted, std::int64_t granted) {
    const std::int64_t each = steps_of_groups(most_counted);
    if (each * kFewestOfGroups > granted) return false;
    const ByZone* start = nullptr;
    double most = kNearWithGroups * in_quarters(std::max(known_, best_.quarters));
    for (const ByZone& at : zoned_) {
      GroupRelaxation relaxation = with_groups_apart(at, most_counted);
      PieceViolation violation;
      budget_->spend(static_cast<std::size_t>(each));
      const double begun =
          relaxation.solve(relaxation.multipliers_at(at.priced, at.of_pieces), violation);
      if (begun < most) continue;
      most = begun;
      start = &at;
    }
    if (start == nullptr) return true;
    GroupRelaxation relaxation = with_groups_apart(*start, most_counted);
    with_part(*budget_, granted, [&](WorkBudget& part) {
      return climb_by_parts(relaxation, relaxation.multipliers_at(start->priced, start->of_pieces),
                            name_ + " by zone, groups apart", part);
    });
    return true;
  }

  /// Evenly at first: a bundle method starts best not far from the highest bound.
  PieceMultipliers climb_pooled(BlendedRelaxation& pooled, const PieceMultipliers& start,
                                WorkBudget& budget) {
    if (is_open()) return climb(pooled, start, name_, budget);
    const PieceMultipliers begun =
        with_part(budget, budget.left() * kEvenly / 100,
                  [&](WorkBudget& part) { return climb(pooled, start, name_, part); });
    return climb_by_parts(pooled, begun, name_, budget);
  }

  /// As long as it promises more than is known.
  template <class Relaxation>
  PieceMultipliers climb_by_parts(Relaxation& relaxation, const PieceMultipliers& start,
                                  const std::string& name, WorkBudget& budget, double known = 0) {
    if (budget.left() < static_cast<std::int64_t>(relaxation.steps_per_solve())) return start;
    BundleAscent ascent(relaxation, budget, static_cast<double>(enough_), start);
    ascent.climb(kMostByParts, known);
    take(rounded_down(ascent.best()), name);
    if constexpr (requires { relaxation.relaxed().kinds(); }) {
      branch(relaxation, ascent, name, budget);
    }
    return ascent.best_multipliers();
  }

  /// Case by case, with a part of the work: of the budget that the root, and so every case, spends.
  template <class Relaxation>
  void branch(Relaxation& relaxation, const BundleAscent<Relaxation>& root, const std::string& name,
              WorkBudget& budget) {
    const auto known = in_quarters(std::max(known_, best_.quarters));
    if (budget.spent() || best_.quarters >= enough_ || root.best() < kNear * known) return;
    const std::int64_t kept = std::max<std::int64_t>(0, budget.left() - all_ / kToBranch);
    budget = WorkBudget(budget.left() - kept);
    BranchAndBound cases(relaxation, budget, root);
    take(rounded_down(cases.run(static_cast<double>(enough_))), name + ", case by case");
    budget = WorkBudget(budget.left() + kept);
  }

  /// How far to aim above a bound: by what it may still rise, up to `most`.
  [[nodiscard]] double ahead_of(double bound, double most) const {
    const double left = (in_quarters(enough_) - bound) / std::max(1.0, bound);
    return std::clamp(left, kLeastAhead, most);
  }

  /// The best multipliers, found for the most part evenly.
  template <class Relaxation>
  PieceMultipliers climb(Relaxation& relaxation, const PieceMultipliers& start,
                         const std::string& name, WorkBudget& budget,
                         double most_ahead = kMostAhead) {
    const auto affordable = budget.left() / static_cast<std::int64_t>(relaxation.steps_per_solve());
    if (affordable == 0) return start;
    const auto steps = static_cast<int>(std::min<std::int64_t>(affordable, kBlendedSteps));
    Ascent ascent(relaxation, budget, 0, static_cast<double>(enough_));
    ascent.start_at(start);
    const int last = steps / static_cast<int>(kAround);
    ascent.climb_evenly(steps - last, ahead_of(ascent.best(), most_ahead));
    ascent.start_at(ascent.best_multipliers());
    ascent.climb_all(last, kAheadLast);
    take(rounded_down(ascent.best()), name);
    return ascent.best_multipliers();
  }

  const GridViews& views_;
  GridView view_;
  std::span<const std::uint32_t> sizes_;
  std::int64_t enough_;
  std::string name_;
  Incidence incidence_;
  WorkBudget* budget_ = nullptr;  // of what it does now
  std::int64_t all_ = 0;          // steps there were
  std::int64_t known_ = 0;        // a bound
  std::vector<GridView> seen_;    // at some shares
  std::optional<BlendedRelaxation> pooled_;
  PieceMultipliers best_pooled_;
  std::vector<ByZone> zoned_;  // where prices by zone ended and where they began
  std::size_t most_counted_ = 0;
  std::int64_t by_zone_ = 0;  // steps of a solution with prices for each zone
  bool zones_apart_ = false;  // whether those are worth their while
  GridBound best_;
};

RowBound::RowBound(const GridViews& views, GridView view, std::span<const std::uint32_t> sizes,
                   std::int64_t enough)
    : search_(std::make_unique<Search>(views, std::move(view), sizes, enough)) {}
RowBound::RowBound(RowBound&&) noexcept = default;
RowBound& RowBound::operator=(RowBound&&) noexcept = default;
RowBound::~RowBound() = default;

std::int64_t RowBound::pool(WorkBudget& budget, std::int64_t known) {
  return search_->pool(budget, known);
}
void RowBound::price_zones(WorkBudget& budget, std::int64_t known) {
  search_->price_zones(budget, known);
}
void RowBound::price_groups(WorkBudget& budget, std::int64_t known) {
  search_->price_groups(budget, known);
}
const GridBound& RowBound::best() const { return search_->best(); }

GridBound bound_rows(const GridViews& views, const GridView& view,
                     std::span<const std::uint32_t> sizes, WorkBudget& budget, std::int64_t enough,
                     std::int64_t known) {
  RowBound bound(views, view, sizes, enough);
  bound.pool(budget, known);
  bound.price_zones(budget, known);
  bound.price_groups(budget, known);
  return bound.best();
}

}  // namespace zonecut
