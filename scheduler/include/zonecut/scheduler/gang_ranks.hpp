#pragma once
// Gives each part of a job (such as a pod) its place among the members of its gang, where not every
// part says it itself. Pure.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "zonecut/topology/cluster.hpp"

namespace zonecut {

/// A name in the order that people count: "worker-2" before "worker-10". Borrows the text.
struct CountedName {
  std::string_view stem;              ///< "worker-"
  std::optional<std::size_t> number;  ///< at the end; none also where it is too large to count
  std::string_view whole;
  friend bool operator<(const CountedName& a, const CountedName& b);
};
[[nodiscard]] CountedName counted_name(std::string_view name);

/// What speaks for the place of a part that exists.
struct RankClaim {
  CountedName name;
  std::optional<std::size_t> said;    ///< the place that it says itself
  std::optional<std::size_t> before;  ///< the one it had when its gang was looked at last
  std::optional<ServerId> server;     ///< where it runs
};

/// Why places cannot be given: the first reason found.
struct RankClash {
  enum class Why : std::uint8_t {
    Taken,    ///< another part says the same place
    Beyond,   ///< the place said is not below the number of members
    TooMany,  ///< there are more parts than members
  };
  Why why = Why::Taken;
  std::size_t claim = 0;  ///< index of the claim in the way; of TooMany, how many claims there are
};

struct Ranks {
  std::vector<std::optional<std::size_t>> places;  ///< by claim; none without one only at a clash
  std::optional<RankClash> clash;
};

/// The place of each claim, 0 to `members` - 1, no two alike. A place that is said is kept. The
/// other parts then get a place in four steps, each for all of them in the order given: the place
/// they had; a place that is planned on the server they run on (`planned` by member, empty without
/// a plan); the number at the end of their name; the lowest place left. O((claims + members) · log)
/// where few members are planned on one server.
[[nodiscard]] Ranks ranks_of(std::span<const RankClaim> claims, std::size_t members,
                             std::span<const ServerId> planned);

}  // namespace zonecut
