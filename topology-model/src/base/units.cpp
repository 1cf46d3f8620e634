#include "zonecut/base/units.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

namespace zonecut {
namespace {

struct Unit {
  std::string_view name;
  long double factor;
};

constexpr std::array kByteUnits = {
    Unit{"B", 1.0L},      Unit{"kB", 1e3L},     Unit{"KB", 1e3L},     Unit{"MB", 1e6L},
    Unit{"GB", 1e9L},     Unit{"TB", 1e12L},    Unit{"PB", 1e15L},    Unit{"KiB", 0x1p10L},
    Unit{"MiB", 0x1p20L}, Unit{"GiB", 0x1p30L}, Unit{"TiB", 0x1p40L}, Unit{"PiB", 0x1p50L},
};

constexpr std::array kBitUnits = {
    Unit{"bit", 1.0L / 8},   Unit{"kbit", 1e3L / 8}, Unit{"Mbit", 1e6L / 8}, Unit{"Gbit", 1e9L / 8},
    Unit{"Tbit", 1e12L / 8}, Unit{"b", 1.0L / 8},    Unit{"kb", 1e3L / 8},   Unit{"Mb", 1e6L / 8},
    Unit{"Gb", 1e9L / 8},    Unit{"Tb", 1e12L / 8},
};

constexpr std::array kTimeUnits = {
    Unit{"ns", 1e-9L}, Unit{"us", 1e-6L},  Unit{"ms", 1e-3L},
    Unit{"s", 1.0L},   Unit{"min", 60.0L}, Unit{"h", 3600.0L},
};

/// Some 32 years: sums and products of times stay finite.
constexpr long double kLongestTime = 1e9L;

struct Quantity {
  long double number;
  std::string_view unit;
};

/// A whole number exactly, for which a double has too few digits.
std::optional<Quantity> split(std::string_view text) {
  const char* const last = text.data() + text.size();
  double real = 0;
  const auto [end, error] = std::from_chars(text.data(), last, real);
  if (error != std::errc{} || !std::isfinite(real) || std::signbit(real)) return std::nullopt;
  std::int64_t integer = 0;
  const auto whole = std::from_chars(text.data(), last, integer);
  const bool is_whole = whole.ec == std::errc{} && whole.ptr == end;
  const auto number = is_whole ? static_cast<long double>(integer) : real;
  std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
  while (!unit.empty() && unit.front() == ' ') unit.remove_prefix(1);
  return Quantity{number, unit};
}

std::optional<long double> scaled(const Quantity& quantity, std::string_view unit,
                                  std::span<const Unit> units) {
  for (const Unit& known : units) {
    if (known.name == unit) return quantity.number * known.factor;
  }
  return std::nullopt;
}

std::optional<std::int64_t> whole(std::optional<long double> value) {
  if (!value || *value > static_cast<long double>(std::numeric_limits<std::int64_t>::max()))
    return std::nullopt;
  return static_cast<std::int64_t>(std::llroundl(*value));
}

/// Three significant digits, with the largest unit of steps of 1000 that leaves at least 1.
std::string human(double value, std::span<const std::string_view> units) {
  std::size_t unit = 0;
  while (value >= 999.5 && unit + 1 < units.size()) {
    value /= 1000;
    ++unit;
  }
  const int decimals = value >= 99.95 || (unit == 0 && value == std::floor(value)) ? 0
                       : value >= 9.995                                            ? 1
                                                                                   : 2;
  return fmt::format("{:.{}f} {}", value, decimals, units[unit]);
}

}  // namespace

Seconds transfer_time(Bytes bytes, BytesPerSecond rate) {
  if (bytes.count == 0) return Seconds{0};
  if (rate.count == 0) return Seconds{std::numeric_limits<double>::infinity()};
  return Seconds{static_cast<double>(bytes.count) / static_cast<double>(rate.count)};
}

std::optional<BytesPerSecond> parse_bandwidth(std::string_view text) {
  const auto quantity = split(text);
  if (!quantity) return std::nullopt;
  std::string_view unit = quantity->unit;
  std::optional<long double> value;
  if (unit.ends_with("/s")) {
    unit.remove_suffix(2);
    value = scaled(*quantity, unit, kByteUnits);
    if (!value) value = scaled(*quantity, unit, kBitUnits);
  } else if (unit.ends_with("ps")) {
    unit.remove_suffix(2);
    value = scaled(*quantity, unit, kBitUnits);
  }
  const auto count = whole(value);
  return count ? std::optional(BytesPerSecond{*count}) : std::nullopt;
}

std::optional<Bytes> parse_bytes(std::string_view text) {
  const auto quantity = split(text);
  const auto count = quantity ? whole(scaled(*quantity, quantity->unit, kByteUnits)) : std::nullopt;
  return count ? std::optional(Bytes{*count}) : std::nullopt;
}

std::optional<Seconds> parse_duration(std::string_view text) {
  const auto quantity = split(text);
  const auto value = quantity ? scaled(*quantity, quantity->unit, kTimeUnits) : std::nullopt;
  const bool fits = value && *value <= kLongestTime;
  return fits ? std::optional(Seconds{static_cast<double>(*value)}) : std::nullopt;
}

std::string to_text(Bytes bytes) {
  static constexpr std::array<std::string_view, 7> kUnits = {"B",  "kB", "MB", "GB",
                                                             "TB", "PB", "EB"};
  if (bytes.count < 0) return "-" + to_text(Bytes{-bytes.count});
  return human(static_cast<double>(bytes.count), kUnits);
}

std::string to_text(BytesPerSecond rate) {
  static constexpr std::array<std::string_view, 6> kUnits = {"bps",  "kbps", "Mbps",
                                                             "Gbps", "Tbps", "Pbps"};
  return human(static_cast<double>(rate.count) * 8, kUnits);
}

std::string to_text(Seconds time) {
  static constexpr std::array<std::string_view, 4> kUnits = {"ns", "us", "ms", "s"};
  if (!std::isfinite(time.count)) return "never";
  if (time.count == 0) return "0 s";
  if (time.count < 0) return "-" + to_text(Seconds{-time.count});
  return human(time.count * 1e9, kUnits);
}

std::string to_exact_text(BytesPerSecond rate) {
  constexpr std::int64_t kGigabit = 125'000'000;
  constexpr std::int64_t kMegabit = 125'000;
  if (rate.count > 0 && rate.count % kGigabit == 0)
    return fmt::format("{}Gbps", rate.count / kGigabit);
  if (rate.count > 0 && rate.count % kMegabit == 0)
    return fmt::format("{}Mbps", rate.count / kMegabit);
  return fmt::format("{}B/s", rate.count);
}

std::string to_exact_text(Bytes bytes) {
  static constexpr std::array<std::pair<std::int64_t, std::string_view>, 6> kUnits = {
      {{1'000'000'000, "GB"},
       {1 << 30, "GiB"},
       {1'000'000, "MB"},
       {1 << 20, "MiB"},
       {1'000, "kB"},
       {1 << 10, "KiB"}}};
  for (const auto& [size, unit] : kUnits) {
    if (bytes.count > 0 && bytes.count % size == 0)
      return fmt::format("{}{}", bytes.count / size, unit);
  }
  return fmt::format("{}B", bytes.count);
}

}  // namespace zonecut
