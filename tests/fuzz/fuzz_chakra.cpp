// A Chakra trace, as protobuf and as JSON.
#include "trace_target.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace zonecut;
  const std::string_view text = fuzz::text_of(bytes, size);
  fuzz::import_trace(TraceFormat::Chakra, text, "fuzz.0.et");
  fuzz::import_trace(TraceFormat::Chakra, text, "fuzz.0.json");
  return 0;
}
