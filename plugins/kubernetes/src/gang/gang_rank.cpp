#include <fmt/format.h>

#include "gang/gang_member.hpp"
#include "zonecut/base/error.hpp"

namespace zonecut::kubernetes {
namespace {

std::uint32_t place_in(const GangMember& member, const Role& role) {
  const std::uint32_t index = *member.index;
  if (role.name.empty() && role.copies == 1 &&
      (index < role.first || index - role.first >= role.pods)) {
    throw InputError(member.gang,
                     fmt::format("pod {} lies beyond the {} pods that its object says, which count "
                                 "from {}",
                                 index, role.pods, role.first));
  }
  if (member.copy >= role.copies || index < role.first || index - role.first >= role.pods) {
    throw InputError(
        member.gang,
        fmt::format("pod {} of copy {} lies beyond role \"{}\", {} × {} pods from {} on", index,
                    member.copy, role.name, role.copies, role.pods, role.first));
  }
  return member.copy * role.pods + (index - role.first);
}

std::optional<std::uint32_t> rank_by_role(const GangMember& member, const GangShape& shape) {
  std::uint32_t before = 0;
  for (const Role& role : shape.roles) {
    if (role.name == member.role) return before + place_in(member, role);
    before += role.copies * role.pods;
  }
  return std::nullopt;
}

}  // namespace

std::uint32_t GangShape::pods() const {
  std::uint32_t sum = 0;
  for (const Role& role : roles) sum += role.copies * role.pods;
  return sum;
}

std::optional<std::uint32_t> rank_of(const GangMember& member, const GangShape* shape) {
  std::optional<std::uint32_t> rank = member.rank;
  if (!rank && member.index && shape != nullptr) rank = rank_by_role(member, *shape);
  std::optional<std::uint32_t> size = member.size;
  if (!size && shape != nullptr) size = shape->pods();
  if (rank && size && *rank >= *size) {
    throw InputError(member.gang,
                     fmt::format("place {} lies beyond the {} pods of the gang", *rank, *size));
  }
  return rank;
}

}  // namespace zonecut::kubernetes
