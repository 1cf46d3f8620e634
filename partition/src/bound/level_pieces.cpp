#include "bound/level_pieces.hpp"

#include <algorithm>

#include "grid/relaxation_sums.hpp"

namespace zonecut {

void LevelPieces::set_prices(const RowModel& model, std::span<const double> price) {
  price_ = price;
  across_.clear();
  around_.clear();
  for (std::size_t x = 0; x < price.size(); ++x) {
    across_.push_back(in_quarters(model.across[x]));
    around_.push_back(in_quarters(model.around[x]));
  }
  least_ends_ = across_;
  for (std::size_t x = price.size(); x-- > 1;) {
    least_ends_[x - 1] = std::min(least_ends_[x - 1], least_ends_[x]);
  }
}

void LevelPieces::clear_table(std::size_t most_pieces, std::size_t more) {
  columns_ = more + 1;
  least_.assign((most_pieces + 1) * columns_, kNotReached);
  least_.front() = 0;
}

/// As many of these as one likes.
void LevelPieces::allow(std::size_t piece, std::size_t shortest) {
  const std::size_t more = piece - shortest;
  for (std::size_t k = 1; k * columns_ < least_.size(); ++k) {
    lower(row_of(least_, k, columns_).subspan(more), row_of(least_, k - 1, columns_),
          price_[piece]);
  }
}

LevelPieces::Above LevelPieces::above(std::size_t count, std::size_t more,
                                      std::size_t shortest) const {
  Above best{kNotReached, 0};
  for (std::size_t k = 0; k <= count && k * columns_ < least_.size(); ++k) {
    const double cost = least_[k * columns_ + more] + number(count - k) * price_[shortest];
    if (cost < best.cost) best = {cost, k};
  }
  return best;
}

/// With this shortest piece. False where there is not enough work left.
bool LevelPieces::look_above(const Task& task, std::size_t shortest, Choice& best,
                             std::int64_t& work) {
  const std::size_t more = task.sum - task.count * shortest;
  const double begun = task.others - around_[shortest];
  const auto take = [&](double cost, std::size_t longest) {
    if (cost < best.cost) best = {cost, shortest, longest};
  };
  if (more == 0) {
    take(number(task.count) * price_[shortest] + begun + (task.ends ? across_[shortest] : 0),
         shortest);
    return true;
  }
  // The longest piece is one by itself where it is asked for.
  const std::size_t count = task.count - (task.ends ? 1 : 0);
  const std::size_t most_above = std::min(count, more);
  if (work <= 0) return false;
  clear_table(most_above, more);
  const std::size_t end = std::min(shortest + more, price_.size() - 1);
  for (std::size_t x = shortest + 1; x <= end; ++x) {
    if (task.ends && task.least + begun + least_ends_[x] >= best.cost) break;
    const std::size_t rest = more - (x - shortest);
    work -= static_cast<std::int64_t>(most_above * (rest + 1));
    if (work < 0) return false;
    allow(x, shortest);
    if (task.ends) take(above(count, rest, shortest).cost + price_[x] + across_[x] + begun, x);
  }
  if (!task.ends) take(above(count, more, shortest).cost + begun, end);
  return true;
}

std::optional<LevelPieces::Choice> LevelPieces::cheapest(const Task& task, double limit,
                                                         std::int64_t& work) {
  Choice best{limit, 0, 0};
  const std::size_t mean = task.sum / task.count;
  const double ends = task.ends ? least_ends_[(task.sum + task.count - 1) / task.count] : 0;
  // A single piece is the shortest and the longest.
  const std::size_t last = task.count == 1 ? mean : 1;
  for (std::size_t y = mean; y >= last; --y) {
    // Shorter ones save no more.
    if (task.others + task.least + ends - around_[y] >= best.cost) break;
    if (!look_above(task, y, best, work)) return std::nullopt;
  }
  return best;
}

void LevelPieces::take(const Task& task, const Choice& choice, std::vector<PieceCount>& pieces) {
  std::size_t more = task.sum - task.count * choice.shortest;
  std::size_t count = task.count;
  if (more > 0 && task.ends) {
    pieces.push_back({choice.longest, 1});
    more -= choice.longest - choice.shortest;
    --count;
  }
  clear_table(std::min(count, more), more);
  for (std::size_t x = choice.shortest + 1; x <= std::min(choice.longest, choice.shortest + more);
       ++x) {
    allow(x, choice.shortest);
  }
  std::size_t k = above(count, more, choice.shortest).pieces;
  if (count > k) pieces.push_back({choice.shortest, number(count - k)});
  for (; k > 0; --k) {
    const std::span<const double> before = row_of(least_, k - 1, columns_);
    const auto cost = [&](std::size_t x) {
      return before[more - (x - choice.shortest)] + price_[x];
    };
    std::size_t best = choice.shortest + 1;
    for (std::size_t x = best + 1; x <= std::min(choice.longest, choice.shortest + more); ++x) {
      if (cost(x) < cost(best)) best = x;
    }
    pieces.push_back({best, 1});
    more -= best - choice.shortest;
  }
}

}  // namespace zonecut
