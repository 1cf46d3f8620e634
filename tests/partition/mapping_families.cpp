#include "partition/mapping_families.hpp"

#include "traffic/binary_tree.hpp"

namespace zonecut::fixture {
namespace {

using Edge = CommunicationGraph::Edge;

std::int64_t weight(Random& random) { return static_cast<std::int64_t>(1 + random.below(30)); }

class JobEdges {
 public:
  JobEdges(Random& random, Family family, const FamilyShape& shape)
      : random_(random), family_(family), shape_(shape) {}

  Instance draw() {
    const std::size_t decoder = shape_.group * shape_.replicas * shape_.stages;
    groups_ = family_ == Family::Encoder ? 1 : shape_.group;
    decoders_ = family_ == Family::Encoder ? shape_.replicas * shape_.stages : decoder;
    draw_pipeline();
    draw_stages();
    place_decoder();
    if (family_ == Family::Encoder) draw_encoder();
    return shuffled();
  }

 private:
  [[nodiscard]] std::uint32_t at(std::size_t g, std::size_t r, std::size_t p) const {
    return static_cast<std::uint32_t>(g + groups_ * (r + shape_.replicas * p));
  }

  void draw_pipeline() {
    const std::int64_t step = weight(random_);
    const std::int64_t wraps[] = {
        0, step, static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(step) + 1))};
    const std::int64_t wrap = shape_.stages > 2 ? wraps[random_.below(3)] : 0;
    for (std::size_t r = 0; r < shape_.replicas; ++r) {
      for (std::size_t g = 0; g < groups_; ++g) {
        for (std::size_t p = 0; p + 1 < shape_.stages; ++p) {
          edges_.push_back({at(g, r, p), at(g, r, p + 1), step});
        }
        if (wrap > 0) edges_.push_back({at(g, r, shape_.stages - 1), at(g, r, 0), wrap});
      }
    }
  }

  void draw_stages() {
    const std::int64_t group = weight(random_);
    const std::int64_t replica = weight(random_);
    const std::int64_t chain = weight(random_);
    for (std::size_t p = 0; p < shape_.stages; ++p) {
      switch (family_) {
        case Family::RingPipeline:
        case Family::Encoder:
          ring(shape_.replicas, replica, [&](std::size_t r) { return at(0, r, p); });
          break;
        case Family::TreePipeline:
          draw_trees(p, replica);
          break;
        case Family::ShardedTrees:
          draw_groups(p, group, false);
          draw_trees(p, replica);
          break;
        case Family::ShardedReplicas:
          draw_groups(p, group, false);
          draw_replicas(p, replica);
          break;
        case Family::ContextParallel:
          draw_groups(p, group, false);
          draw_chain(p, chain);
          break;
        case Family::Experts:
          draw_groups(p, group, true);
          draw_replicas(p, replica);
          draw_chain(p, chain);
          break;
      }
    }
  }

  template <class At>
  void ring(std::size_t length, std::int64_t w, At vertex) {
    for (std::size_t i = 0; i + 1 < length; ++i) edges_.push_back({vertex(i), vertex(i + 1), w});
    if (length > 2) edges_.push_back({vertex(length - 1), vertex(0), w});
  }

  void draw_trees(std::size_t p, std::int64_t w) {
    for (std::size_t g = 0; g < groups_; ++g) {
      for (std::size_t r = 0; r < shape_.replicas; ++r) {
        if (const auto up = tree_parent(r, shape_.replicas)) {
          edges_.push_back({at(g, r, p), at(g, *up, p), w});
        }
        if (const auto up = second_tree_parent(r, shape_.replicas)) {
          edges_.push_back({at(g, r, p), at(g, *up, p), w});
        }
      }
    }
  }

  void draw_groups(std::size_t p, std::int64_t w, bool clique) {
    for (std::size_t r = 0; r < shape_.replicas; ++r) {
      if (!clique) ring(groups_, w, [&](std::size_t g) { return at(g, r, p); });
      for (std::size_t g = 0; clique && g < groups_; ++g) {
        for (std::size_t h = g + 1; h < groups_; ++h)
          edges_.push_back({at(g, r, p), at(h, r, p), w});
      }
    }
  }

  void draw_replicas(std::size_t p, std::int64_t w) {
    for (std::size_t g = 0; g < groups_; ++g) {
      ring(shape_.replicas, w, [&](std::size_t r) { return at(g, r, p); });
    }
  }

