#pragma once
// Fingerprints of input files, so that a result says what it was made from.
#include <string>
#include <string_view>

namespace zonecut::cli {

/// SHA-256 as 64 hexadecimal digits, as sha256sum prints it.
[[nodiscard]] std::string sha256(std::string_view bytes);

}  // namespace zonecut::cli
