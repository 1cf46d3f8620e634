#pragma once
// Quantities that carry their unit. Text such as "400Gbps" or "64GiB" is parsed once, where it
// enters, and written once, where it leaves. Costs that are compared, stored or summed are 64-bit
// integers; Seconds belong to predictions only.
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace zonecut {

struct Bytes {
  std::int64_t count = 0;
  friend constexpr auto operator<=>(Bytes, Bytes) noexcept = default;
  constexpr Bytes& operator+=(Bytes other) noexcept { return count += other.count, *this; }
  constexpr Bytes& operator-=(Bytes other) noexcept { return count -= other.count, *this; }
  friend constexpr Bytes operator+(Bytes a, Bytes b) noexcept { return a += b; }
  friend constexpr Bytes operator-(Bytes a, Bytes b) noexcept { return a -= b; }
  friend constexpr Bytes operator*(Bytes a, std::int64_t factor) noexcept {
    return {a.count * factor};
  }
};

struct BytesPerSecond {
  std::int64_t count = 0;
  friend constexpr auto operator<=>(BytesPerSecond, BytesPerSecond) noexcept = default;
  constexpr BytesPerSecond& operator+=(BytesPerSecond other) noexcept {
    return count += other.count, *this;
  }
  friend constexpr BytesPerSecond operator+(BytesPerSecond a, BytesPerSecond b) noexcept {
    return a += b;
  }
  friend constexpr BytesPerSecond operator*(BytesPerSecond a, std::int64_t factor) noexcept {
    return {a.count * factor};
  }
};

struct Seconds {
  double count = 0;
  friend constexpr auto operator<=>(Seconds, Seconds) noexcept = default;
  constexpr Seconds& operator+=(Seconds other) noexcept { return count += other.count, *this; }
  friend constexpr Seconds operator+(Seconds a, Seconds b) noexcept { return a += b; }
  friend constexpr Seconds operator*(Seconds a, double factor) noexcept {
    return {a.count * factor};
  }
};

/// Time to send `bytes` through `rate`; infinite when the rate is zero and there is something to
/// send.
[[nodiscard]] Seconds transfer_time(Bytes bytes, BytesPerSecond rate);

/// Reads "400Gbps", "100 Mbit/s", "50GB/s": bit units are decimal, byte units decimal (GB) or
/// binary (GiB). None when the text is not a non-negative rate with a unit, or does not fit 63
/// bits.
[[nodiscard]] std::optional<BytesPerSecond> parse_bandwidth(std::string_view text);
/// Reads "64GiB", "1.5TB", "4096B"; the same rules.
[[nodiscard]] std::optional<Bytes> parse_bytes(std::string_view text);
/// Reads "6.2s", "15ms", "7us", "400ns", "2min", "1h". None beyond 1e9 s, too.
[[nodiscard]] std::optional<Seconds> parse_duration(std::string_view text);

/// "2.41 TB", "512 B": three significant digits, decimal units.
[[nodiscard]] std::string to_text(Bytes bytes);
/// "400 Gbps", "21.9 Tbps": three significant digits, bits per second.
[[nodiscard]] std::string to_text(BytesPerSecond rate);
/// "1.31 s", "110 ms", "7.00 us".
[[nodiscard]] std::string to_text(Seconds time);
/// A form that parses back to exactly the same value: "400Gbps", or "123B/s" where bits do not
/// divide.
[[nodiscard]] std::string to_exact_text(BytesPerSecond rate);
/// The same of a size: "113MB", "4MiB", "4097B".
[[nodiscard]] std::string to_exact_text(Bytes bytes);

}  // namespace zonecut
