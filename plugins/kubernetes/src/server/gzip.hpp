#pragma once
// Bodies that come packed.
#include <string>
#include <string_view>

namespace zonecut::kubernetes {

enum class Unpacking { Whole, TooLarge, Broken };

/// Unpacks one gzip stream onto `text`, which grows to `limit` bytes at most. Broken: it is no
/// gzip, ends early, or something follows it.
[[nodiscard]] Unpacking unpack_gzip(std::string_view packed, std::size_t limit, std::string& text);

}  // namespace zonecut::kubernetes
