#pragma once
// Jobs of the families that train in practice, of any size: a ring or tree of replicas times a
// pipeline, sharded replicas in a ring or tree, context-parallel rings, expert cliques, and an
// encoder before its decoder. Traffic runs as in real jobs; weights are random.
#include <array>

#include "partition/mapping_fixtures.hpp"

namespace zonecut::fixture {

enum class Family {
  RingPipeline,
  TreePipeline,
  ShardedReplicas,
  ShardedTrees,
  ContextParallel,
  Experts,
  Encoder
};
inline constexpr std::array kFamilies{
    Family::RingPipeline,    Family::TreePipeline, Family::ShardedReplicas, Family::ShardedTrees,
    Family::ContextParallel, Family::Experts,      Family::Encoder};

/// Axes from the fastest to the slowest, as in coordinates files.
struct FamilyShape {
  std::size_t group = 1;  ///< ranks of a context-parallel ring, experts' clique or shard
  std::size_t replicas = 1;
  std::size_t stages = 1;
  std::size_t encoders = 0;  ///< replicas of an encoder, each with `group` shards
};

/// Vertices in random order. The pipeline is a path, a cycle, or a path with a lighter closing
/// edge.
[[nodiscard]] Instance draw_job(Random& random, Family family, const FamilyShape& shape);
/// A shape of at most `most` vertices that suits the family.
[[nodiscard]] FamilyShape draw_shape(Random& random, Family family, std::size_t most);
/// One of `least` to `most` vertices, with longer axes.
[[nodiscard]] FamilyShape draw_large_shape(Random& random, Family family, std::size_t least,
                                           std::size_t most);

}  // namespace zonecut::fixture
