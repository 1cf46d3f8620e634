#pragma once
// Checks on raw text before it becomes a name or a message: UTF-8 that other programs will take,
// no control characters, and excerpts short enough to print. All are linear in the text.
#include <optional>
#include <string>
#include <string_view>

namespace zonecut {

struct MalformedText {
  int line;    ///< from 1
  int column;  ///< from 1, in bytes
  std::string what;
};

/// The first byte that is not UTF-8, or a NUL (which is also what UTF-16 looks like).
[[nodiscard]] std::optional<MalformedText> find_malformed_utf8(std::string_view text);

/// "0x1B" or "U+202E" for the first control character other than those allowed: tab and line ends
/// in a text, none in a name. Those beyond ASCII are the terminals' own (U+009B begins an escape),
/// other ends of lines, and marks that turn the direction of writing.
[[nodiscard]] std::optional<std::string> find_control_character(
    std::string_view text, std::string_view allowed = "\t\n\r");

/// One line for a terminal: '?' for each control character and each byte that is not UTF-8.
[[nodiscard]] std::string harmless(std::string_view text);

/// The text, cut after 60 bytes at a character's border, for use in a message.
[[nodiscard]] std::string excerpt(std::string_view text);

}  // namespace zonecut
