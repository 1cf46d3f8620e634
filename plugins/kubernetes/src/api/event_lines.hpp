#pragma once
// The lines of a stream whose parts end anywhere.
#include <functional>
#include <string>
#include <string_view>

namespace zonecut::kubernetes {

class EventLines {
 public:
  explicit EventLines(std::size_t longest) : longest_(longest) {}

  /// Calls `line` for every line that `part` ends, without its end; false when `line` said so,
  /// and then takes no more. Throws InputError at a line that is longer than the limit, before it
  /// is all there.
  bool take(std::string_view part, const std::function<bool(std::string_view)>& line);
  /// Whether the stream ends here in the middle of a line.
  [[nodiscard]] bool is_amid_line() const noexcept { return !begun_.empty(); }

 private:
  void check(std::size_t more) const;

  std::size_t longest_;
  std::string begun_;
};

}  // namespace zonecut::kubernetes
