#include "fabric_graph.hpp"

#include <boost/range/iterator_range.hpp>
#include <utility>

namespace zonecut {

FabricGraph::FabricGraph(std::size_t servers, std::size_t switches, std::span<const Link> links)
    : servers_(servers) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
  std::vector<std::uint32_t> link_of_edge;
  edges.reserve(2 * links.size());
  link_of_edge.reserve(2 * links.size());
  for (std::uint32_t i = 0; i < links.size(); ++i) {
    const std::uint32_t lower = vertex(links[i].lower);
    const std::uint32_t upper = vertex(links[i].upper);
    edges.emplace_back(lower, upper);
    edges.emplace_back(upper, lower);
    link_of_edge.insert(link_of_edge.end(), {i, i});
  }
  graph_ = Graph(boost::edges_are_unsorted_multi_pass, edges.begin(), edges.end(),
                 link_of_edge.begin(), static_cast<std::uint32_t>(servers + switches));
  row_links_.reserve(edges.size());
  for (const auto& edge : boost::make_iterator_range(boost::edges(graph_)))
    row_links_.emplace_back(graph_[edge]);
}

std::uint32_t FabricGraph::vertex(Endpoint endpoint) const {
  if (const auto* server = std::get_if<ServerId>(&endpoint))
    return static_cast<std::uint32_t>(server->index());
  return static_cast<std::uint32_t>(servers_ + std::get<SwitchId>(endpoint).index());
}

std::span<const LinkId> FabricGraph::links_of(Endpoint endpoint) const {
  const auto [begin, end] = boost::out_edges(vertex(endpoint), graph_);
  if (begin == end) return {};
  const auto first = boost::get(boost::edge_index, graph_, *begin);
  return std::span(row_links_).subspan(first, boost::out_degree(vertex(endpoint), graph_));
}

}  // namespace zonecut
