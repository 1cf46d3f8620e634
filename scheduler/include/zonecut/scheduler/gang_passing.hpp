#pragma once
// Jobs in no gang that were let onto servers with reserved GPUs, from that answer until they run.
// In between their GPUs are in use nowhere yet, though the next question may come at once; and
// since it is not known which of its servers such a job goes to, its GPUs count on all of them.
// Pure: times are milliseconds of one clock of the caller's. O(jobs under way · their servers).
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "zonecut/scheduler/gang_plan.hpp"

namespace zonecut {

class Passing {
 public:
  /// ms after which a job that is not heard of counts as gone elsewhere.
  static constexpr std::int64_t kLasts = 10'000;
  void let_through(const std::string& name, std::vector<ServerId> servers, int gpus,
                   std::int64_t now);
  /// The job runs, or is gone.
  void forget(const std::string& name) { under_way_.erase(name); }
  template <class Gone>
  void forget_if(const Gone& is_gone) {
    std::erase_if(under_way_, [&](const auto& entry) { return is_gone(entry.first); });
  }
  /// After the cluster has changed: servers keep their names.
  void move_to(const Cluster& before, const Cluster& after);
  /// By server, of which there are `servers`: the GPUs that jobs under way but `but_for` may use.
  [[nodiscard]] UsedGpus gpus(std::size_t servers, const std::string& but_for,
                              std::int64_t now) const;

 private:
  struct UnderWay {
    std::vector<ServerId> servers;
    int gpus = 0;
    std::int64_t until = 0;
  };
  std::map<std::string, UnderWay> under_way_;
};

}  // namespace zonecut
