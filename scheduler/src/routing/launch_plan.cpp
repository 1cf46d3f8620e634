#include "routing/launch_plan.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "rounds.hpp"
#include "routing/nic_flows.hpp"

namespace zonecut {
namespace {

struct Need {
  double paths = 0;   ///< of one launch
  double fewest = 0;  ///< launches
  double most = 0;
};

Need need_of(const Traffic& traffic, const Phase& phase, int nics, int parts) {
  const auto steps = static_cast<double>(step_count(phase));
  const auto each = static_cast<double>(parts);
  return {each * count_nic_flows(traffic, phase, nics, kSampledPaths / each),
          std::max(kFewestOfSteps, std::ceil(kFewestLaunches / steps)),
          std::max(kFewestOfSteps, std::ceil(kMostLaunches / steps))};
}

}  // namespace

std::vector<std::size_t> plan_launches(const Traffic& traffic, int nics, int parts) {
  std::vector<Need> needs;
  for (const Phase& phase : traffic.phases) needs.push_back(need_of(traffic, phase, nics, parts));
  std::vector<std::size_t> smallest_first(needs.size());
  std::iota(smallest_first.begin(), smallest_first.end(), std::size_t{0});
  std::stable_sort(smallest_first.begin(), smallest_first.end(), [&](std::size_t a, std::size_t b) {
    return needs[a].paths * needs[a].fewest < needs[b].paths * needs[b].fewest;
  });
  double least = 0;
  double wanted = 0;
  std::size_t sampled = 0;
  for (; sampled < needs.size(); ++sampled) {
    const Need& need = needs[smallest_first[sampled]];
    least += need.paths * need.fewest;
    if (least > kSampledPaths) break;
    wanted += need.paths * need.most;
  }
  const double share = wanted > kSampledPaths ? kSampledPaths / wanted : 1;
  std::vector<std::size_t> launches(needs.size(), 0);
  for (const std::size_t i : std::span(smallest_first).first(sampled)) {
    launches[i] = static_cast<std::size_t>(
        std::clamp(std::floor(needs[i].most * share), needs[i].fewest, needs[i].most));
  }
  return launches;
}

}  // namespace zonecut
