#include "bound/set_relaxation.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "grid/relaxation_sums.hpp"

namespace zonecut {
namespace {

/// By size, each with a number of zones.
template <class Sizes>
std::map<std::size_t, double> counted(const Sizes& sizes) {
  std::map<std::size_t, double> counts;
  for (const std::size_t size : sizes) {
    if (size > 0) ++counts[size];
  }
  return counts;
}

}  // namespace

SetRelaxation::SetRelaxation(PricedSets& sets, std::span<const std::uint32_t> sizes,
                             Filling filling)
    : sets_(sets), dearest_(sets.places()), members_(sets.places(), 0) {
  if (filling == Filling::Open) {
    sharing_.emplace(sizes, sets.places());
  } else {
    for (const auto& [size, count] : counted(sizes)) zones_.push_back({size, count});
  }
}

std::size_t SetRelaxation::steps_per_solve() const {
  const std::size_t steps = sets_.steps();
  return sharing_ ? steps + sharing_->steps() + steps / kSharingPart : steps;
}

/// A size of which no set is known costs nothing to cut, and gets the dearest vertices.
void SetRelaxation::price_sizes() {
  cost_.assign(sets_.costs().begin(), sets_.costs().end());
  if (std::ranges::all_of(cost_, [](double cost) { return std::isfinite(cost); })) return;
  std::iota(dearest_.begin(), dearest_.end(), 0U);
  std::ranges::stable_sort(dearest_, std::ranges::greater{},
                           [&](std::uint32_t place) { return sets_.price(place); });
  double worth = 0;
  for (std::size_t size = 1; size < cost_.size(); ++size) {
    worth += sets_.price(dearest_[size - 1]);
    if (!sets_.knows(size)) cost_[size] = -worth;
  }
}

/// What they cost together.
double SetRelaxation::choose_sizes() {
  const SharedSizes::Choice& choice = sharing_->choose(cost_, sets_.steps() / kSharingPart);
  zones_.clear();
  for (const auto& [size, count] : counted(choice.size)) zones_.push_back({size, count});
  return choice.least;
}

void SetRelaxation::take_members(std::size_t size) {
  if (sets_.knows(size)) {
    sets_.members({&size, 1}, members_);
    return;
  }
  std::ranges::fill(members_, std::uint8_t{0});
  for (std::size_t i = 0; i < size; ++i) members_[dearest_[i]] = 1;
}

double SetRelaxation::solve(const PieceMultipliers& multipliers, PieceViolation& violation) {
  sets_.solve(multipliers.piece);
  price_sizes();
  violation.piece.assign(pieces(), 1);
  violation.touch = 0;
  violation.run = 0;
  double bound = sharing_ ? choose_sizes() : 0;
  double magnitude = std::abs(bound);
  for (std::size_t place = 0; place < pieces(); ++place) {
    bound += sets_.price(place);
    magnitude += std::abs(sets_.price(place));
  }
  for (const Zones& zones : zones_) {
    const double cost = zones.count * cost_[zones.size];
    if (!sharing_) bound += cost;
    magnitude += std::abs(cost);
    take_members(zones.size);
    for (std::size_t place = 0; place < pieces(); ++place) {
      violation.piece[place] -= zones.count * members_[place];
    }
  }
  return bound - kRounding * magnitude;
}

}  // namespace zonecut
