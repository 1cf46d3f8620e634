// A table of servers.
#include "import_target.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace zonecut;
  fuzz::import_and_export(TopologyFormat::Csv, fuzz::text_of(bytes, size));
  return 0;
}
