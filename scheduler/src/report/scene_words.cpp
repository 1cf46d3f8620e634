// The sentences and tiles of a scene: the same figures in words.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/scene.hpp"
#include "report/text.hpp"
#include "zonecut/partition/encoder.hpp"

namespace zonecut::report {
namespace {

/// "zone-b uplinks to ATSW" of "zone-b uplinks to ATSW (18 x 36 x 400 Gbps), outward".
std::string short_name(const std::string& bundle) { return bundle.substr(0, bundle.find(" (")); }

double ratio(Bytes a, Bytes b) {
  return static_cast<double>(a.count) / static_cast<double>(b.count);
}

/// "38 % less than slurm-tree"; empty when there is nothing to compare with.
std::string against(Bytes ours, Bytes before, const std::string& name) {
  if (ours == before) return fmt::format("the same as {}", name);
  if (before.count == 0) return fmt::format("where {} sends nothing", name);
  if (ours.count == 0) return fmt::format("where {} sends {}", name, quantity(before));
  const double share = ratio(ours, before);
  if (share < 1) return fmt::format("{} less than {}", percent(1 - share), name);
  if (share < 2) return fmt::format("{} more than {}", percent(share - 1), name);
  return fmt::format("{} as much as {}", factor(share), name);
}

/// "−38 %"; empty where a share says nothing.
std::string change_of(Bytes ours, Bytes before) {
  if (ours == before) return "the same";
  if (before.count == 0) return {};
  const double share = ratio(ours, before);
  if (share >= 2) return factor(share);
  return (share < 1 ? "−" : "+") + percent(std::abs(1 - share));
}

std::string cut_sentence(const Scene& scene) {
  const Bytes cut = scene.ours.cross_zone;
  std::string text = cut.count == 0 ? std::string("This placement sends nothing across zones")
                                    : fmt::format("This placement sends {} across zones per {}",
                                                  quantity(cut), scene.per);
  if (const PlacementFigures* before = before_of(scene))
    text += ", " + against(cut, before->cross_zone, scene.before);
  return text;
}

/// A gap that rounds to nothing.
constexpr double kProvenLeast = 5e-5;
/// A bound so far below says more about itself than about the placement.
constexpr double kWeakBound = 1;

std::string bound_sentence(const PlacementFigures& ours) {
  if (ours.cross_zone.count == 0) return {};
  if (ours.gap && *ours.gap < kProvenLeast) return "this is proven to be the least there is";
  if (ours.gap && *ours.gap > kWeakBound)
    return fmt::format("only {} of it is proven to be needed", quantity(*ours.lower_bound));
  if (ours.gap) return fmt::format("{} above the proven bound", percent(*ours.gap, 1));
  if (ours.lower_bound) return fmt::format("the proven bound is {}", quantity(*ours.lower_bound));
  return "no bound is proven for this traffic";
}

/// Where no link binds.
std::string unbound(const PlacementFigures& ours) {
  if (!ours.binding_phase.empty())
    return fmt::format("connections of phase {} wait for their receivers", ours.binding_phase);
  const LevelBytes& in_servers = ours.by_level.back();
  const bool leaves = std::any_of(ours.by_level.begin(), ours.by_level.end(), [&](auto& level) {
    return &level != &in_servers && level.bytes.count > 0;
  });
  if (!leaves) return "nothing leaves the servers";
  const auto slowest = std::max_element(
      ours.phases.begin(), ours.phases.end(),
      [](const PhaseFigures& a, const PhaseFigures& b) { return a.exposed < b.exposed; });
  return fmt::format("phase {} waits for NVLink", slowest->name);
}

std::string binding_sentence(const PlacementFigures& ours) {
  if (!ours.binding) return unbound(ours);
  const std::string name = short_name(ours.binding->name);
  const bool many = name.find("links") != std::string::npos || name.ends_with("NICs");
  return fmt::format("{} {} at {}", name, many ? "bind" : "binds", quantity(ours.binding->time));
}

Tile cut_tile(const Scene& scene) {
  Tile tile{"Between zones", quantity(scene.ours.cross_zone), "per " + scene.per};
  if (const PlacementFigures* before = before_of(scene)) {
    tile.note = fmt::format("{}: {}", scene.before, quantity(before->cross_zone));
    const std::string change = change_of(scene.ours.cross_zone, before->cross_zone);
    if (!change.empty()) tile.note += " (" + change + ")";
  }
  return tile;
}

Tile bound_tile(const PlacementFigures& ours) {
  if (!ours.lower_bound) return {"Proven bound", "none", "this traffic fits no family with one"};
  Tile tile{"Proven bound", quantity(*ours.lower_bound), ours.bound_method};
  if (ours.gap && *ours.gap > kWeakBound) {
    tile.note = fmt::format("a weak bound: {:.3g} times as much is sent; {}", 1 + *ours.gap,
                            ours.bound_method);
  }
  if (ours.gap && *ours.gap <= kWeakBound)
    tile.note = fmt::format("gap {}; {}", percent(*ours.gap, 1), ours.bound_method);
  return tile;
}

Tile binding_tile(const PlacementFigures& ours) {
  if (!ours.binding) return {"Binding link", "none", unbound(ours)};
  return {"Binding link", short_name(ours.binding->name),
          fmt::format("{} through {}, phase {}", quantity(ours.binding->bytes),
                      quantity(ours.binding->capacity), ours.binding_phase)};
}

Tile time_tile(const Scene& scene) {
  Tile tile{"Communication", quantity(scene.ours.communication),
            fmt::format("predicted per {} with {}, not measured", scene.per, scene.ours.routing)};
  if (const PlacementFigures* before = before_of(scene)) {
    tile.note = fmt::format("predicted with {}; {}: {}", scene.ours.routing, scene.before,
                            quantity(before->communication));
  }
  return tile;
}

Tile room_tile(const Leftover& left, const Cluster& cluster) {
  Tile tile{"Room left", counted(left.free_gpus, "GPU"),
            counted(left.free_servers, "whole server")};
  const auto zone = static_cast<std::size_t>(cluster.zone_level());
  if (zone < left.largest_free_block.size()) {
    tile.note += fmt::format(", {} in one {}", grouped(left.largest_free_block[zone]),
                             clean(cluster.levels()[zone]));
  }
  return tile;
}

void add_transformer(std::string& shape, const Parallelism& p) {
  const auto axis = [&](std::string_view name, int size) {
    if (size > 1) shape += fmt::format("{}{} {}", shape.empty() ? "" : " × ", name, size);
  };
  axis("TP", p.tp);
  axis("CP", p.cp);
  axis("PP", p.pp);
  axis("DP", p.dp);
  if (p.ep > 1) shape += fmt::format(", EP {}", p.ep);
  if (p.virtual_stages > 1) shape += fmt::format(", VPP {}", p.virtual_stages);
}

}  // namespace

std::string shape_of(const Job& job) {
  std::string shape;
  if (const auto* training = std::get_if<Training>(&job.work)) {
    add_transformer(shape, training->parallelism);
    if (const auto& encoder = training->encoder) {
      shape += fmt::format("{}encoder TP {} × DP {}", shape.empty() ? "" : ", ", encoder->tp,
                           encoder_dp(*training));
    }
  } else if (const auto* serving = std::get_if<Inference>(&job.work)) {
    shape = fmt::format("{} prefill × TP {}, {} decode × TP {}", serving->prefill_replicas,
                        serving->prefill_tp, serving->decode_replicas, serving->decode_tp);
  } else if (std::holds_alternative<Recommendation>(job.work)) {
    shape = "recommendation model";
  }
  return shape;
}

std::string verdict_of(const Scene& scene) {
  const std::vector<std::string> parts{cut_sentence(scene), bound_sentence(scene.ours),
                                       binding_sentence(scene.ours)};
  return joined(parts, "; ") + ".";
}

std::vector<Tile> tiles_of(const Scene& scene, const Cluster& cluster) {
  return {cut_tile(scene), bound_tile(scene.ours), time_tile(scene), binding_tile(scene.ours),
          room_tile(scene.ours.leftover, cluster)};
}

std::vector<std::pair<std::string, std::string>> provenance_of(const Provenance& provenance,
                                                               const std::string& routing) {
  std::vector<std::pair<std::string, std::string>> rows;
  const auto add = [&](const char* label, const std::string& value) {
    if (!value.empty()) rows.emplace_back(label, clean(value));
  };
  const auto hashed = [](const std::string& what, const std::string& hash) {
    return hash.empty() || what.empty() ? what : what + " · SHA-256 " + hash;
  };
  add("zonecut", provenance.version);
  add("Cluster", hashed(provenance.cluster_file, provenance.cluster_hash));
  add("Job", hashed(provenance.job_text, provenance.job_hash));
  add("State", hashed(provenance.state_file, provenance.state_hash));
  add("Routing", routing);
  add("Effort", provenance.effort);
  add("Seed", fmt::format("{}", provenance.seed));
  add("Command", provenance.command);
  return rows;
}

}  // namespace zonecut::report
