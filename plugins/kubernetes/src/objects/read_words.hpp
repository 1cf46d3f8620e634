#pragma once
// Which annotations of a pod are read, and how much of each. Anybody may write a quarter of a
// megabyte of them onto each pod: what nobody reads is not kept.
#include <cstddef>
#include <string_view>

#include "objects/objects.hpp"

namespace zonecut::kubernetes {

/// Nothing that is read means anything at a greater length. Of what is longer one byte more than
/// this is kept, so that its reader refuses it as well.
inline constexpr std::size_t kLongestWord = 4096;

[[nodiscard]] bool is_read_annotation(std::string_view key);

/// Leaves what is read.
void drop_unread(Labels& annotations);

}  // namespace zonecut::kubernetes
