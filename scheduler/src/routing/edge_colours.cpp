#include "routing/edge_colours.hpp"

#include <algorithm>
#include <bit>
#include <optional>

#include "zonecut/base/error.hpp"

namespace zonecut {
namespace {

constexpr std::uint32_t kNone = ~std::uint32_t{0};

class Colouring {
 public:
  Colouring(std::span<const BipartiteEdge> edges, std::uint32_t colours)
      : edges_(edges),
        colours_(colours),
        words_((colours + 63) / 64),
        colour_(edges.size(), kNone) {
    std::size_t lefts = 0;
    for (const BipartiteEdge& edge : edges) lefts = std::max<std::size_t>(lefts, edge.left + 1);
    right_ = lefts;
    std::size_t vertices = lefts;
    for (const BipartiteEdge& edge : edges)
      vertices = std::max<std::size_t>(vertices, lefts + edge.right + 1);
    edge_at_.assign(vertices * colours, kNone);
    free_.assign(vertices * words_, ~std::uint64_t{0});
  }

  [[nodiscard]] std::vector<std::uint32_t> all() && {
    for (std::uint32_t edge = 0; edge < edges_.size(); ++edge) colour(edge);
    return std::move(colour_);
  }

 private:
  [[nodiscard]] std::size_t left(std::uint32_t edge) const { return edges_[edge].left; }
  [[nodiscard]] std::size_t right(std::uint32_t edge) const { return right_ + edges_[edge].right; }
  [[nodiscard]] std::uint32_t& at(std::size_t vertex, std::uint32_t colour) {
    return edge_at_[vertex * colours_ + colour];
  }

  /// The first colour that is free at both vertices.
  [[nodiscard]] std::optional<std::uint32_t> free_at(std::size_t vertex, std::size_t other) const {
    for (std::size_t word = 0; word < words_; ++word) {
      const std::uint64_t both = free_[vertex * words_ + word] & free_[other * words_ + word];
      if (both == 0) continue;
      const auto colour = static_cast<std::uint32_t>(64 * word) +
                          static_cast<std::uint32_t>(std::countr_zero(both));
      if (colour < colours_) return colour;
    }
    return std::nullopt;
  }

  void colour(std::uint32_t edge) {
    if (const auto both = free_at(left(edge), right(edge))) return give(edge, *both);
    const auto free_left = free_at(left(edge), left(edge));
    const auto free_right = free_at(right(edge), right(edge));
    ZONECUT_ENSURES(free_left && free_right);
    swap_path(right(edge), *free_left, *free_right);
    give(edge, *free_left);
  }

  void give(std::uint32_t edge, std::uint32_t colour) {
    colour_[edge] = colour;
    for (const std::size_t vertex : {left(edge), right(edge)}) {
      at(vertex, colour) = edge;
      free_[vertex * words_ + colour / 64] &= ~(std::uint64_t{1} << colour % 64);
    }
  }

  void take_back(std::uint32_t edge) {
    const std::uint32_t colour = colour_[edge];
    for (const std::size_t vertex : {left(edge), right(edge)}) {
      at(vertex, colour) = kNone;
      free_[vertex * words_ + colour / 64] |= std::uint64_t{1} << colour % 64;
    }
  }

  /// Exchanges two colours on the path that leaves `from` in `first`. It alternates between them,
  /// and ends before it comes to a left vertex at which `first` is free.
  void swap_path(std::size_t from, std::uint32_t first, std::uint32_t second) {
    path_.clear();
    std::uint32_t next = first;
    for (std::size_t vertex = from; at(vertex, next) != kNone; next = first + second - next) {
      path_.push_back(at(vertex, next));
      const std::uint32_t edge = path_.back();
      vertex = vertex == left(edge) ? right(edge) : left(edge);
    }
    for (const std::uint32_t edge : path_) take_back(edge);
    for (const std::uint32_t edge : path_) give(edge, first + second - colour_[edge]);
  }

  std::span<const BipartiteEdge> edges_;
  std::uint32_t colours_;
  std::size_t words_;                   // of 64 colours
  std::size_t right_ = 0;               // number of the first right vertex
  std::vector<std::uint32_t> colour_;   // by edge
  std::vector<std::uint32_t> edge_at_;  // by vertex and colour
  std::vector<std::uint64_t> free_;     // by vertex: a bit for each colour
  std::vector<std::uint32_t> path_;
};

}  // namespace

std::vector<std::uint32_t> edge_colours(std::span<const BipartiteEdge> edges,
                                        std::uint32_t colours) {
  return Colouring(edges, colours).all();
}

}  // namespace zonecut
