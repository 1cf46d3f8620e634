#include <fmt/format.h>

#include "cluster_file/fabric_section.hpp"
#include "cluster_file/yaml_text.hpp"

namespace zonecut {
namespace {

/// "key: value" pairs of one mapping, in the order they are added.
class Pairs {
 public:
  void add(std::string_view key, std::string_view value) {
    if (!text_.empty()) text_ += ", ";
    text_ += fmt::format("{}: {}", key, value);
  }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
};

std::string ratio_text(double ratio) { return ratio == 0 ? "cables" : fmt::format("{}", ratio); }

/// What differs from the fallback. An uplink bandwidth is followed by the oversubscription, which
/// it would reset otherwise.
std::string tier_text(const TierSpec& tier, const TierSpec& fallback, bool is_top) {
  Pairs pairs;
  if (tier.switch_name != fallback.switch_name)
    pairs.add("switch", yaml_flow_text(tier.switch_name));
  if (tier.switches != fallback.switches) pairs.add("switches", std::to_string(tier.switches));
  if (!is_top) {
    if (tier.uplinks != fallback.uplinks) pairs.add("uplinks", std::to_string(tier.uplinks));
    const bool other_rate = tier.uplink_bandwidth != fallback.uplink_bandwidth;
    if (other_rate) pairs.add("uplink_bandwidth", to_exact_text(tier.uplink_bandwidth));
    if (other_rate || tier.oversubscription != fallback.oversubscription)
      pairs.add("oversubscription", ratio_text(tier.oversubscription));
  }
  if (tier.latency != fallback.latency) pairs.add("latency", exact_duration(tier.latency));
  if (tier.buffer) pairs.add("buffer", to_exact_text(*tier.buffer));
  if (tier.port_buffer) pairs.add("port_buffer", to_exact_text(*tier.port_buffer));
  return pairs.text();
}

}  // namespace

std::string write_fabric(const FabricSpec& spec, const FabricLevels& levels, Network network) {
  const FabricSpec fallback = default_fabric(levels, network);
  std::string text;
  const auto line = [&](std::string_view key, const std::string& value) {
    text += fmt::format("  {}: {}\n", key, value);
  };
  if (spec.nics_per_server != fallback.nics_per_server)
    line("nics_per_server", std::to_string(spec.nics_per_server));
  line("nic_bandwidth", to_exact_text(spec.nic_bandwidth));
  if (spec.leaves != fallback.leaves) line("leaves", "rail");
  if (spec.planes != fallback.planes) line("planes", std::to_string(spec.planes));
  if (spec.scale_up_bandwidth != fallback.scale_up_bandwidth)
    line("scale_up_bandwidth", to_exact_text(spec.scale_up_bandwidth));
  if (spec.scale_up_latency != fallback.scale_up_latency)
    line("scale_up_latency", exact_duration(spec.scale_up_latency));
  std::string tiers;
  for (std::size_t level = 0; level < levels.names.size(); ++level) {
    const std::string tier = tier_text(spec.tiers[level], fallback.tiers[level], level == 0);
    if (!tier.empty())
      tiers += fmt::format("    {}: {{{}}}\n", yaml_line_text(levels.names[level]), tier);
  }
  if (!tiers.empty()) text += "  tiers:\n" + tiers;
  return fmt::format("{}:\n{}", network == Network::Backend ? "backend" : "frontend", text);
}

}  // namespace zonecut
