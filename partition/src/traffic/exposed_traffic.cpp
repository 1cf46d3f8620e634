#include <algorithm>
#include <cmath>

#include "zonecut/partition/traffic.hpp"

namespace zonecut {

std::optional<Traffic> exposed(const Traffic& traffic) {
  const auto is_hidden = [](const Phase& phase) { return phase.overlap > 0; };
  if (std::ranges::none_of(traffic.phases, is_hidden)) return std::nullopt;
  Traffic left = traffic;
  for (Phase& phase : left.phases) {
    const auto lower = [&](Bytes& bytes) {
      bytes.count = std::llround(static_cast<double>(bytes.count) * (1 - phase.overlap));
    };
    for (Group& group : phase.groups) {
      lower(group.bytes);
      lower(group.wrap_bytes);
      if (!group.first_share) continue;
      std::ranges::for_each(std::span(left.shares).subspan(*group.first_share, group.size), lower);
    }
    phase.overlap = 0;
  }
  return left;
}

}  // namespace zonecut
