#include "refine/box_offers.hpp"

#include <algorithm>
#include <tuple>

namespace zonecut {

BoxOffers::BoxOffers(const WorkingPartition& partition, const BoxGrids& grids)
    : partition_(partition),
      grids_(grids),
      offers_(partition.parts(), OfPart(2 * partition.parts())),
      segments_(partition.parts()),
      near_(partition.parts(), kNotNear),
      sum_(partition.parts()) {
  const CommunicationGraph& graph = partition.graph();
  links_.reserve(2 * graph.edges());
  for (std::uint32_t v = 0; v < graph.vertices(); ++v) {
    first_link_.push_back(links_.size());
    for (const auto& [u, weight] : graph.neighbours(v)) {
      links_.push_back({u, column_of(u, grids.place[v].row), weight});
    }
  }
  first_link_.push_back(links_.size());
}

/// As a vertex of this row sees it.
std::uint32_t BoxOffers::column_of(std::uint32_t vertex, std::uint32_t row) const {
  const BoxGrids::Place& place = grids_.place[vertex];
  if (row == BoxGrids::kNowhere || place.row == BoxGrids::kNowhere) return kElsewhere;
  if (grids_.rows[place.row].grid != grids_.rows[row].grid) return kElsewhere;
  if (place.row == row) return place.column;
  if (place.row == row + 1) return kAbove;
  return place.row + 1 == row ? kBelow : kElsewhere;
}

void BoxOffers::see(std::span<const std::uint32_t> parts, WorkBudget& budget) {
  work_ = grids_.vertex_at.size();
  find_segments(parts);
  for (const std::uint32_t part : parts) {
    for (OfPair& offers : offers_[part]) {
      offers.sizes = 0;
      offers.least = kNone;
    }
    see_part(part, BoxSide::Begin);
    see_part(part, BoxSide::End);
  }
  budget.spend(work_);
}

void BoxOffers::find_segments(std::span<const std::uint32_t> parts) {
  constexpr std::uint32_t kWanted = 0;
  for (const std::uint32_t part : parts) {
    segments_[part].clear();
    near_[part] = kWanted;
  }
  for (std::uint32_t r = 0; r < grids_.rows.size(); ++r) {
    const BoxGrids::Row& row = grids_.rows[r];
    const std::span<const std::uint32_t> vertex =
        std::span(grids_.vertex_at).subspan(row.first, row.length);
    for (std::uint32_t begin = 0; begin < row.length;) {
      const std::uint32_t part = partition_.part(vertex[begin]);
      std::uint32_t end = begin + 1;
      while (end < row.length && partition_.part(vertex[end]) == part) ++end;
      if (near_[part] == kWanted) segments_[part].push_back({r, begin, end});
      begin = end;
    }
  }
  for (const std::uint32_t part : parts) near_[part] = kNotNear;
}

/// In runs of rows where the part begins (or ends) at the same column.
void BoxOffers::see_part(std::uint32_t part, BoxSide side) {
  std::vector<Segment>& all = segments_[part];
  const auto edge = [&](const Segment& s) { return side == BoxSide::Begin ? s.begin : s.end; };
  std::ranges::sort(all, {}, [&](const Segment& s) { return std::tuple(edge(s), s.row); });
  for (std::size_t first = 0; first < all.size();) {
    const std::uint32_t grid = grids_.rows[all[first].row].grid;
    std::size_t last = first + 1;
    while (last < all.size() && edge(all[last]) == edge(all[first]) &&
           all[last].row == all[last - 1].row + 1 && grids_.rows[all[last].row].grid == grid) {
      ++last;
    }
    see_run(part, std::span(all).subspan(first, last - first), side);
    first = last;
  }
}

/// Boxes that grow column by column.
void BoxOffers::see_run(std::uint32_t part, std::span<const Segment> run, BoxSide side) {
  for (std::vector<std::int64_t>* weights : {&beside_, &above_, &below_}) {
    weights->assign(run.size() * offers_.size(), 0);
  }
  parts_near_.clear();
  add_near(part);
  target_.assign(1, nullptr);
  const std::uint32_t longest = std::ranges::max(run, {}, &Segment::length).length();
  for (std::uint32_t length = 1; length <= std::min<std::size_t>(longest, kMostVertices);
       ++length) {
    for (std::size_t i = 0; i < run.size(); ++i) {
      if (run[i].length() >= length) add_column(run[i], length, side, i);
    }
    choose_targets(part, side);
    offer(run, length, side);
  }
  for (const std::uint32_t near : parts_near_) near_[near] = kNotNear;
}

std::size_t BoxOffers::add_near(std::uint32_t part) {
  near_[part] = static_cast<std::uint32_t>(parts_near_.size());
  parts_near_.push_back(part);
  return near_[part];
}

void BoxOffers::choose_targets(std::uint32_t part, BoxSide side) {
  for (std::size_t k = target_.size(); k < parts_near_.size(); ++k) {
    OfPair& offers = offers_[part][index(parts_near_[k], side)];
    if (offers.sizes == 0) {
      offers.cost.assign(kMostVertices + 1, kNone);
      offers.box.resize(kMostVertices + 1);
    }
    target_.push_back(&offers);
  }
}

/// The one that a row's box of so many columns has more than before.
void BoxOffers::add_column(const Segment& segment, std::uint32_t length, BoxSide side,
                           std::size_t row) {
  const std::uint32_t low = side == BoxSide::Begin ? segment.begin : segment.end - length;
  const std::uint32_t column = side == BoxSide::Begin ? low + length - 1 : low;
  const std::span<const Link> all = links(grids_.vertex(segment.row, column));
  const std::size_t base = row * offers_.size();
  for (const Link& link : all) {
    const std::size_t at = base + near(partition_.part(link.vertex));
    if (link.column == kAbove) {
      above_[at] += link.weight;
    } else if (link.column == kBelow) {
      below_[at] += link.weight;
    } else {
      const bool within = link.column - low < length;
      beside_[at] += within ? -link.weight : link.weight;
    }
  }
  work_ += 6 * all.size();
}

/// Boxes of so many columns, of all rows of the run from one to another.
void BoxOffers::offer(std::span<const Segment> run, std::uint32_t length, BoxSide side) {
  const std::size_t count = parts_near_.size();
  const std::size_t most_rows = kMostVertices / length;
  for (std::size_t first = 0; first < run.size(); ++first) {
    const std::uint32_t column =
        side == BoxSide::Begin ? run[first].begin : run[first].end - length;
    std::fill_n(sum_.begin(), count, 0);
    const std::int64_t* below = below_.data() + first * offers_.size();
    const std::size_t end = std::min(run.size(), first + most_rows);
    std::size_t size = 0;
    for (std::size_t last = first; last < end && run[last].length() >= length; ++last) {
      size += length;
      const std::int64_t* beside = beside_.data() + last * offers_.size();
      const std::int64_t* above = above_.data() + last * offers_.size();
      sum_[0] += beside[0];
      const std::int64_t lost = sum_[0] + below[0] + above[0];
      for (std::size_t k = 1; k < count; ++k) {
        sum_[k] += beside[k];
        const std::int64_t gained = sum_[k] + below[k] + above[k];
        OfPair& offers = *target_[k];
        if (gained <= 0 || lost - gained >= offers.cost[size]) continue;
        offers.cost[size] = lost - gained;
        offers.least = std::min(offers.least, lost - gained);
        offers.box[size] = {run[first].row, static_cast<std::uint32_t>(last - first + 1), column,
                            length};
        offers.sizes = std::max(offers.sizes, size + 1);
      }
      work_ += 9 * count;
    }
  }
}

std::int64_t BoxOffers::weight(const Box& box, const Box& other, WorkBudget& budget) const {
  std::int64_t sum = 0;
  std::size_t work = 0;
  for (std::uint32_t row = box.row; row < box.row + box.rows; ++row) {
    for (std::uint32_t column = box.column; column < box.column + box.columns; ++column) {
      const std::span<const Link> all = links(grids_.vertex(row, column));
      for (const Link& link : all) {
        if (other.holds(grids_.place[link.vertex])) sum += link.weight;
      }
      work += 3 * all.size();
    }
  }
  budget.spend(work);
  return sum;
}

}  // namespace zonecut
