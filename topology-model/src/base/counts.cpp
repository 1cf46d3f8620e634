#include "zonecut/base/counts.hpp"

#include <fmt/format.h>

#include <cstddef>

namespace zonecut {

std::string grouped(std::int64_t count) {
  std::string digits = fmt::format("{}", count);
  const std::ptrdiff_t first = count < 0 ? 1 : 0;
  for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > first; at -= 3) {
    digits.insert(static_cast<std::size_t>(at), ",");
  }
  return digits;
}

std::string counted(std::int64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", grouped(count), noun, count == 1 ? "" : "s");
}

}  // namespace zonecut
