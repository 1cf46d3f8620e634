#include "refine/box_exchanges.hpp"

#include <algorithm>

namespace zonecut {
namespace {

constexpr std::size_t kMostPartsForThree = 32;
constexpr std::array kSides{BoxSide::Begin, BoxSide::End};

using Offers = BoxOffers::OfPair;

class Listing {
 public:
  Listing(const BoxOffers& offers, std::int64_t below, WorkBudget& budget,
          const std::function<void(const BoxExchange&)>& take)
      : offers_(offers), below_(below), budget_(budget), take_(take) {}

  void begin_with(std::uint32_t a) {
    for (std::uint32_t b = 0; b < offers_.parts(); ++b) {
      for (const BoxSide side : kSides) {
        const Offers& first = offers_.between(a, b, side);
        budget_.spend(1);
        if (first.sizes == 0) continue;
        between_two(first, {0, 0, 2, {a, b, 0}, {side, side, side}});
        if (offers_.parts() <= kMostPartsForThree) {
          around_three(first, {0, 0, 3, {a, b, 0}, {side, side, side}});
        }
      }
    }
  }

 private:
  void between_two(const Offers& first, BoxExchange exchange) {
    for (const BoxSide side : kSides) {
      exchange.sides[1] = side;
      const Offers& second = offers_.between(exchange.parts[1], exchange.parts[0], side);
      take_all(std::array{&first, &second}, exchange);
    }
  }

  void around_three(const Offers& first, BoxExchange exchange) {
    const auto [a, b, none] = exchange.parts;
    for (std::uint32_t c = 0; c < offers_.parts(); ++c) {
      if (c == a || c == b) continue;
      exchange.parts[2] = c;
      for (const BoxSide side : kSides) {
        exchange.sides[1] = side;
        const Offers& second = offers_.between(b, c, side);
        if (second.sizes > 0) close(first, second, exchange);
      }
    }
    budget_.spend(2 * offers_.parts());
  }

  void close(const Offers& first, const Offers& second, BoxExchange exchange) {
    for (const BoxSide side : kSides) {
      exchange.sides[2] = side;
      const Offers& third = offers_.between(exchange.parts[2], exchange.parts[0], side);
      take_all(std::array{&first, &second, &third}, exchange);
    }
  }

  /// Of every size. Most offers cost too much together whatever their sizes, which is soon seen.
  template <std::size_t kCount>
  void take_all(const std::array<const Offers*, kCount>& offers, BoxExchange& exchange) {
    std::size_t sizes = offers.front()->sizes;
    std::int64_t least = 0;
    for (const Offers* each : offers) {
      sizes = std::min(sizes, each->sizes);
      least += each->least;
    }
    budget_.spend(2 * sizes);
    if (least >= below_) return;
    for (std::size_t s = 1; s < sizes; ++s) {
      std::int64_t cost = 0;
      bool offered = true;
      for (const Offers* each : offers) {
        cost += each->cost[s];
        offered = offered && each->cost[s] < BoxOffers::kNone;
      }
      if (offered) take(cost, s, exchange);
    }
  }

  void take(std::int64_t cost, std::size_t size, BoxExchange& exchange) {
    if (cost >= below_) return;
    exchange.cost = cost;
    exchange.size = static_cast<std::uint32_t>(size);
    take_(exchange);
  }

  const BoxOffers& offers_;
  std::int64_t below_;
  WorkBudget& budget_;
  const std::function<void(const BoxExchange&)>& take_;
};

}  // namespace

void for_exchanges(const BoxOffers& offers, std::span<const std::uint32_t> parts,
                   std::int64_t below, WorkBudget& budget,
                   const std::function<void(const BoxExchange&)>& take) {
  Listing listing(offers, below, budget, take);
  for (const std::uint32_t part : parts) {
    if (budget.spent()) return;
    listing.begin_with(part);
  }
}

std::array<Box, 3> boxes_of(const BoxOffers& offers, const BoxExchange& exchange) {
  std::array<Box, 3> boxes;
  for (std::size_t i = 0; i < exchange.count; ++i) {
    boxes[i] =
        offers.between(exchange.from(i), exchange.to(i), exchange.sides[i]).box[exchange.size];
  }
  return boxes;
}

std::int64_t exact_cost(const BoxOffers& offers, const BoxExchange& exchange, WorkBudget& budget) {
  const std::array<Box, 3> boxes = boxes_of(offers, exchange);
  std::int64_t cost = exchange.cost;
  for (std::size_t i = 0; i < exchange.count; ++i) {
    cost += offers.weight(boxes[i], boxes[i + 1 < exchange.count ? i + 1 : 0], budget);
  }
  return cost;
}

}  // namespace zonecut
