// A table of works is refused with InputError, or gives jobs of the size they are asked for.
#include "fuzz_target.hpp"
#include "zonecut/base/error.hpp"
#include "zonecut/scheduler/work_table.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace zonecut;
  try {
    const WorkTable table = WorkTable::parse(fuzz::text_of(bytes, size), "fuzz");
    for (const std::int64_t gpus : {1, 16, 24, 64, 4096}) {
      try {
        fuzz::require(table.job_of(gpus).ranks() == gpus);
      } catch (const InputError& error) {
        fuzz::require(error.problems().front().where == "fuzz");
      }
    }
  } catch (const InputError& error) {
    fuzz::require(!error.problems().empty() && !error.problems().front().what.empty());
    fuzz::require(error.problems().front().where.starts_with("fuzz"));
  }
  return 0;
}
