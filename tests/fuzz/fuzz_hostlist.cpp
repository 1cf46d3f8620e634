// A host list is refused with InputError, or its names survive being written and read again.
#include "fuzz_target.hpp"
#include "zonecut/base/error.hpp"
#include "zonecut/base/hostlist.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace zonecut;
  try {
    const auto names = expand_hostlist(fuzz::text_of(bytes, size), "fuzz", 10'000);
    fuzz::require(expand_hostlist(compress_hostlist(names), "written") == names);
  } catch (const InputError& error) {
    fuzz::require(error.problems().front().where == "fuzz");
  }
  return 0;
}
