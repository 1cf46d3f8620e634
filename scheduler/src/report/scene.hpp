#pragma once
// What a report shows, before anybody decides how: built once from a Report, then told by the HTML
// and the terminal writer. Plain values; every text is clean() already, every total is the sum of
// what stands beside it.
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "report/cluster_map.hpp"
#include "report/figures.hpp"
#include "zonecut/scheduler/report.hpp"

namespace zonecut::report {

struct Tile {
  std::string title, value, note;
};

struct Compared {
  std::string name, summary;
  std::optional<PlacementFigures> figures;  ///< none: this rule finds no room
};

/// Bytes from zone to zone, the zones without any traffic left out.
struct ZoneMatrix {
  std::vector<std::vector<Bytes>> bytes;
  std::vector<Bytes> sent, received;  ///< row and column sums off the diagonal
  Bytes across;                       ///< all of them
};

struct ZoneTraffic {
  std::vector<std::string> zones;  ///< those with traffic in either matrix
  std::optional<ZoneMatrix> before;
  ZoneMatrix after;
  std::size_t quiet_zones = 0;  ///< left out
  Bytes largest;                ///< off the diagonals of both: the end of the colour scale
  Bytes unit_of;                ///< the figure whose unit all share: `largest`, or the diagonal's
};

struct TierBar {
  std::string label;
  std::optional<Bytes> before;
  Bytes after;
};

struct LinkBar {
  std::string name;
  BytesPerSecond capacity;
  Bytes bytes;
  Seconds after;
  std::optional<Seconds> before;  ///< none: there is no baseline, or it loads this one less than
                                  ///< its own busiest
  bool binding = false;
};

struct Scene {
  std::string job, shape, cluster_line;
  std::string per = "iteration";  ///< what all bytes and seconds are counted by
  std::string verdict;
  std::string assumed_model;  ///< see assumed_model_text()
  std::string overload;       ///< see overload_text()
  std::vector<Tile> tiles;
  PlacementFigures ours;
  std::string before;  ///< name of the baseline in the pictures; empty: none found room
  std::vector<Compared> baselines;
  ClusterMap map;
  ZoneTraffic traffic;
  std::vector<TierBar> tiers;  ///< innermost first
  std::vector<LinkBar> links;  ///< slowest first
  std::vector<Candidate> candidates;
  std::vector<std::string> reasons;
  std::vector<std::pair<std::string, std::string>> provenance;
};

/// Tells a scene as one self-contained HTML file.
[[nodiscard]] std::string html_of(const Scene& scene);
/// Tells a scene to a terminal; no line is longer than style.width.
[[nodiscard]] std::string terminal_text_of(const Scene& scene, const TerminalStyle& style);

/// Linear in the cluster and the ranks.
[[nodiscard]] Scene build_scene(const Report& report);

/// "TP 8 × PP 16 × DP 128"; empty for jobs without such a shape.
[[nodiscard]] std::string shape_of(const Job& job);
/// What and from what a result was made: label and value, empty values left out.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> provenance_of(
    const Provenance& provenance, const std::string& routing);
/// "This placement sends 4.80 TB across zones per iteration, 38 % less than slurm-tree; …"
[[nodiscard]] std::string verdict_of(const Scene& scene);
[[nodiscard]] std::vector<Tile> tiles_of(const Scene& scene, const Cluster& cluster);
/// The figures the pictures show as "before"; null when there are none.
[[nodiscard]] const PlacementFigures* before_of(const Scene& scene);

}  // namespace zonecut::report
