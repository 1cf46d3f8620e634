#include "gpu_choice.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>

#include "zonecut/base/error.hpp"

namespace zonecut {
namespace {

/// What is left of each server's GPUs while vertices take them.
class GpusLeft {
 public:
  GpusLeft(const ClusterView& view, std::span<const ServerId> servers, std::size_t ranks) {
    std::map<ServerId, std::size_t> needed;
    for (const ServerId server : servers) needed[server] += ranks;
    for (const auto& [server, count] : needed) left_[server] = gpus_of(view, server, count);
  }

  /// Takes nothing and says false where one of them is no longer there.
  bool take(ServerId server, std::span<const int> gpus) {
    std::vector<int>& here = left_[server];
    if (!std::ranges::includes(here, gpus)) return false;
    std::vector<int> others;
    std::ranges::set_difference(here, gpus, std::back_inserter(others));
    here = std::move(others);
    return true;
  }
  std::vector<int> take_lowest(ServerId server, std::size_t count) {
    std::vector<int>& here = left_[server];
    ZONECUT_ENSURES(here.size() >= count);
    const auto end = here.begin() + static_cast<std::ptrdiff_t>(count);
    const std::vector<int> gpus(here.begin(), end);
    here.erase(here.begin(), end);
    return gpus;
  }

 private:
  std::map<ServerId, std::vector<int>> left_;
};

/// By vertex the GPUs it had: those held of its server, in the order of vertices. Empty where it
/// had none, or fewer are held than it took.
std::vector<std::vector<int>> gpus_before(std::span<const std::optional<ServerId>> before,
                                          std::span<const GpuId> held, std::size_t ranks) {
  std::map<ServerId, std::vector<int>> on;
  for (const GpuId gpu : held) on[gpu.server].push_back(gpu.index);
  std::map<ServerId, std::size_t> passed;
  std::vector<std::vector<int>> gpus(before.size());
  for (std::size_t v = 0; v < before.size(); ++v) {
    if (!before[v]) continue;
    const std::vector<int>& here = on[*before[v]];
    std::size_t& first = passed[*before[v]];
    if (first + ranks > here.size()) continue;
    const auto begin = here.begin() + static_cast<std::ptrdiff_t>(first);
    gpus[v].assign(begin, begin + static_cast<std::ptrdiff_t>(ranks));
    first += ranks;
  }
  return gpus;
}

}  // namespace

std::vector<int> gpus_of(const ClusterView& view, ServerId server, std::size_t needed) {
  std::vector<int> gpus = view.usable_gpus(server);
  if (gpus.size() >= needed) return gpus;
  std::vector<int> all(static_cast<std::size_t>(view.cluster->server(server).gpus));
  std::iota(all.begin(), all.end(), 0);
  gpus.clear();
  std::copy_if(all.begin(), all.end(), std::back_inserter(gpus),
               [&](int gpu) { return !view.health.has_failed({server, gpu}); });
  return gpus.size() >= needed ? gpus : all;
}

std::vector<bool> has_its_gpus(const ClusterView& view,
                               std::span<const std::optional<ServerId>> before,
                               std::span<const GpuId> held, std::size_t ranks) {
  const std::vector<std::vector<int>> gpus = gpus_before(before, held, ranks);
  std::vector<bool> has(before.size());
  for (std::size_t v = 0; v < before.size(); ++v)
    has[v] = !gpus[v].empty() && std::ranges::includes(view.usable_gpus(*before[v]), gpus[v]);
  return has;
}

std::vector<GpuId> gpus_kept(const ClusterView& view,
                             std::span<const std::optional<ServerId>> before,
                             std::span<const ServerId> after, std::span<const GpuId> held,
                             std::size_t ranks) {
  GpusLeft left(view, after, ranks);
  std::vector<std::vector<int>> of_vertex = gpus_before(before, held, ranks);
  for (std::size_t v = 0; v < after.size(); ++v) {
    if (before[v] != after[v] || !left.take(after[v], of_vertex[v])) of_vertex[v].clear();
  }
  std::vector<GpuId> gpus;
  for (std::size_t v = 0; v < after.size(); ++v) {
    if (of_vertex[v].empty()) of_vertex[v] = left.take_lowest(after[v], ranks);
    for (const int gpu : of_vertex[v]) gpus.push_back({after[v], gpu});
  }
  return gpus;
}

}  // namespace zonecut
