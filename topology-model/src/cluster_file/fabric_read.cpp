#include <fmt/format.h>

#include <array>
#include <charconv>

#include "cluster_file/fabric_section.hpp"
#include "cluster_file/file_format.hpp"
#include "zonecut/topology/cluster_file.hpp"

namespace zonecut {
namespace {

constexpr std::int64_t kMostPlanes = 64;
constexpr Bytes kMostBuffer{std::int64_t{1} << 50};
constexpr double kLeastRatio = 1e-3;
constexpr double kMostRatio = 1e6;

std::optional<double> positive_number(std::string_view text) {
  double number = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || stop != text.data() + text.size() || !(number > 0))
    return std::nullopt;
  return number;
}

/// A ratio, or 0 for the word "cables" where that is allowed.
double read_ratio(Fields& fields, double fallback, bool may_be_cables) {
  const Value* value = fields.find("oversubscription");
  if (value == nullptr) return fallback;
  if (value->kind == Value::Kind::Scalar) {
    if (may_be_cables && value->scalar == "cables") return 0;
    if (const auto ratio = parse_ratio(value->scalar)) return *ratio;
  }
  fields.problems().add(fields.where(*value),
                        fmt::format("expected a ratio above 0{}",
                                    may_be_cables ? ", or \"cables\" to count the cables" : ""),
                        "such as 7:1, 2.8 or 1:1");
  return fallback;
}

/// A rate above zero: no link that is described carries nothing.
BytesPerSecond read_rate(Fields& fields, std::string_view key, BytesPerSecond fallback) {
  const BytesPerSecond rate = fields.bandwidth(key, fallback);
  if (rate.count > 0) return rate;
  fields.problems().add(fields.where(*fields.find(key)), fmt::format("{} is zero", key),
                        "a broken link belongs into the state file");
  return fallback;
}

int read_count(Fields& fields, std::string_view key, int fallback, std::int64_t least,
               std::int64_t most) {
  return static_cast<int>(fields.integer(key, fallback, least, most));
}

std::string read_switch_name(Fields& fields, const std::string& fallback) {
  const Value* value = fields.find("switch");
  if (value == nullptr) return fallback;
  std::string name = fields.required_name("switch");
  if (name.find('/') != std::string::npos) {
    fields.problems().add(fields.where(*value), "found '/' in the name of a switch",
                          "the path is put before it by itself");
  }
  return name.empty() ? fallback : name;
}

/// Some memory, if it is said how much.
std::optional<Bytes> read_memory(Fields& fields, std::string_view key) {
  const Value* value = fields.find(key);
  if (value == nullptr) return std::nullopt;
  const Bytes fallback{1};
  const Bytes memory = fields.bytes(key, fallback);
  if (memory.count > 0 && memory <= kMostBuffer) return memory;
  fields.problems().add(fields.where(*value),
                        fmt::format("{} is {}, expected more than nothing and at most 1 PiB", key,
                                    to_exact_text(memory)),
                        "leave the key out where it is not known");
  return std::nullopt;
}

/// Only where receivers' ports are: what stands in the queues of other tiers is not predicted.
void read_buffers(Fields& fields, bool is_leaf, TierSpec& tier) {
  tier.buffer = read_memory(fields, "buffer");
  tier.port_buffer = read_memory(fields, "port_buffer");
  if (tier.buffer && tier.port_buffer && *tier.port_buffer > *tier.buffer) {
    fields.problems().add(fields.where(*fields.find("port_buffer")),
                          fmt::format("port_buffer is more than the {} of the whole switch",
                                      to_exact_text(*tier.buffer)),
                          "all ports share the buffer of their switch");
  }
  if (is_leaf) return;
  for (const char* key : {"buffer", "port_buffer"}) {
    if (const Value* given = fields.find(key)) {
      fields.problems().add(fields.where(*given),
                            fmt::format("\"{}\" has no meaning above the innermost tier", key),
                            "it belongs to the switches that servers are joined to");
    }
  }
}

/// Where a tier stands.
struct TierPlace {
  bool is_top;
  bool is_leaf;
};

TierSpec read_tier(const Document& document, const Value& value, const TierSpec& fallback,
                   const TierPlace& place, ProblemList& problems) {
  Fields fields(document, value, problems);
  TierSpec tier = fallback;
  tier.switch_name = read_switch_name(fields, fallback.switch_name);
  tier.switches = read_count(fields, "switches", fallback.switches, 1, kMostSwitchesOfDomain);
  tier.latency = fields.duration("latency", fallback.latency);
  read_buffers(fields, place.is_leaf, tier);
  if (place.is_top) {
    for (const char* key : {"uplinks", "uplink_bandwidth", "oversubscription"}) {
      if (const Value* given = fields.find(key)) {
        problems.add(fields.where(*given),
                     fmt::format("the switches of the cluster are the topmost, \"{}\" has no "
                                 "meaning there",
                                 key),
                     "it belongs to the tier below");
      }
    }
  } else {
    tier.uplinks = read_count(fields, "uplinks", fallback.uplinks, 1, kMostUplinks);
    tier.uplink_bandwidth = read_rate(fields, "uplink_bandwidth", fallback.uplink_bandwidth);
    // Who says what a cable carries means the cables to count.
    const double unsaid = fields.has("uplink_bandwidth") ? 0 : fallback.oversubscription;
    tier.oversubscription = read_ratio(fields, unsaid, true);
  }
  fields.finish();
  return tier;
}

void read_tiers(const Document& document, const Value& section, const FabricLevels& levels,
                FabricSpec& spec, ProblemList& problems) {
  Fields fields(document, section, problems);
  for (std::size_t level = 0; level < levels.names.size(); ++level) {
    if (const Value* value = fields.find(levels.names[level])) {
      const TierPlace place{level == 0, level + 1 == levels.names.size()};
      spec.tiers[level] = read_tier(document, *value, spec.tiers[level], place, problems);
    }
  }
  fields.finish();
}

}  // namespace

