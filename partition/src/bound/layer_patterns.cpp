#include "bound/layer_patterns.hpp"

#include <algorithm>

#include "bound/piece_table.hpp"
#include "grid/min_plus.hpp"
#include "grid/relaxation_sums.hpp"

namespace zonecut {

Column cheapest_layer(std::size_t size, const LayerPiecePrices& prices) {
  const std::size_t largest = prices.price.size() - 1;
  std::vector<double> least{0};
  least.resize(size + 1, kNotReached);
  for (std::size_t sum = 0; sum < size; ++sum) {
    const std::size_t most = std::min(size - sum, largest);
    lower(std::span(least).subspan(sum + 1, most), prices.price.subspan(1), least[sum]);
  }
  Column column{least[size], {}};
  for (std::size_t sum = size; sum > 0;) {
    const std::size_t piece = cheapest_last(least, prices.price, sum, largest);
    append(column.slope, prices.first + piece, 1);
    sum -= piece;
  }
  sort(column.slope);
  return column;
}

Column LayerByZone::cheapest(std::size_t size, std::span<const LayerPiecePrices> kinds) {
  std::size_t zones = 0;
  for (const LayerPiecePrices& kind : kinds) zones += kind.zones;
  const std::size_t sums = size + 1;
  least_.assign((zones + 1) * sums, kNotReached);
  least_.front() = 0;
  std::size_t zone = 0;
  for (const LayerPiecePrices& kind : kinds) {
    for (std::size_t i = 0; i < kind.zones; ++i, ++zone) {
      const std::span<double> before = row_of(least_, zone, sums);
      const std::span<double> after = row_of(least_, zone + 1, sums);
      std::ranges::copy(before, after.begin());
      for (std::size_t x = 1; x < kind.price.size(); ++x) {
        lower(after.subspan(x), before, kind.price[x]);
      }
    }
  }
  Column column{least_.back(), {}};
  std::size_t sum = size;
  for (std::size_t k = kinds.size(); k-- > 0;) {
    const LayerPiecePrices& kind = kinds[k];
    for (std::size_t i = 0; i < kind.zones; ++i) {
      --zone;
      const std::span<double> before = row_of(least_, zone, sums);
      if (least_[(zone + 1) * sums + sum] == before[sum]) continue;
      const std::size_t piece = cheapest_last(before, kind.price, sum, kind.price.size() - 1);
      append(column.slope, kind.first + piece, 1);
      sum -= piece;
    }
  }
  sort(column.slope);
  return column;
}

}  // namespace zonecut
