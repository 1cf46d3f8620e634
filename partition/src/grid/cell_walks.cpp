#include "grid/cell_walks.hpp"

#include <algorithm>
#include <utility>

namespace zonecut {

CellWalks::CellWalks(const CellRing& ring, std::int64_t end_price)
    : cells_(ring.cells),
      size_(ring.size),
      options_(ring.size + 1),
      slope_(ring.slope),
      closing_(ring.slope - ring.lacking),
      chain_(ring.chain),
      end_price_(end_price),
      whole_(ring.cells * ring.size + 1, kNever) {
  for (std::size_t k = 0; k < options_; ++k) {
    cell_.push_back(ring.cell(k) + (ring.price.empty() ? 0 : ring.price[k]));
  }
  rest_.resize(closed() ? options_ : 1);
}

std::size_t CellWalks::most_entries(const CellRing& ring) {
  const std::size_t options = ring.size + 1;
  const bool closed = ring.lacking < ring.slope || ring.chain > 0;
  return (ring.cells + 1) * (ring.cells * ring.size + 1) * options * (closed ? options : 1);
}

std::int64_t CellWalks::border(std::size_t last, std::size_t taken, std::int64_t slope) const {
  const auto apart = static_cast<std::int64_t>(std::max(last, taken) - std::min(last, taken));
  return slope * apart + (apart == static_cast<std::int64_t>(size_) ? chain_ : 0);
}

/// [last] becomes the least over k of [k] and the border between them.
void CellWalks::cross(std::vector<std::int64_t>& after) const {
  // The chain is cut only between a full cell and an empty one.
  std::int64_t from_empty = kNever;
  std::int64_t from_full = kNever;
  for (std::size_t k = 0; k < options_; ++k) {
    from_empty = std::min(from_empty, after[k] + border(0, k, slope_));
    from_full = std::min(from_full, after[k] + border(size_, k, slope_));
  }
  for (std::size_t k = 1; k < options_; ++k) after[k] = std::min(after[k], after[k - 1] + slope_);
  for (std::size_t k = options_ - 1; k-- > 0;) after[k] = std::min(after[k], after[k + 1] + slope_);
  after.front() = from_empty;
  after.back() = from_full;
}

/// From the last cell backwards.
void CellWalks::fill(std::vector<std::int64_t>& rest, std::size_t first) {
  const std::size_t sums = cells_ * size_ + 1;
  rest.assign((cells_ + 1) * sums * options_, kNever);
  const auto at = [&](std::size_t cell, std::size_t left) {
    return rest.begin() + static_cast<std::ptrdiff_t>((cell * sums + left) * options_);
  };
  for (std::size_t last = 0; last < options_; ++last) {
    at(cells_, 0)[static_cast<std::ptrdiff_t>(last)] = closed() ? border(last, first, closing_) : 0;
  }
  std::vector<std::int64_t> after(options_);
  for (std::size_t cell = cells_; cell-- > 1;) {
    for (std::size_t left = 0; left <= (cells_ - cell) * size_; ++left) {
      for (std::size_t k = 0; k < options_; ++k) {
        const std::int64_t next =
            k <= left ? at(cell + 1, left - k)[static_cast<std::ptrdiff_t>(k)] : kNever;
        after[k] = next < kNever ? next + inside(cell, k) : kNever;
      }
      cross(after);
      for (std::int64_t& each : after) each = std::min(each, kNever);
      std::ranges::copy(after, at(cell, left));
    }
  }
  work_ += cells_ * sums * options_;
}

const std::vector<std::int64_t>& CellWalks::table(std::size_t first) {
  std::vector<std::int64_t>& rest = rest_[closed() ? first : 0];
  if (rest.empty()) fill(rest, first);
  return rest;
}

std::int64_t CellWalks::whole(std::size_t left) {
  std::int64_t& least = whole_[left];
  if (least < kNever) return least;
  for (std::size_t first = 0; first <= std::min(size_, left); ++first) {
    const std::int64_t after = rest(first, 1, left - first, first);
    if (after < kNever) least = std::min(least, inside(0, first) + after);
  }
  return least;
}

std::size_t CellWalks::take_work() { return std::exchange(work_, 0); }

}  // namespace zonecut
