#include "bound/priced_sets.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "bound/joined_sets.hpp"
#include "bound/swept_sets.hpp"
#include "grid/relaxation_sums.hpp"

namespace zonecut {
namespace {

std::size_t swept_steps(std::span<const std::uint32_t> widths, std::span<const LineEdge> edges,
                        std::size_t largest, Fineness fineness) {
  return SweptSets::sums(widths.size(), edges, largest, fineness) / SweptSets::kSumsPerStep;
}

}  // namespace

double PricedSets::below_costs(std::size_t size) const {
  double highest = -kNotReached;
  for (const Line& line : lines_) {
    highest = std::max(highest, line.at_none - line.fall * number(size));
  }
  return highest;
}

std::size_t priced_sets_steps(std::span<const std::uint32_t> widths,
                              std::span<const LineEdge> edges, std::size_t largest,
                              Fineness fineness) {
  return std::min(JoinedSets::steps(widths, edges, largest),
                  swept_steps(widths, edges, largest, fineness));
}

std::unique_ptr<PricedSets> priced_sets(std::vector<std::uint32_t> widths,
                                        std::span<const LineEdge> edges, std::size_t largest,
                                        std::size_t most_steps, Fineness fineness) {
  if (swept_steps(widths, edges, largest, fineness) < JoinedSets::steps(widths, edges, largest)) {
    auto sets = SweptSets::make(std::move(widths), edges, largest,
                                SweptSets::kSumsPerStep * most_steps, fineness);
    return sets ? std::make_unique<SweptSets>(*std::move(sets)) : nullptr;
  }
  auto sets = JoinedSets::make(std::move(widths), edges, largest, most_steps);
  return sets ? std::make_unique<JoinedSets>(*std::move(sets)) : nullptr;
}

}  // namespace zonecut
