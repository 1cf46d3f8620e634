#include "kubernetes_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "choice.hpp"
#include "zonecut/base/error.hpp"

namespace zonecut::cli {
namespace {

bool is_letter_or_digit(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }

}  // namespace

bool is_object_name(std::string_view name) {
  return !name.empty() && name.size() <= 253 &&
         name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-.") ==
             std::string_view::npos &&
         name.front() != '.' && name.front() != '-' && name.back() != '.' && name.back() != '-';
}

bool is_qualified_name(std::string_view name) {
  if (const std::size_t slash = name.find('/'); slash != std::string_view::npos) {
    if (!is_object_name(name.substr(0, slash))) return false;
    name.remove_prefix(slash + 1);
  }
  return !name.empty() && name.size() <= 63 && is_letter_or_digit(name.front()) &&
         is_letter_or_digit(name.back()) && std::all_of(name.begin(), name.end(), [](char c) {
           return is_letter_or_digit(c) || c == '-' || c == '_' || c == '.';
         });
}

std::vector<std::string> label_keys(std::string_view option, std::string_view text) {
  std::vector<std::string> keys = split_at_commas(text);
  for (auto key = keys.begin(); key != keys.end(); ++key) {
    if (!is_qualified_name(*key)) {
      throw InputError(std::string(option), fmt::format("\"{}\" is no key of a label", *key),
                       "expected keys with commas between, such as "
                       "topology.kubernetes.io/region,topology.kubernetes.io/zone");
    }
    if (std::find(keys.begin(), key, *key) != key)
      throw InputError(std::string(option), fmt::format("\"{}\" is named twice", *key));
  }
  return keys;
}

}  // namespace zonecut::cli
