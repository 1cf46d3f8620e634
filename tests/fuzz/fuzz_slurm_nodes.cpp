// What scontrol show node prints, with a topology beside it after a line "----", or as it says
// itself.
#include "import_target.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace zonecut;
  const std::string_view text = fuzz::text_of(bytes, size);
  constexpr std::string_view kBorder = "\n----\n";
  const std::size_t border = text.find(kBorder);
  ImportOptions options;
  if (border != std::string_view::npos)
    options.topology_text = text.substr(border + kBorder.size());
  options.topology_source = "fuzz.topology";
  fuzz::import_and_export(TopologyFormat::SlurmNodes, text.substr(0, border), options);
  return 0;
}
