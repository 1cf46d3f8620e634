// Regions of lines, cut by sweeps and weighed: both widths of positions, against plain counting.
#include "starts/slicing_regions.hpp"

#include <rapidcheck.h>

#include <algorithm>
#include <set>

#include "partition/mapping_families.hpp"
#include "support/catch.hpp"

using namespace zonecut;

namespace {

/// An encoder's rings beside the rings of a decoder that has `factor` replicas for each of them:
/// encoder (r, e) feeds the first stage of replica factor·e + r mod factor.
fixture::Instance encoder_and_decoder(Random& random) {
  const std::size_t shards = 1 + random.below(5);
  const std::size_t encoders = 2 + random.below(5);
  const std::size_t factor = 1 + random.below(4);
  const std::size_t replicas = encoders * factor;
  const std::size_t stages = 1 + random.below(3);
  fixture::Instance job;
  std::vector<CommunicationGraph::Edge> edges;
  const auto decoder = [&](std::size_t r, std::size_t s) { return s * replicas + r; };
  const auto encoder = [&](std::size_t g, std::size_t e) {
    return stages * replicas + g * encoders + e;
  };
  const auto add = [&](std::size_t u, std::size_t v, std::int64_t weight) {
    edges.push_back({static_cast<std::uint32_t>(u), static_cast<std::uint32_t>(v), weight});
  };
  for (std::size_t s = 0; s < stages; ++s) {
    for (std::size_t r = 0; r < replicas; ++r) {
      job.coordinates.push_back({0, static_cast<int>(r), static_cast<int>(s)});
      if (r > 0) add(decoder(r - 1, s), decoder(r, s), 5);
      if (s > 0) add(decoder(r, s - 1), decoder(r, s), 3);
    }
  }
  for (std::size_t g = 0; g < shards; ++g) {
    for (std::size_t e = 0; e < encoders; ++e) {
      job.coordinates.push_back({static_cast<int>(g), static_cast<int>(e), -1});
      if (e > 0) add(encoder(g, e - 1), encoder(g, e), 7);
      add(encoder(g, e), decoder(factor * e + g % factor, 0), 2);
    }
  }
  job.graph = CommunicationGraph::from_edges(
      static_cast<std::uint32_t>(stages * replicas + shards * encoders), edges);
  return job;
}

template <class Position>
std::set<std::uint32_t> vertices_of(const LineModel& model, const SlicingRegions<Position>& regions,
                                    std::int32_t cell, const LineLayout::Grid& grid) {
  std::set<std::uint32_t> vertices;
  for (std::uint32_t i = 0; i < grid.lines; ++i) {
    const LineLayout::Line& line = model.layout().lines[grid.first_line + i];
    for (auto p = regions.lo(cell)[i]; p < regions.hi(cell)[i]; ++p) {
      RC_ASSERT(static_cast<std::uint32_t>(p) >= line.begin &&
                static_cast<std::uint32_t>(p) < line.end);
      vertices.insert(model.layout().vertex(line, static_cast<std::uint32_t>(p)));
    }
  }
  return vertices;
}

std::int64_t weight_among(const CommunicationGraph& graph, const LineModel& model,
                          const std::set<std::uint32_t>& vertices) {
  std::int64_t weight = 0;
  for (const std::uint32_t u : vertices) {
    for (const auto& [v, w] : graph.neighbours(u)) weight += u < v && vertices.contains(v) ? w : 0;
  }
  const auto vertex = [&](std::uint32_t place) {
    const LineLayout::Place& at = model.loose_places()[place];
    return model.layout().vertex(model.layout().lines[at.line], at.position);
  };
  for (const auto& [u, v, w] : model.loose_edges()) {
    if (u < v && vertices.contains(vertex(u)) && vertices.contains(vertex(v))) weight -= w;
  }
  return weight;
}

/// Cuts the grid in two again and again, where the halves may end up empty.
template <class Position>
std::vector<std::set<std::uint32_t>> cut_up(const CommunicationGraph& graph, const LineModel& model,
                                            std::uint32_t grid, Random random) {
  const LineLayout::Grid& g = model.grids()[grid];
  constexpr std::int32_t kCuts = 6;
  SlicingRegions<Position> regions(model, 2 * kCuts + 1);
  std::vector<std::uint32_t> size{g.vertices};
  regions.fill(0, grid);
  std::vector<std::set<std::uint32_t>> result;
  for (std::int32_t cut = 0; cut < kCuts; ++cut) {
    const std::uint32_t whole = size[static_cast<std::size_t>(cut)];
    const auto left = static_cast<std::uint32_t>(random.below(whole + 1));
    const auto sweep = static_cast<std::uint32_t>(random.below(g.sweeps.size()));
    regions.divide(cut, whole, grid, sweep, {2 * cut + 1, 2 * cut + 2, left});
    size.insert(size.end(), {left, whole - left});
    const auto all = vertices_of(model, regions, cut, g);
    auto both = vertices_of(model, regions, 2 * cut + 1, g);
    RC_ASSERT(both.size() == left);
    for (const std::int32_t half : {2 * cut + 1, 2 * cut + 2}) {
      result.push_back(vertices_of(model, regions, half, g));
      RC_ASSERT(regions.weight(half, grid) == weight_among(graph, model, result.back()));
    }
    both.insert(result.back().begin(), result.back().end());
    RC_ASSERT(both == all);
  }
  return result;
}

void cuts_alike(const fixture::Instance& job, const LineModel& model, Random& random) {
  for (std::uint32_t grid = 0; grid < model.grids().size(); ++grid) {
    const Random cuts(random.next());
    RC_ASSERT(cut_up<std::int16_t>(job.graph, model, grid, cuts) ==
              cut_up<std::int32_t>(job.graph, model, grid, cuts));
  }
}

}  // namespace

TEST_CASE("sweeps cut off as many as wanted, and regions weigh what runs within", "[partition]") {
  CHECK(rc::check([] {
    Random random(*rc::gen::arbitrary<std::uint64_t>());
    const fixture::Family family = fixture::kFamilies[random.below(fixture::kFamilies.size())];
    const fixture::Instance job = random.below(3) == 0
                                      ? fixture::draw_grid(random, 80)
                                      : draw_job(random, family, draw_shape(random, family, 80));
    cuts_alike(job, LineModel(job.graph, lay_out_lines(job.graph, job.coordinates)), random);
    if (const auto joint = lay_out_jointly(job.graph, job.coordinates)) {
      cuts_alike(job, LineModel(job.graph, *joint), random);
    }
  }));
}

TEST_CASE("an encoder that feeds a longer decoder leaves no edge loose", "[partition]") {
  CHECK(rc::check([] {
    Random random(*rc::gen::arbitrary<std::uint64_t>());
    const fixture::Instance job = encoder_and_decoder(random);
    const auto joint = lay_out_jointly(job.graph, job.coordinates);
    RC_ASSERT(joint.has_value());
    const LineModel model(job.graph, *joint);
    RC_ASSERT(model.loose_edges().empty());
    cuts_alike(job, model, random);
  }));
}
