#pragma once
// Counts as people read them, in messages and reports.
#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

namespace zonecut {

/// "16,384"
[[nodiscard]] std::string grouped(std::int64_t count);
/// "1 server", "16,384 servers": for nouns whose plural takes an s.
[[nodiscard]] std::string counted(std::int64_t count, std::string_view noun);

/// The same for sizes, which count things in memory and so fit 63 bits.
template <std::unsigned_integral Size>
[[nodiscard]] std::string grouped(Size count) {
  return grouped(static_cast<std::int64_t>(count));
}
template <std::unsigned_integral Size>
[[nodiscard]] std::string counted(Size count, std::string_view noun) {
  return counted(static_cast<std::int64_t>(count), noun);
}

}  // namespace zonecut
