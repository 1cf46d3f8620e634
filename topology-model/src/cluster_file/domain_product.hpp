#pragma once
// The domains that one row of a cluster file stands for: every combination of its names, one list
// of names a level, in depth-first order.
//
//   zone: zone[1-2]            zone1/r1  zone1/r2  zone1/r3
//   rack: r[1-3]               zone2/r1  zone2/r2  zone2/r3
//
// Holds the lists, not the combinations. Private to the topology model.
#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace zonecut {

class DomainProduct {
 public:
  [[nodiscard]] std::size_t depth() const noexcept { return names_.size(); }
  [[nodiscard]] std::size_t count() const noexcept { return count_; }
  /// Adds the names of the next level. The caller has checked that the product stays within limits.
  void descend(std::vector<std::string> names) {
    count_ *= names.size();
    names_.push_back(std::move(names));
  }

  /// Calls visit(path) for every combination; the span is valid during the call.
  template <class Visit>
  void for_each(const Visit& visit) const {
    std::vector<std::size_t> at(names_.size(), 0);
    std::vector<std::string> path;
    for (const auto& names : names_) path.push_back(names.front());
    for (std::size_t done = 0; done < count_; ++done) {
      visit(std::span<const std::string>(path));
      for (std::size_t level = names_.size(); level-- > 0;) {  // as an odometer turns
        at[level] = (at[level] + 1) % names_[level].size();
        path[level] = names_[level][at[level]];
        if (at[level] != 0) break;
      }
    }
  }

 private:
  std::vector<std::vector<std::string>> names_;
  std::size_t count_ = 1;
};

}  // namespace zonecut
