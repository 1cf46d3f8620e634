#include "report/scene.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "report/text.hpp"
#include "zonecut/scheduler/period.hpp"

namespace zonecut::report {
namespace {

std::string cluster_line(const Cluster& cluster) {
  std::vector<std::string> parts{clean(cluster.name())};
  for (int level = 1; level <= cluster.rack_level(); ++level) {
    parts.push_back(counted(static_cast<std::int64_t>(cluster.domains_at(level).size()),
                            clean(cluster.levels()[static_cast<std::size_t>(level)])));
  }
  parts.push_back(counted(static_cast<std::int64_t>(cluster.server_count()), "server"));
  parts.push_back(counted(static_cast<std::int64_t>(cluster.gpu_count()), "GPU"));
  return joined(parts, " · ");
}

std::vector<Compared> compared(const Report& report) {
  std::vector<Compared> rows;
  for (const ComparedPlacement& baseline : report.baselines) {
    Compared row{clean(baseline.name), clean(baseline.summary), std::nullopt};
    if (baseline.placement) row.figures = figures_of(report.problem.fabric, *baseline.placement);
    rows.push_back(std::move(row));
  }
  return rows;
}

bool carries_traffic(const std::vector<std::vector<Bytes>>& matrix, std::size_t zone) {
  if (zone >= matrix.size()) return false;
  for (std::size_t other = 0; other < matrix.size(); ++other) {
    if (matrix[zone][other].count > 0 || matrix[other][zone].count > 0) return true;
  }
  return false;
}

ZoneMatrix restricted(const std::vector<std::vector<Bytes>>& matrix,
                      const std::vector<std::size_t>& zones) {
  ZoneMatrix part;
  part.sent.resize(zones.size());
  part.received.resize(zones.size());
  for (std::size_t from = 0; from < zones.size(); ++from) {
    part.bytes.emplace_back();
    for (std::size_t to = 0; to < zones.size(); ++to) {
      const Bytes bytes = matrix.empty() ? Bytes{} : matrix[zones[from]][zones[to]];
      part.bytes.back().push_back(bytes);
      if (from == to) continue;
      part.sent[from] += bytes;
      part.received[to] += bytes;
      part.across += bytes;
    }
  }
  return part;
}

void raise_to_largest(Bytes& largest, const ZoneMatrix& matrix) {
  for (std::size_t from = 0; from < matrix.bytes.size(); ++from) {
    for (std::size_t to = 0; to < matrix.bytes.size(); ++to) {
      if (from != to) largest = std::max(largest, matrix.bytes[from][to]);
    }
  }
}

ZoneTraffic zone_traffic(const std::vector<std::string>& names, const PlacementFigures& ours,
                         const PlacementFigures* before) {
  ZoneTraffic traffic;
  std::vector<std::size_t> shown;
  for (std::size_t zone = 0; zone < names.size(); ++zone) {
    if (carries_traffic(ours.zone_matrix, zone) ||
        (before && carries_traffic(before->zone_matrix, zone))) {
      shown.push_back(zone);
      traffic.zones.push_back(names[zone]);
    }
  }
  traffic.quiet_zones = names.size() - shown.size();
  traffic.after = restricted(ours.zone_matrix, shown);
  raise_to_largest(traffic.largest, traffic.after);
  if (before) {
    traffic.before = restricted(before->zone_matrix, shown);
    raise_to_largest(traffic.largest, *traffic.before);
  }
  traffic.unit_of = traffic.largest;
  for (std::size_t zone = 0; zone < shown.size() && traffic.largest.count == 0; ++zone)
    traffic.unit_of = std::max(traffic.unit_of, traffic.after.bytes[zone][zone]);
  return traffic;
}

Bytes over_scale_up(const PlacementFigures& figures) {
  Bytes bytes;
  for (const LevelBytes& level : figures.by_level) bytes += level.scale_up;
  return bytes;
}

Bytes over_links(const LevelBytes& level) { return level.bytes - level.scale_up; }

/// What goes from server to server over NVLink passes no switch: it has a bar of its own.
std::vector<TierBar> tier_bars(const PlacementFigures& ours, const PlacementFigures* before) {
  std::vector<TierBar> bars;
  for (std::size_t i = ours.by_level.size(); i-- > 0;) {
    TierBar bar{ours.by_level[i].label, std::nullopt, over_links(ours.by_level[i])};
    if (before && i < before->by_level.size()) bar.before = over_links(before->by_level[i]);
    bars.push_back(std::move(bar));
  }
  TierBar scale_up{"between servers, over NVLink", std::nullopt, over_scale_up(ours)};
  if (before) scale_up.before = over_scale_up(*before);
  if (scale_up.after.count > 0 || (scale_up.before && scale_up.before->count > 0))
    bars.insert(bars.begin() + 1, std::move(scale_up));
  return bars;
}

const BundleLoad* find_load(const Placement* placement, const Bundle& bundle) {
  if (!placement) return nullptr;
  for (const BundleLoad& load : placement->prediction.loads) {
    if (load.bundle == bundle) return &load;
  }
  return nullptr;
}

bool is_server(const Bundle& bundle) { return std::holds_alternative<ServerId>(bundle.below); }

std::optional<Seconds> time_before(const Placement* before, const Bundle& bundle) {
  if (!before) return std::nullopt;
  if (const BundleLoad* then = find_load(before, bundle)) return then->time;
  // Of the servers a prediction keeps only the busiest; absent elsewhere means not loaded.
  return is_server(bundle) ? std::nullopt : std::optional(Seconds{0});
}

const NamedLoad* opposite(const std::vector<NamedLoad>& loads, const Bundle& bundle) {
  for (const NamedLoad& load : loads) {
    if (load.bundle.below == bundle.below && load.bundle.outward != bundle.outward) return &load;
  }
  return nullptr;
}

/// The larger direction of each bundle; "both ways" where they are equal.
std::vector<NamedLoad> merged_directions(const std::vector<NamedLoad>& loads) {
  std::vector<NamedLoad> merged;
  for (const NamedLoad& load : loads) {
    const bool said = std::any_of(merged.begin(), merged.end(), [&](const NamedLoad& m) {
      return m.bundle.below == load.bundle.below;
    });
    if (said) continue;
    merged.push_back(load);
    const NamedLoad* other = opposite(loads, load.bundle);
    std::string& name = merged.back().name;
    if (other && other->bytes == load.bytes && other->time == load.time)
      name = name.substr(0, name.rfind(',')) + ", both ways";
  }
  return merged;
}

/// Of the servers only the busiest over all phases is listed; another may bind in one of them.
void add_binding_phase(std::vector<LinkBar>& bars, const PlacementFigures& ours) {
  if (!ours.binding || std::any_of(bars.begin(), bars.end(), [](auto& bar) { return bar.binding; }))
    return;
  bars.push_back({fmt::format("{}, phase {} alone", ours.binding->name, ours.binding_phase),
                  ours.binding->capacity, ours.binding->bytes, ours.binding->time, std::nullopt,
                  true});
  std::stable_sort(bars.begin(), bars.end(),
                   [](const LinkBar& a, const LinkBar& b) { return a.after > b.after; });
}

/// Ours, and the busiest one of before when it is none of ours.
std::vector<LinkBar> link_bars(const PlacementFigures& ours, const PlacementFigures* before_figures,
                               const Placement* before) {
  std::vector<LinkBar> bars;
  for (const NamedLoad& load : merged_directions(ours.loads)) {
    bars.push_back({load.name, load.capacity, load.bytes, load.time,
                    time_before(before, load.bundle),
                    ours.binding && ours.binding->bundle.below == load.bundle.below});
  }
  add_binding_phase(bars, ours);
  if (!before_figures || before_figures->loads.empty()) return bars;
  const NamedLoad& busiest = before_figures->loads.front();
  const bool shown = std::any_of(ours.loads.begin(), ours.loads.end(), [&](const NamedLoad& load) {
    return load.bundle.below == busiest.bundle.below;
  });
  if (!shown && !is_server(busiest.bundle))
    bars.push_back({busiest.name, busiest.capacity, Bytes{}, Seconds{0}, busiest.time, false});
  return bars;
}

std::vector<Candidate> clean_candidates(const std::vector<Candidate>& candidates) {
  std::vector<Candidate> cleaned = candidates;
  for (Candidate& candidate : cleaned) {
    candidate.name = clean(candidate.name);
    candidate.verdict = clean(candidate.verdict);
  }
  return cleaned;
}

}  // namespace

const PlacementFigures* before_of(const Scene& scene) {
  for (const Compared& row : scene.baselines) {
    if (row.figures) return &*row.figures;
  }
  return nullptr;
}

Scene build_scene(const Report& report) {
  const PlacementProblem& problem = report.problem;
  const Cluster& cluster = *problem.view.cluster;
  Scene scene;
  scene.job = clean(problem.job.name);
  scene.shape = shape_of(problem.job);
  scene.shape =
      counted(problem.traffic.ranks, "rank") + (scene.shape.empty() ? "" : ": " + scene.shape);
  scene.cluster_line = cluster_line(cluster);
  scene.assumed_model = assumed_model_text(problem.job);
  scene.per = period_of(problem.job);
  scene.overload = overload_text(problem.job, report.placement.prediction.communication);
  scene.ours = figures_of(problem.fabric, report.placement);
  scene.baselines = compared(report);

  const PlacementFigures* before = before_of(scene);
  const Placement* before_placement = nullptr;
  for (const ComparedPlacement& baseline : report.baselines) {
    if (!baseline.placement) continue;
    before_placement = &*baseline.placement;
    scene.before = clean(baseline.name);
    break;
  }
  scene.map = cluster_map(problem, report.placement);
  scene.traffic = zone_traffic(zone_names(cluster), scene.ours, before);
  scene.tiers = tier_bars(scene.ours, before);
  scene.links = link_bars(scene.ours, before, before_placement);
  scene.candidates = clean_candidates(report.placement.candidates);
  for (const std::string& reason : report.placement.reasons) scene.reasons.push_back(clean(reason));
  scene.provenance = provenance_of(report.provenance, scene.ours.routing);
  scene.verdict = verdict_of(scene);
  scene.tiles = tiles_of(scene, cluster);
  return scene;
}

}  // namespace zonecut::report
