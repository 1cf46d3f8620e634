#include "bound/incidence.hpp"

#include <algorithm>

#include "grid/whole_groups.hpp"

namespace zonecut {

Incidence incidence_of(std::span<const std::uint32_t> sizes, std::size_t length, std::size_t rows) {
  const auto zones = static_cast<std::size_t>(
      std::ranges::count_if(sizes, [](std::uint32_t size) { return size > 0; }));
  const std::size_t components = most_whole_groups(sizes, length);
  return {zones + rows - components, components};
}

}  // namespace zonecut
