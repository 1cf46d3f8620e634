#include "zonecut/scheduler/gang_passing.hpp"

#include <utility>

namespace zonecut {

void Passing::let_through(const std::string& name, std::vector<ServerId> servers, int gpus,
                          std::int64_t now) {
  std::erase_if(under_way_, [&](const auto& entry) { return entry.second.until <= now; });
  under_way_.insert_or_assign(name, UnderWay{std::move(servers), gpus, now + kLasts});
}

void Passing::move_to(const Cluster& before, const Cluster& after) {
  for (auto& [name, one] : under_way_) {
    std::vector<ServerId> moved;
    for (const ServerId server : one.servers) {
      if (const auto now = after.find_server(before.server(server).name)) moved.push_back(*now);
    }
    one.servers = std::move(moved);
  }
}

UsedGpus Passing::gpus(std::size_t servers, const std::string& but_for, std::int64_t now) const {
  UsedGpus gpus(servers, 0);
  for (const auto& [name, one] : under_way_) {
    if (name == but_for || one.until <= now) continue;
    for (const ServerId server : one.servers) gpus[server] += one.gpus;
  }
  return gpus;
}

}  // namespace zonecut
