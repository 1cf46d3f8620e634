#pragma once
// Boxes of as many vertices that change places between two parts, or around three.
#include <array>
#include <cstdint>
#include <functional>
#include <span>

#include "refine/box_offers.hpp"

namespace zonecut {

struct BoxExchange {
  std::int64_t cost = 0;  ///< what the cut rises by, were no box next to another
  std::uint32_t size = 0;
  std::uint32_t count = 0;               ///< of parts
  std::array<std::uint32_t, 3> parts{};  ///< each gives to the next, the last to the first
  std::array<BoxSide, 3> sides{};        ///< of the box that it gives

  [[nodiscard]] std::uint32_t from(std::size_t i) const { return parts[i]; }
  [[nodiscard]] std::uint32_t to(std::size_t i) const { return parts[i + 1 < count ? i + 1 : 0]; }
  /// Cheapest first.
  friend auto operator<=>(const BoxExchange&, const BoxExchange&) = default;
};

/// Those that cost less than `below` and begin with one of these parts; the same exchange may begin
/// with each of its parts. Ends early with the budget. Around three only where there are at most
/// 32 parts.
void for_exchanges(const BoxOffers& offers, std::span<const std::uint32_t> parts,
                   std::int64_t below, WorkBudget& budget,
                   const std::function<void(const BoxExchange&)>& take);

/// By part that gives; those beyond `count` are empty.
[[nodiscard]] std::array<Box, 3> boxes_of(const BoxOffers& offers, const BoxExchange& exchange);

/// What the cut rises by: edges between a box and the one whose place it takes are cut before and
/// after, which its offer does not know.
[[nodiscard]] std::int64_t exact_cost(const BoxOffers& offers, const BoxExchange& exchange,
                                      WorkBudget& budget);

}  // namespace zonecut
