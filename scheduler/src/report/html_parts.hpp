#pragma once
// The sections of the HTML report. Each writes one <section> and nothing when it has nothing to
// say.
#include <string_view>

#include "report/markup.hpp"
#include "report/scene.hpp"

namespace zonecut::report {

/// The style sheet: light and dark, wide and narrow, screen and paper.
[[nodiscard]] std::string_view style_sheet();

/// Patterns that all maps share, in a drawing of no size.
void write_patterns(Markup& out);

void write_map(Markup& out, const Scene& scene);
/// "this job 64 · free 8 GPUs"
[[nodiscard]] std::string counts_text(const GpuCounts& gpus);
/// The zone's name, groups and counts, above either map.
void write_zone_head(Markup& out, const MapZone& zone, const RankGroups& groups);
void write_zone_map(Markup& out, const ClusterMap& map);    ///< a cell per server
void write_detail_map(Markup& out, const ClusterMap& map);  ///< a square per GPU
void write_zone_traffic(Markup& out, const Scene& scene);
void write_tiers(Markup& out, const Scene& scene);
void write_links(Markup& out, const Scene& scene);
void write_reasons(Markup& out, const Scene& scene);
void write_comparison(Markup& out, const Scene& scene);
void write_phases(Markup& out, const Scene& scene);
void write_candidates(Markup& out, const Scene& scene);
void write_zone_shares(Markup& out, const Scene& scene);
void write_provenance(Markup& out, const Scene& scene);

}  // namespace zonecut::report
