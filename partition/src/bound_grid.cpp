#include "bound_grid.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <utility>

#include "bound_open_grid.hpp"
#include "bound_pieces.hpp"
#include "bound_stages.hpp"
#include "row_model.hpp"

namespace zonecut {
namespace {

constexpr int kSections = 20;
constexpr std::int64_t kUnlimited = std::numeric_limits<std::int64_t>::max();

/// A model with the shares that make the most of it.
struct View {
  Rows rows = Rows::Stages;
  RowModel raw;               ///< with all that paths lack taken off once
  RowModel model;             ///< with a share of it
  double kept = 1;            ///< of the weight inside groups
  double closing = 1;         ///< of what paths lack, taken off once
  std::int64_t groups = 0;    ///< what the groups' own bound adds, in quarters
  std::int64_t quarters = 0;  ///< separable bound and groups
};

/// The highest of a concave function on [0, 1] by golden sections; none where it falls from 1 on.
/// Ends early with the budget.
View highest(const std::function<View(double)>& at, View at_one, const WorkBudget& budget) {
  constexpr double kGolden = 0.381966;
  constexpr double kNear = 0.95;
  View best = std::move(at_one);
  const auto take = [&](double share) {
    View view = at(share);
    const std::int64_t value = view.quarters;
    if (value > best.quarters) best = std::move(view);
    return value;
  };
  const std::int64_t end = best.quarters;
  if (take(kNear) <= end) return best;
  double low = 0;
  double high = 1;
  double left = kGolden;
  double right = 1 - kGolden;
  std::int64_t at_left = take(left);
  std::int64_t at_right = take(right);
  for (int i = 0; i < kSections && !budget.spent(); ++i) {
    if (at_left >= at_right) {
      high = std::exchange(right, left);
      at_right = at_left;
      left = low + kGolden * (high - low);
      at_left = take(left);
    } else {
      low = std::exchange(left, right);
      at_left = at_right;
      right = high - kGolden * (high - low);
      at_right = take(right);
    }
  }
  take(0);
  return best;
}

/// Bounds for zones that are full in the end.
class KnownSizes {
 public:
  KnownSizes(const GridTraffic& grid, std::span<const std::uint32_t> sizes, std::int64_t steps,
             std::int64_t enough)
      : grid_(grid), sizes_(sizes), left_(steps), enough_(enough) {}

  GridBound run() {
    // Cheap ones first: what a path lacks against a cycle taken off in one way or the other.
    std::vector<View> views;
    for (const Rows rows : {Rows::Stages, Rows::Replicas, Rows::SharedLines}) {
      std::optional<View> view = view_of(rows, 1, 1);
      if (!view) continue;
      const bool lacking = view->raw.lacking_across > 0 || view->raw.lacking_inside > 0;
      if (lacking) {
        View other = close(*view, 0);
        if (other.quarters > view->quarters) view = std::move(other);
      }
      take(view->quarters, view->model.name + ", separable");
      views.push_back(std::move(*view));
    }
    if (done()) return best_;
    WorkBudget share(left_ / 8);
    const std::int64_t before = share.left();
    const bool groups = bound_groups(share);
    for (View& view : views) {
      if (groups) view = best_kept(std::move(view), share);
      view = best_closing(std::move(view), share);
      take(view.quarters, view.model.name + ", separable");
    }
    left_ -= before - share.left();
    std::ranges::stable_sort(views, std::ranges::greater{}, &View::quarters);
    for (const View& view : views) along_stages(view);
    for (const View& view : views) strengthen(view);
    return best_;
  }

 private:
  [[nodiscard]] bool done() const { return left_ <= 0 || best_.quarters >= enough_; }

  void take(std::int64_t quarters, const std::string& name) {
    if (quarters > best_.quarters) best_ = {quarters, {}, name};
  }

  /// Whether they are worth a bound of their own: what they cut must be more than zones would
  /// choose to.
  bool bound_groups(WorkBudget& budget) {
    const std::optional<RowModel> model = group_model(grid_);
    if (!model) return false;
    groups_ = pieces_bound(*model, sizes_, budget, kUnlimited);
    const std::int64_t chosen = separable_bound(*model, sizes_);
    return groups_ > chosen + chosen / 1000;
  }

