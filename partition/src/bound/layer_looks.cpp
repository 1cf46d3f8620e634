#include "bound/layer_looks.hpp"

#include <algorithm>
#include <numeric>

#include "bound/wide_units.hpp"
#include "grid/relaxation_sums.hpp"

namespace zonecut {
namespace {

/// Every so many vertices taken as one. Zones take up to `most` of those. Where that is rounded up,
/// what the last one cuts is not known, and counts as what as many as are known cut.
std::vector<Layer> coarser(std::span<const Layer> layers, std::size_t width, std::size_t most) {
  std::vector<Layer> result;
  const auto times = static_cast<std::int64_t>(width);
  std::size_t most_before = 0;
  for (const Layer& layer : layers) {
    const std::size_t most_here = std::min(layer.size / width, most);
    Layer& wide = result.emplace_back(Layer{
        layer.size / width, {}, layer.link, layer.pairs.coarser(width, most_before, most_here)});
    for (std::size_t x = 0; x <= most_here; ++x) {
      wide.inside.push_back(layer.inside[std::min(x * width, layer.inside.size() - 1)]);
    }
    for (std::int64_t* w : {&wide.link.least_before, &wide.link.most_before, &wide.link.least_here,
                            &wide.link.most_here}) {
      *w *= times;
    }
    most_before = most_here;
  }
  return result;
}

}  // namespace

std::size_t common_divisor(std::span<const Layer> layers) {
  std::size_t divisor = 0;
  for (const Layer& layer : layers) divisor = std::gcd(divisor, layer.size);
  return divisor;
}

std::size_t width_up_to(std::span<const Layer> layers, std::size_t most) {
  const std::size_t divisor = common_divisor(layers);
  std::size_t width = std::max<std::size_t>(1, std::min(most, divisor));
  while (divisor % width != 0) --width;
  return width;
}

LayerLook::LayerLook(std::span<const Layer> fine, std::span<const std::uint32_t> capacity,
                     bool full, std::size_t width)
    : LayerLook(fine, in_wide_units(capacity, width), full, width) {}

LayerLook::LayerLook(std::span<const Layer> fine, const std::vector<std::uint32_t>& wide_capacity,
                     bool full, std::size_t width)
    : width_(width),
      layers_(coarser(fine, width, std::ranges::max(wide_capacity))),
      relaxation_(layers_, wide_capacity, full, 0) {}

PieceMultipliers LayerLook::prices_for(const LayerRelaxation& other, std::size_t width) const {
  PieceMultipliers result = prices_;
  result.piece.assign(other.pieces(), 0);
  const double times = number(width) / number(width_);
  for (std::size_t layer = 0; layer < layers_.size(); ++layer) {
    const std::size_t last = relaxation_.options(layer) - 1;
    if (last == 0) continue;
    const double* known = &prices_.piece[relaxation_.first(layer)];
    for (std::size_t x = 1; x < other.options(layer); ++x) {
      const std::size_t low = std::min(x * width / width_, last - 1);
      const double before = low == 0 ? 0 : known[low];
      result.piece[other.first(layer) + x] =
          before + (known[low + 1] - before) * (number(x) * times - number(low));
    }
  }
  return result;
}

}  // namespace zonecut
