#pragma once
// How generated servers are called: a text with placeholders, such as "{zone}-{rack}-s{n}" or
// "gpu{number:05}". Private to the topology model.
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace zonecut {

class ServerNames {
 public:
  /// All level names and the number in the innermost domain: "{zone}-{rack}-s{n}".
  [[nodiscard]] static ServerNames standard(std::span<const std::string> levels);
  /// Throws InputError{where, …} on a placeholder that is neither a level, n nor number.
  [[nodiscard]] static ServerNames parse(std::string_view text, std::span<const std::string> levels,
                                         const std::string& where);

  /// `path` has one name per level; `n` counts in the innermost domain, `number` in the cluster,
  /// both from 1.
  [[nodiscard]] std::string name(std::span<const std::string> path, std::uint64_t n,
                                 std::uint64_t number) const;

 private:
  struct Part {
    enum class Kind { Text, Level, InDomain, InCluster } kind = Kind::Text;
    std::string text;       // of Kind::Text
    std::size_t level = 0;  // of Kind::Level
    int width = 1;          // of the numbers
  };
  static Part placeholder(std::string_view inside, std::span<const std::string> levels,
                          const std::string& where);
  std::vector<Part> parts_;
};

}  // namespace zonecut
