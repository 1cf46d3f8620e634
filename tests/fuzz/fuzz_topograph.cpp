// A simulation model of topograph.
#include "import_target.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace zonecut;
  fuzz::import_and_export(TopologyFormat::Topograph, fuzz::text_of(bytes, size));
  return 0;
}
