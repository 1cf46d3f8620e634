#pragma once
// An undirected graph of who exchanges how many bytes, in compressed rows: what a mapping is
// computed on. A vertex is one server's worth of ranks. Every edge stands in both its ends' rows
// with the same weight; no loops, no repeated edges.
#include <cstdint>
#include <istream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "zonecut/partition/traffic.hpp"

namespace zonecut {

class CommunicationGraph {
 public:
  struct Edge {
    std::uint32_t u, v;
    std::int64_t weight;
  };
  struct Neighbour {
    std::uint32_t vertex;
    std::int64_t weight;
    friend bool operator==(const Neighbour&, const Neighbour&) = default;
  };

  /// Edges in any order; equal pairs are added up, loops dropped. Throws InputError on a negative
  /// weight or when the sum of all weights does not fit 62 bits.
  [[nodiscard]] static CommunicationGraph from_edges(std::size_t vertices, std::vector<Edge> edges);

  [[nodiscard]] std::size_t vertices() const noexcept { return offsets_.size() - 1; }
  [[nodiscard]] std::size_t edges() const noexcept { return neighbours_.size() / 2; }
  [[nodiscard]] std::span<const Neighbour> neighbours(std::size_t vertex) const {
    return std::span(neighbours_)
        .subspan(offsets_[vertex], offsets_[vertex + 1] - offsets_[vertex]);
  }
  [[nodiscard]] std::int64_t total_weight() const noexcept { return total_weight_; }
  friend bool operator==(const CommunicationGraph&, const CommunicationGraph&) = default;

 private:
  std::vector<std::size_t> offsets_{0};
  std::vector<Neighbour> neighbours_;
  std::int64_t total_weight_ = 0;
};

/// Bytes between servers, both directions added up. O(flows log flows); an all-to-all group counts
/// with its members and its pairs of servers only. Throws InputError where there are more than 40
/// million pairs, each counted for every group, or the bytes do not fit 62 bits.
[[nodiscard]] CommunicationGraph contract(const Traffic& traffic);
/// The same with `ranks_of_vertex` consecutive ranks to a vertex, instead of a server's.
[[nodiscard]] CommunicationGraph contract(const Traffic& traffic, std::size_t ranks_of_vertex);

/// METIS graph format (fmt 0, 1, 10, 11), as in `zonecut map --graph`. Throws InputError with the
/// line; checks symmetry.
[[nodiscard]] CommunicationGraph parse_metis_graph(std::string_view text,
                                                   const std::string& source);
/// A line of three integers for each vertex. Throws InputError with the line.
[[nodiscard]] std::vector<Coordinates> parse_coordinates(std::string_view text,
                                                         const std::string& source,
                                                         std::size_t vertices);

}  // namespace zonecut