  /// The dense parameters' ring: through a group, then through the next.
  void draw_chain(std::size_t p, std::int64_t w) {
    ring(groups_ * shape_.replicas, w,
         [&](std::size_t i) { return at(i % groups_, i / groups_, p); });
  }

  void place_decoder() {
    for (std::size_t v = 0; v < decoders_; ++v) {
      const auto g = static_cast<int>(v % groups_);
      const auto r = static_cast<int>(v / groups_ % shape_.replicas);
      const auto p = static_cast<int>(v / groups_ / shape_.replicas);
      places_.push_back({g, r, p});
    }
  }

  /// Sharded replicas of it feed the first stage, as many to each of its ranks as there are.
  void draw_encoder() {
    const std::int64_t shard = weight(random_);
    const std::int64_t replica = weight(random_);
    const std::int64_t feed = weight(random_);
    const auto encoder = [&](std::size_t g, std::size_t e) {
      return static_cast<std::uint32_t>(decoders_ + g + shape_.group * e);
    };
    for (std::size_t e = 0; e < shape_.encoders; ++e) {
      ring(shape_.group, shard, [&](std::size_t g) { return encoder(g, e); });
    }
    for (std::size_t g = 0; g < shape_.group; ++g) {
      ring(shape_.encoders, replica, [&](std::size_t e) { return encoder(g, e); });
      for (std::size_t e = 0; e < shape_.encoders; ++e) {
        const std::size_t r = (g * shape_.encoders + e) % shape_.replicas;
        edges_.push_back({encoder(g, e), at(0, r, 0), feed});
      }
    }
    for (std::size_t e = 0; e < shape_.encoders; ++e) {
      for (std::size_t g = 0; g < shape_.group; ++g) {
        places_.push_back({static_cast<int>(g), static_cast<int>(e), -1});
      }
    }
  }

  Instance shuffled() {
    std::vector<std::uint32_t> name(places_.size());
    for (std::uint32_t v = 0; v < name.size(); ++v) name[v] = v;
    random_.shuffle(std::span(name));
    for (Edge& edge : edges_) edge = {name[edge.u], name[edge.v], edge.weight};
    Instance instance;
    instance.graph = CommunicationGraph::from_edges(name.size(), std::move(edges_));
    instance.coordinates.resize(name.size());
    for (std::size_t v = 0; v < name.size(); ++v) instance.coordinates[name[v]] = places_[v];
    return instance;
  }

  Random& random_;
  Family family_;
  FamilyShape shape_;
  std::size_t groups_ = 1;
  std::size_t decoders_ = 0;
  std::vector<Edge> edges_;
  std::vector<Coordinates> places_;
};

std::size_t vertices_of(Family family, const FamilyShape& shape) {
  const std::size_t decoder = shape.replicas * shape.stages;
  return family == Family::Encoder ? decoder + shape.group * shape.encoders : decoder * shape.group;
}

bool has_trees(Family family) {
  return family == Family::TreePipeline || family == Family::ShardedTrees;
}

bool is_sharded(Family family) {
  return family == Family::ShardedReplicas || family == Family::ShardedTrees;
}

bool is_grouped(Family family) {
  return family != Family::RingPipeline && family != Family::TreePipeline;
}

}  // namespace

Instance draw_job(Random& random, Family family, const FamilyShape& shape) {
  return JobEdges(random, family, shape).draw();
}

namespace {

struct LongestAxes {
  std::size_t group;
  std::size_t replicas;
  std::size_t of_trees;  ///< replicas, where trees join them
  std::size_t stages;
  std::size_t encoders;
};

FamilyShape draw_shape(Random& random, Family family, const LongestAxes& longest, std::size_t least,
                       std::size_t most) {
  FamilyShape shape;
  do {
    shape.group = is_grouped(family) ? 2 + random.below(longest.group - 1) : 1;
    shape.replicas = 1 + random.below(has_trees(family) ? longest.of_trees : longest.replicas);
    shape.stages = is_sharded(family) ? 1 : 1 + random.below(longest.stages);
    shape.encoders = family == Family::Encoder ? 1 + random.below(longest.encoders) : 0;
  } while (vertices_of(family, shape) > most || vertices_of(family, shape) < least);
  return shape;
}

}  // namespace

FamilyShape draw_shape(Random& random, Family family, std::size_t most) {
  return draw_shape(random, family, {6, 7, 12, 5, 3}, 3, most);
}

FamilyShape draw_large_shape(Random& random, Family family, std::size_t least, std::size_t most) {
  return draw_shape(random, family, {16, 32, 192, 24, 12}, least, most);
}

}  // namespace zonecut::fixture
