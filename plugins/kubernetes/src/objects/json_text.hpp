#pragma once
// JSON from strangers: limited before it is parsed, so that neither a deep nor a long text can
// exhaust stack, memory or time.
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "zonecut/base/error.hpp"

namespace zonecut::kubernetes {

struct JsonLimits {
  std::size_t bytes = 64u << 20;
  int depth = 64;
  std::size_t values = 8'000'000;
  /// Whether what is nested deeper is read as null, or refused. The API server keeps text as deep
  /// as anybody writes it in metadata.managedFields, of which nothing is read here.
  bool leaves_out_deep = false;
};

/// A text with more bytes or values than are read.
class TextTooLarge : public InputError {
 public:
  using InputError::InputError;
};

/// Throws InputError at `where`: too large (as TextTooLarge), too deep, not JSON (with the byte),
/// not UTF-8.
[[nodiscard]] nlohmann::json parse_json(std::string_view text, const std::string& where,
                                        const JsonLimits& limits = {});

/// Which fields are kept: asked for the key of each, outermost first, with the keys that lead to it
/// ("" for an element of a list). What a field that is not kept holds is passed over.
using JsonKeeper = std::function<bool(const std::vector<std::string>& path)>;

/// As parse_json(), but only what `keeps` says is kept, and `values` of the limits are counted of
/// that alone: as TextTooLarge where there are more.
[[nodiscard]] nlohmann::json parse_json_parts(std::string_view text, const std::string& where,
                                              const JsonLimits& limits, const JsonKeeper& keeps);

/// A stranger's text as a message shows it: in quotes, short, and with no half character at its end
/// that would make the message no UTF-8.
[[nodiscard]] std::string in_quotes(std::string_view text);

}  // namespace zonecut::kubernetes