  std::optional<View> view_of(Rows rows, double kept, double closing) const {
    std::optional<RowModel> raw = row_model(grid_, rows, kept);
    if (!raw) return std::nullopt;
    // Rounded down, and once more for the double.
    const auto groups =
        kept < 1 ? static_cast<std::int64_t>((1 - kept) * static_cast<double>(groups_)) - 1 : 0;
    return close({rows, std::move(*raw), {}, kept, 1, groups, 0}, closing);
  }

  [[nodiscard]] View close(View view, double closing) const {
    view.closing = closing;
    view.model = with_closing(view.raw, closing);
    view.quarters = separable_bound(view.model, sizes_) + view.groups;
    return view;
  }

  /// Steps to see the grid and to bound it once.
  [[nodiscard]] std::size_t steps_of(const RowModel& model) const {
    return 8 * model.length * std::min<std::size_t>(model.length, std::ranges::max(sizes_)) +
           16 * model.length * grid_.size[0];
  }

  View best_kept(View view, WorkBudget& budget) {
    const auto at = [&](double kept) {
      budget.spend(steps_of(view.model));
      return *view_of(view.rows, kept, view.closing);
    };
    return highest(at, view, budget);
  }

  View best_closing(View view, WorkBudget& budget) {
    if (view.raw.lacking_across == 0 && view.raw.lacking_inside == 0) return view;
    const auto at = [&](double closing) {
      budget.spend(steps_of(view.model));
      return close(view, closing);
    };
    return budget.spent() ? view : highest(at, view.closing == 1 ? view : at(1), budget);
  }

  /// Where rows have places of their own: no cycle leads from the last to the first. Worth its work
  /// where it begins not far below the best bound.
  void along_stages(const View& view) {
    // Shares of edges know nothing of where a row is cut.
    if (done() || view.rows == Rows::SharedLines || !stage_rows(view.raw)) return;
    // Little comes of the cyclic view of trees.
    const std::int64_t share = grid_.lines.empty() ? left_ / 2 : left_ - left_ / 4;
    WorkBudget budget(share);
    const View best = best_along_stages(view, budget);
    const std::optional<StageRows> rows = stage_rows(best.raw);
    const std::int64_t quarters =
        best.groups +
        stages_bound(*rows, sizes_, budget, best_.quarters - best.groups, enough_ - best.groups);
    take(quarters, view.model.name + ", place by place");
    left_ = left_ - share + std::max<std::int64_t>(0, budget.left());
  }

  /// The share of the groups that makes the most of it before there are any prices.
  View best_along_stages(View view, WorkBudget& budget) const {
    if (view.groups == 0) return view;
    const auto value = [&](const View& at) {
      return at.groups + separable_stages_bound(*stage_rows(at.raw), sizes_, budget);
    };
    std::int64_t most = value(view);
    for (const double kept : {0.4, 0.3, 0.2, 0.1, 0.0}) {
      std::optional<View> other = view_of(view.rows, kept, view.closing);
      const std::int64_t quarters = value(*other);
      if (quarters <= most) continue;
      most = quarters;
      view = std::move(*other);
    }
    return view;
  }

  void strengthen(const View& view) {
    if (done()) return;
    // Most of it for the most promising.
    WorkBudget budget(left_ - left_ / 4);
    const std::int64_t quarters =
        view.groups + pieces_bound(view.model, sizes_, budget, enough_ - view.groups);
    take(quarters, view.model.name + ", pieces and patterns");
    left_ = left_ / 4 + std::max<std::int64_t>(0, budget.left());
  }

  const GridTraffic& grid_;
  std::span<const std::uint32_t> sizes_;
  std::int64_t left_;
  std::int64_t enough_;
  std::int64_t groups_ = 0;
  GridBound best_;
};

}  // namespace

GridBound bound_grid(const GridTraffic& grid, std::span<const std::uint32_t> zone_capacity,
                     std::int64_t steps, std::int64_t enough) {
  std::vector<std::uint32_t> capacity(zone_capacity.begin(), zone_capacity.end());
  std::size_t room = 0;
  for (std::uint32_t& c : capacity) {
    c = std::min<std::uint32_t>(c, static_cast<std::uint32_t>(grid.vertices()));
    room += c;
  }
  if (room > grid.vertices()) return bound_open_grid(grid, capacity, steps, enough);
  GridBound bound = KnownSizes(grid, capacity, steps, enough).run();
  bound.shares = std::move(capacity);
  return bound;
}

}  // namespace zonecut
