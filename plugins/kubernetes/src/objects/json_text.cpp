#include "objects/json_text.hpp"

#include <fmt/format.h>

namespace zonecut::kubernetes {
namespace {

/// Counts brackets and separators outside strings, which is several times faster than a parse that
/// keeps nothing. On a text that is no JSON it counts no less than the parser sees before it stops.
/// Whether it is too deep where that is no reason to refuse it.
bool check_limits(std::string_view text, const std::string& where, const JsonLimits& limits) {
  if (text.size() > limits.bytes) {
    throw TextTooLarge(where, fmt::format("the text has {} bytes, more than the {} that are read",
                                          text.size(), limits.bytes));
  }
  int depth = 0;
  bool is_deep = false;
  std::size_t values = 1;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\')
        ++i;
      else if (c == '"')
        in_string = false;
      continue;
    }
    switch (c) {
      case '"':
        in_string = true;
        break;
      case '[':
      case '{':
        if (++depth > limits.depth) {
          if (!limits.leaves_out_deep)
            throw InputError(where,
                             fmt::format("the text is nested more than {} deep", limits.depth));
          is_deep = true;
        }
        ++values;
        break;
      case ']':
      case '}':
        --depth;
        break;
      case ',':
      case ':':
        ++values;
        break;
      default:
        break;
    }
    if (values > limits.values) {
      throw TextTooLarge(where,
                         fmt::format("the text has more than {} keys and values", limits.values));
    }
  }
  return is_deep;
}

/// The text with null for every object and list that is nested deeper.
std::string without_deep(std::string_view text, int most) {
  std::string kept;
  int depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool was_kept = depth <= most;
    if (c == '"') {
      in_string = !in_string;
    } else if (in_string && c == '\\') {
      if (was_kept) kept += c;
      if (++i == text.size()) break;
    } else if (!in_string && (c == '[' || c == '{')) {
      if (++depth == most + 1) kept += "null";
    } else if (!in_string && (c == ']' || c == '}')) {
      --depth;
    }
    if (was_kept && depth <= most) kept += text[i];
  }
  return kept;
}

}  // namespace

nlohmann::json parse_json(std::string_view text, const std::string& where,
                          const JsonLimits& limits) {
  std::string shallow;
  if (check_limits(text, where, limits)) text = shallow = without_deep(text, limits.depth);
  try {
    return nlohmann::json::parse(text);
  } catch (const nlohmann::json::parse_error& error) {
    const bool encoding = std::string_view(error.what()).find("UTF-8") != std::string_view::npos;
    throw InputError(where, fmt::format("this is not {}, at byte {} of {}",
                                        encoding ? "UTF-8" : "JSON", error.byte, text.size()));
  } catch (const nlohmann::json::exception&) {  // a number that no double holds
    throw InputError(where, "a number in this JSON is out of range");
  }
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t kShown = 60;
  if (text.size() <= kShown) return fmt::format("\"{}\"", text);
  std::size_t end = kShown;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return fmt::format("\"{}…\"", text.substr(0, end));
}

}  // namespace zonecut::kubernetes
