#include "usual_gpus.hpp"

#include <algorithm>
#include <map>

namespace zonecut {

int usual_gpus(const Cluster& cluster) {
  std::map<int, std::size_t> count;
  for (const ServerId server : cluster.server_ids()) ++count[cluster.server(server).gpus];
  const auto usual =
      std::max_element(count.rbegin(), count.rend(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  return usual->first;
}

}  // namespace zonecut