std::optional<double> parse_ratio(std::string_view text) {
  const std::size_t colon = text.find(':');
  const auto below = positive_number(text.substr(0, colon));
  const auto above = colon == std::string_view::npos ? std::optional(1.0)
                                                     : positive_number(text.substr(colon + 1));
  if (!below || !above) return std::nullopt;
  const double ratio = *below / *above;
  const bool in_range = ratio >= kLeastRatio && ratio <= kMostRatio;  // false for NaN too
  return in_range ? std::optional(ratio) : std::nullopt;
}

FabricSpec default_fabric(const FabricLevels& levels, Network network, double oversubscription) {
  FabricSpec spec = FabricSpec::clos(levels.names, levels.zone_level, oversubscription);
  if (network == Network::Frontend) spec.nics_per_server = 1;
  return spec;
}

FabricSpec read_fabric(const Document& document, const Value& section, const FabricLevels& levels,
                       Network network, ProblemList& problems) {
  constexpr std::array<std::string_view, 2> kLeaves = {"rack", "rail"};
  Fields fields(document, section, problems);
  FabricSpec spec = default_fabric(levels, network, read_ratio(fields, 7, false));
  spec.nics_per_server = read_count(fields, "nics_per_server", spec.nics_per_server, 1, kMostNics);
  spec.nic_bandwidth = read_rate(fields, "nic_bandwidth", spec.nic_bandwidth);
  spec.leaves = fields.choice("leaves", kLeaves, 0) == 1 ? LeafWiring::Rail : LeafWiring::Rack;
  spec.planes = read_count(fields, "planes", spec.planes, 1, kMostPlanes);
  spec.scale_up_bandwidth = read_rate(fields, "scale_up_bandwidth", spec.scale_up_bandwidth);
  spec.scale_up_latency = fields.duration("scale_up_latency", spec.scale_up_latency);
  if (const Value* tiers = fields.find("tiers"))
    read_tiers(document, *tiers, levels, spec, problems);
  fields.finish();
  return spec;
}

}  // namespace zonecut
