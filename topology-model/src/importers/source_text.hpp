#pragma once
// The text of a foreign file, line by line, with the positions that messages name. For formats that
// have no parser of their own; YAML goes through base/document.hpp.
#include <cstddef>
#include <string>
#include <string_view>

namespace zonecut::importers {

/// The largest real files are dumps of ibnetdiscover, with some 515 bytes for each adapter: 65,000
/// servers of eight adapters fit.
inline constexpr std::size_t kMaxTextBytes = 256u << 20;

/// "file:line:column"; both count from 1, the column in bytes.
[[nodiscard]] std::string position(const std::string& source, int line, std::size_t column);

/// Throws InputError when the text is larger than kMaxTextBytes or is no UTF-8. Returns it without
/// a byte order mark.
[[nodiscard]] std::string_view checked_text(std::string_view text, const std::string& source);

struct Line {
  std::string_view text;  ///< without its end, LF or CRLF
  int number = 0;         ///< from 1
};

/// Hands out the lines of a text one by one. Borrows the text.
class Lines {
 public:
  explicit Lines(std::string_view text) : rest_(text) {}
  [[nodiscard]] bool next(Line& line);

 private:
  std::string_view rest_;
  int number_ = 0;
};

/// ASCII only, whatever the locale.
[[nodiscard]] constexpr char lower_case(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}
[[nodiscard]] std::string lower_case(std::string_view text);

}  // namespace zonecut::importers
