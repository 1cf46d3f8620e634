#include "bound/piece_table.hpp"

#include <algorithm>

#include "grid/min_plus.hpp"

namespace zonecut {

std::size_t cheapest_last(std::span<const double> least, std::span<const double> price,
                          std::size_t sum, std::size_t largest) {
  std::size_t best = 1;
  for (std::size_t x = 2; x <= std::min(sum, largest); ++x) {
    if (least[sum - x] + price[x] < least[sum - best] + price[best]) best = x;
  }
  return best;
}

void PieceTable::set_prices(std::span<const double> price) {
  price_ = price;
  filled_ = 0;
}

double PieceTable::least(std::size_t k, std::size_t v) {
  if (filled_ == 0) {
    std::ranges::fill(row(0), kNotReached);
    row(0).front() = 0;
    filled_ = 1;
  }
  for (; filled_ <= k; ++filled_) {
    const std::span<double> to = row(filled_);
    std::ranges::fill(to, kNotReached);
    for (std::size_t x = 1; x < std::min(price_.size(), columns_); ++x) {
      lower(to.subspan(x), row(filled_ - 1), price_[x]);
    }
  }
  return row(k)[v];
}

void PieceTable::take(std::size_t k, std::size_t v, std::vector<PieceCount>& pieces) {
  for (; k > 0; --k) {
    const std::size_t piece = cheapest_last(row(k - 1), price_, v, price_.size() - 1);
    pieces.push_back({piece, 1});
    v -= piece;
  }
}

}  // namespace zonecut
