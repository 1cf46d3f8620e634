#include "grid/divisions.hpp"

#include <functional>

namespace zonecut {

std::size_t Divisions::Hash::operator()(const Sizes& sizes) const {
  std::uint64_t all = 0;
  for (const std::uint16_t size : sizes) {
    if (size == 0) break;
    all = mixed(all, size);
  }
  return all;
}

Divisions::Sizes Divisions::sorted(std::span<const std::uint32_t> pieces) {
  Sizes sizes{};
  std::ranges::copy(pieces, sizes.begin());
  std::ranges::sort(std::span(sizes).first(pieces.size()), std::ranges::greater{});
  return sizes;
}

std::int64_t Divisions::least(std::span<const std::uint32_t> pieces) {
  if (pieces.size() > kMostPieces) return alone(pieces);
  const auto [known, fresh] = known_.try_emplace(sorted(pieces), 0);
  if (fresh) known->second = search(pieces);
  return known->second;
}

}  // namespace zonecut
