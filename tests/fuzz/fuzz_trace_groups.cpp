// Members of groups that traces only name: refused with InputError, or lists of different ranks.
#include <algorithm>

#include "fuzz_target.hpp"
#include "zonecut/base/error.hpp"
#include "zonecut/partition/trace_import.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace zonecut;
  try {
    for (auto& [name, members] : parse_trace_groups(fuzz::text_of(bytes, size), "fuzz")) {
      std::vector<RankId> sorted = members;
      std::sort(sorted.begin(), sorted.end());
      fuzz::require(std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end());
    }
  } catch (const InputError& error) {
    fuzz::require(!error.problems().empty() && error.problems().front().where.starts_with("fuzz"));
  }
  return 0;
}
