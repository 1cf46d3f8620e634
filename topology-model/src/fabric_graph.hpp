#pragma once
// The fabric as a Boost graph in compressed rows: vertices are the servers, then the switches; each
// link is one edge in either direction. Boost.Graph is known to this file and its source only.
#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <span>
#include <vector>

#include "zonecut/topology/fabric.hpp"

namespace zonecut {

class FabricGraph {
 public:
  /// O(vertices + links).
  FabricGraph(std::size_t servers, std::size_t switches, std::span<const Link> links);

  /// In ascending order, which puts those that lead up first (fabric_links.hpp).
  [[nodiscard]] std::span<const LinkId> links_of(Endpoint endpoint) const;

 private:
  using Graph =
      boost::compressed_sparse_row_graph<boost::directedS, boost::no_property, std::uint32_t,
                                         boost::no_property, std::uint32_t, std::uint32_t>;
  [[nodiscard]] std::uint32_t vertex(Endpoint endpoint) const;

  std::size_t servers_;
  Graph graph_;
  std::vector<LinkId> row_links_;  // by edge of the graph
};

}  // namespace zonecut
