#include "bound/layer_looks.hpp"

#include <algorithm>
#include <bit>
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

constexpr std::size_t kFine = 12;  // a layer of so many parts is fine enough to begin with
constexpr std::size_t kNarrow = 4;

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

std::size_t first_width(std::span<const Layer> layers) {
  const std::size_t most = std::ranges::min(layers, {}, &Layer::size).size / kFine;
  // Groups are mostly powers of two, and what so many vertices cut says most where they fill some.
  const std::size_t twos = std::size_t{1} << std::countr_zero(common_divisor(layers));
  const std::size_t width = std::bit_floor(std::max<std::size_t>(1, std::min(most, twos)));
  return width >= kNarrow ? width : width_up_to(layers, most);
}

int steps_within(const WorkBudget& budget, const LayerRelaxation& relaxation) {
  const auto each = static_cast<std::int64_t>(relaxation.steps_per_solve());
  return static_cast<int>(std::min<std::int64_t>(kMostLayerSteps, budget.left() / each));
}

LayerLook::LayerLook(std::span<const Layer> fine, std::span<const std::uint32_t> capacity,
                     bool full, std::size_t width, LayerPrices prices)
    : LayerLook(fine, in_wide_units(capacity, width), full, width, prices) {}

LayerLook::LayerLook(std::span<const Layer> fine, const std::vector<std::uint32_t>& wide_capacity,
                     bool full, std::size_t width, LayerPrices prices)
    : width_(width),
      layers_(coarser(fine, width, std::ranges::max(wide_capacity))),
      relaxation_(layers_, wide_capacity, full, 0, prices) {}

PieceMultipliers LayerLook::prices_for(const LayerRelaxation& other, std::size_t width) const {
  PieceMultipliers result = prices_;
  result.piece.assign(other.pieces(), 0);
  const double times = number(width) / number(width_);
  for (std::size_t zone = 0; zone < other.zones(); ++zone) {
    const LayerShapes* to = other.shapes_of(zone);
    const LayerShapes* from = relaxation_.shapes_of(zone);
    if (to == nullptr || from == nullptr) continue;
    for (std::size_t layer = 0; layer < layers_.size(); ++layer) {
      const std::size_t last = from->options(layer) - 1;
      if (last == 0) continue;
      const double* known = &prices_.piece[from->first(layer)];
      for (std::size_t x = 1; x < to->options(layer); ++x) {
        const std::size_t low = std::min(x * width / width_, last - 1);
        const double before = low == 0 ? 0 : known[low];
        result.piece[to->first(layer) + x] =
            before + (known[low + 1] - before) * (number(x) * times - number(low));
      }
    }
  }
  return result;
}

}  // namespace zonecut
