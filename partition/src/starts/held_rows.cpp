#include "starts/held_rows.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "zonecut/base/error.hpp"

namespace zonecut {
namespace {

/// From that one of `count` on, in a circle, the first that suits; or `count`.
template <class Suits>
std::size_t next_from(std::size_t first, std::size_t count, const Suits& suits) {
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t here = first + i < count ? first + i : first + i - count;
    if (suits(here)) return here;
  }
  return count;
}

}  // namespace

void HeldRows::fill_in_turn(std::span<const std::uint32_t> shares, std::size_t length,
                            Random& random) {
  std::vector<std::size_t> order(parts_);
  std::iota(order.begin(), order.end(), std::size_t{0});
  random.shuffle(std::span(order));
  std::ranges::fill(held_, 0U);
  std::size_t row = 0;
  auto room = static_cast<std::uint32_t>(length);
  for (const std::size_t part : order) {
    for (std::uint32_t left = shares[part]; left > 0;) {
      ZONECUT_ENSURES(row < rows_);
      const std::uint32_t taken = std::min(left, room);
      at(part, row) += taken;
      left -= taken;
      room -= taken;
      if (room > 0) continue;
      ++row;
      room = static_cast<std::uint32_t>(length);
    }
  }
}

std::size_t HeldRows::next_row(std::size_t part, std::size_t first, std::size_t but) const {
  return next_from(first, rows_, [&](auto row) { return held(part, row) > 0 && row != but; });
}

std::size_t HeldRows::next_part(std::size_t row, std::size_t first, std::size_t but) const {
  return next_from(first, parts_, [&](auto part) { return held(part, row) > 0 && part != but; });
}

void HeldRows::apply(const Exchange& exchange) {
  at(exchange.one, exchange.here) -= exchange.count;
  at(exchange.one, exchange.there) += exchange.count;
  at(exchange.other, exchange.there) -= exchange.count;
  at(exchange.other, exchange.here) += exchange.count;
}

void HeldRows::undo(Exchange exchange) {
  std::swap(exchange.here, exchange.there);
  apply(exchange);
}

void HeldRows::swap_rows(std::size_t a, std::size_t b) {
  for (std::size_t part = 0; part < parts_; ++part) std::swap(at(part, a), at(part, b));
}

}  // namespace zonecut
