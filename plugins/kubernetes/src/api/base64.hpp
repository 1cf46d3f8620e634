#pragma once
// Base64 as kubeconfigs carry certificates and keys: the standard alphabet, padded.
#include <optional>
#include <string>
#include <string_view>

namespace zonecut::kubernetes {

/// Nothing where the text is not base64. Line breaks are skipped; anything else that does not
/// belong, missing padding and bits left over are mistakes.
[[nodiscard]] std::optional<std::string> decode_base64(std::string_view text);

}  // namespace zonecut::kubernetes
