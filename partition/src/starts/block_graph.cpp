#include "starts/block_graph.hpp"

#include <algorithm>

namespace zonecut {

BlockGraph::BlockGraph(const CommunicationGraph& graph, const RowOrder& order, std::uint32_t width)
    : rows_(order.rows),
      columns_((order.length + width - 1) / width),
      width_(width),
      last_width_(order.length - (columns_ - 1) * width) {
  std::vector<std::uint32_t> block(order.at.size());
  for (std::uint32_t row = 0; row < rows_; ++row) {
    for (std::uint32_t place = 0; place < order.length; ++place) {
      block[order.at[row * order.length + place]] = row * columns_ + place / width;
    }
  }
  first_.push_back(0);
  std::vector<std::int64_t> weight(std::size_t{rows_} * columns_, 0);
  std::vector<std::uint32_t> seen;
  std::int64_t sum = 0;
  for (std::uint32_t row = 0; row < rows_; ++row) {
    for (std::uint32_t column = 0; column < columns_; ++column) {
      const std::uint32_t self = row * columns_ + column;
      seen.clear();
      for (std::uint32_t i = 0; i < size(self); ++i) {
        const std::uint32_t v = order.at[row * order.length + column * width + i];
        for (const auto& edge : graph.neighbours(v)) {
          const std::uint32_t other = block[edge.vertex];
          if (other == self) continue;
          if (weight[other] == 0) seen.push_back(other);
          weight[other] += edge.weight;
        }
      }
      std::ranges::sort(seen);
      for (const std::uint32_t other : seen) {
        neighbours_.push_back({other, weight[other]});
        sum += weight[other];
        weight[other] = 0;
      }
      first_.push_back(static_cast<std::uint32_t>(neighbours_.size()));
    }
  }
  typical_ = static_cast<double>(sum) / 2 / static_cast<double>(blocks());
}

}  // namespace zonecut
