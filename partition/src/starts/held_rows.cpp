#include "starts/held_rows.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "zonecut/base/error.hpp"

namespace zonecut {
namespace {

/// Of numbers in order the next from that one on, in a circle, that is not `but`; or `none`.
std::size_t next_from(std::span<const std::uint32_t> some, std::size_t first, std::size_t but,
                      std::size_t none) {
  std::size_t i = 0;
  while (i < some.size() && some[i] < first) ++i;
  for (std::size_t tried = 0; tried < some.size(); ++tried, ++i) {
    if (i >= some.size()) i = 0;
    if (some[i] != but) return some[i];
  }
  return none;
}

/// Into the first `count` of a list, which are in order.
void insert(std::span<std::uint32_t> list, std::uint32_t& count, std::size_t number) {
  std::size_t i = count++;
  for (; i > 0 && list[i - 1] > number; --i) list[i] = list[i - 1];
  list[i] = static_cast<std::uint32_t>(number);
}

void erase(std::span<std::uint32_t> list, std::uint32_t& count, std::size_t number) {
  std::size_t i = 0;
  while (list[i] != number) ++i;
  for (--count; i < count; ++i) list[i] = list[i + 1];
}

}  // namespace

HeldRows::HeldRows(std::size_t parts, std::size_t rows)
    : parts_(parts),
      rows_(rows),
      held_(parts * rows, 0),
      rows_of_(parts * rows),
      row_count_(parts, 0),
      parts_of_(rows * parts),
      part_count_(rows, 0) {}

void HeldRows::add(std::size_t part, std::size_t row, std::uint32_t count) {
  if (count == 0) return;
  std::uint32_t& held = held_[part * rows_ + row];
  if (held == 0) {
    insert(std::span(rows_of_).subspan(part * rows_, rows_), row_count_[part], row);
    insert(std::span(parts_of_).subspan(row * parts_, parts_), part_count_[row], part);
  }
  held += count;
}

void HeldRows::remove(std::size_t part, std::size_t row, std::uint32_t count) {
  if (count == 0) return;
  std::uint32_t& held = held_[part * rows_ + row];
  held -= count;
  if (held > 0) return;
  erase(std::span(rows_of_).subspan(part * rows_, rows_), row_count_[part], row);
  erase(std::span(parts_of_).subspan(row * parts_, parts_), part_count_[row], part);
}

void HeldRows::fill_in_turn(std::span<const std::uint32_t> shares, std::size_t length,
                            Random& random) {
  std::vector<std::size_t> order(parts_);
  std::iota(order.begin(), order.end(), std::size_t{0});
  random.shuffle(std::span(order));
  *this = HeldRows(parts_, rows_);
  std::size_t row = 0;
  auto room = static_cast<std::uint32_t>(length);
  for (const std::size_t part : order) {
    for (std::uint32_t left = shares[part]; left > 0;) {
      ZONECUT_ENSURES(row < rows_);
      const std::uint32_t taken = std::min(left, room);
      add(part, row, taken);
      left -= taken;
      room -= taken;
      if (room > 0) continue;
      ++row;
      room = static_cast<std::uint32_t>(length);
    }
  }
}

std::size_t HeldRows::next_row(std::size_t part, std::size_t first, std::size_t but) const {
  return next_from(rows_of(part), first, but, rows_);
}

std::size_t HeldRows::next_part(std::size_t row, std::size_t first, std::size_t but) const {
  return next_from(parts_of(row), first, but, parts_);
}

void HeldRows::apply(const Exchange& exchange) {
  remove(exchange.one, exchange.here, exchange.count);
  add(exchange.one, exchange.there, exchange.count);
  remove(exchange.other, exchange.there, exchange.count);
  add(exchange.other, exchange.here, exchange.count);
}

void HeldRows::undo(Exchange exchange) {
  std::swap(exchange.here, exchange.there);
  apply(exchange);
}

void HeldRows::swap_held(std::size_t part, std::size_t a, std::size_t b) {
  std::uint32_t& of_a = held_[part * rows_ + a];
  std::uint32_t& of_b = held_[part * rows_ + b];
  if (of_a == of_b) return;
  std::swap(of_a, of_b);
  if (of_a > 0 && of_b > 0) return;
  const std::span<std::uint32_t> rows = std::span(rows_of_).subspan(part * rows_, rows_);
  erase(rows, row_count_[part], of_a == 0 ? a : b);
  insert(rows, row_count_[part], of_a == 0 ? b : a);
}

void HeldRows::swap_parts_of(std::size_t a, std::size_t b) {
  const auto list = [&](std::size_t row) {
    return std::span(parts_of_).subspan(row * parts_, std::max(part_count_[a], part_count_[b]));
  };
  std::ranges::swap_ranges(list(a), list(b));
  std::swap(part_count_[a], part_count_[b]);
}

void HeldRows::swap_rows(std::size_t a, std::size_t b) {
  if (a == b) return;
  for (std::size_t part = 0; part < parts_; ++part) swap_held(part, a, b);
  swap_parts_of(a, b);
}

void HeldRows::swap_rows(std::size_t a, std::size_t b, std::span<const std::uint32_t> parts) {
  if (a == b) return;
  for (const std::uint32_t part : parts) swap_held(part, a, b);
  swap_parts_of(a, b);
}

}  // namespace zonecut
