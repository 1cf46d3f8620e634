// A basic trace of PARAM.
#include "trace_target.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace zonecut;
  fuzz::import_trace(TraceFormat::Param, fuzz::text_of(bytes, size), "fuzz.0.json");
  return 0;
}
