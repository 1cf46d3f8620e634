#pragma once
// A request for candidates as kube-scheduler writes it, taken apart without a parse of the
// thousands of names or nodes in it: a tenth of what a parser takes. Whatever is unusual (escapes
// in names, other fields, a field twice, text beyond ASCII, exponents, anything that is no JSON) is
// left to the parser, which also says what is wrong.
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace zonecut::kubernetes {

/// All of them lie in the body, which was checked to be JSON from end to end.
struct PlainRequest {
  std::string_view pod;                 ///< its JSON
  std::vector<std::string_view> names;  ///< of the candidates, at least one, none empty
  std::vector<std::string_view> nodes;  ///< the JSON of each; none where only names came
};

/// More than any cluster has nodes.
inline constexpr std::size_t kMostCandidates = 100'000;
/// Throws InputError where `count` is more.
void check_candidates(std::size_t count);

/// Throws InputError at more candidates than that.
[[nodiscard]] std::optional<PlainRequest> plain_request(std::string_view body);

}  // namespace zonecut::kubernetes
