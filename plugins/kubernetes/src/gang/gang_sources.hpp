#pragma once
// What controllers say of the gang of a pod of theirs, each in labels and annotations of its own.
#include <optional>
#include <string>
#include <string_view>

#include "gang/gang_member.hpp"

namespace zonecut::kubernetes {

/// "namespace/source/name". Throws InputError at `where` where the name is longer than that of any
/// object: it is a key, and stands in messages.
[[nodiscard]] std::string gang_name(const Pod& pod, std::string_view source, std::string_view name,
                                    const std::string& where);

/// What the outermost of the pod's controllers says; none where no gang's controller made it. Does
/// not look at words of our own, except that `whole_set` makes all groups of a LeaderWorkerSet one
/// gang.
[[nodiscard]] std::optional<GangMember> gang_by_controllers(const Pod& pod, bool whole_set);

}  // namespace zonecut::kubernetes
