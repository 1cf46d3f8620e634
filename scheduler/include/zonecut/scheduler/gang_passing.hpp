#pragma once
// What is in no gang and was let onto servers of which some GPUs are reserved, between the answer
// and its start there: whoever starts it counts on those GPUs at once, and asks for the next before
// it is heard of. Which of the servers it goes to is not known, so it counts on all of them. Pure:
// times are milliseconds of any one clock. O(those under way x their servers).
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "zonecut/scheduler/gang_plan.hpp"

namespace zonecut {

class Passing {
 public:
  /// Later it has gone elsewhere, or nowhere.
  static constexpr std::int64_t kLasts = 10'000;
  void let_through(const std::string& name, std::vector<ServerId> servers, int gpus,
                   std::int64_t now);
  /// It runs, or is gone.
  void forget(const std::string& name) { under_way_.erase(name); }
  template <class Gone>
  void forget_if(const Gone& is_gone) {
    std::erase_if(under_way_, [&](const auto& entry) { return is_gone(entry.first); });
  }
  /// After the cluster has changed: servers keep their names.
  void move_to(const Cluster& before, const Cluster& after);
  /// GPUs that those under way may use, without who asks itself.
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
