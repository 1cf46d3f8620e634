#pragma once
// From the pods of a gang to what the book must know of it: which member each pod is, who runs
// where, what the job is.
#include <cstdint>
#include <map>
#include <string>

#include "desk/mirror.hpp"
#include "zonecut/scheduler/gang_book.hpp"

namespace zonecut::kubernetes {

/// A gang as its pods say it. `fault`: why it cannot be planned, in words for people; the rest is
/// then not filled.
struct Assembled {
  GangState state;
  std::map<std::string, std::size_t> place;  ///< member of each pod that lives, by uid
  std::string fault;
  bool is_single = false;  ///< of one pod: no gang after all
};

/// What was known before: pods without a rank of their own keep the place they had, and a job's
/// words are read once.
struct KnownBefore {
  const Assembled* assembled = nullptr;
  const Reservation* plan = nullptr;
};

/// `pods` are all of one gang, at least one. `shape`: null where no object says it. Which place
/// live pods without a rank get: ranks_of(), in the order of their names.
[[nodiscard]] Assembled assemble(const KnownPods& pods, const GangShape* shape,
                                 const KnownBefore& before, Mirror& mirror);

inline constexpr const char* kRequiredLevelWord = "zonecut.dev/required-level";
inline constexpr const char* kPreferredLevelWord = "zonecut.dev/preferred-level";

}  // namespace zonecut::kubernetes
