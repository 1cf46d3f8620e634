#include "level_name.hpp"

#include <algorithm>
#include <array>

#include "zonecut/base/text_check.hpp"

namespace zonecut {
namespace {

constexpr std::array<std::string_view, 3> kFixedLevels = {"cluster", "server", "gpu"};
constexpr std::array<std::string_view, 5> kRowKeys = {"domains", "servers", "gpus", "scale_up",
                                                      "server_name"};
constexpr std::array<std::string_view, 2> kPlaceholders = {"n", "number"};
constexpr std::size_t kLongest = 255;

bool is_one_of(std::string_view word, const auto& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

}  // namespace

std::string_view fault_of_level_name(std::string_view name) {
  if (name.empty()) return "is empty";
  if (name.size() > kLongest) return "is longer than 255 bytes";
  if (find_control_character(name, "")) return "contains a control character";
  if (name.find_first_of("{}/") != std::string_view::npos) return "contains a brace or a '/'";
  if (is_one_of(name, kFixedLevels)) return "is what every cluster has anyway";
  if (is_one_of(name, kRowKeys)) return "is a key of the rows of cluster files";
  if (is_one_of(name, kPlaceholders)) return "is a counter in names of servers";
  return {};
}

}  // namespace zonecut
