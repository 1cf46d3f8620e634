// A state file is refused with InputError, or reads back from what it writes.
#include "fuzz_target.hpp"
#include "zonecut/base/error.hpp"
#include "zonecut/topology/cluster_file.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace zonecut;
  static const Cluster cluster = parse_cluster(
      "format: cluster/v1\nbackend: {planes: 2}\ndomains:\n"
      "  - {zone: 'a,b', rack: 'r[1-3]', servers: 'gpu[01-12]'}\n",
      "cluster");
  try {
    const ClusterView view = parse_state(cluster, fuzz::text_of(bytes, size), "fuzz");
    const ClusterView again = parse_state(cluster, write_state(view), "written");
    fuzz::require(again.occupancy == view.occupancy && again.health == view.health);
  } catch (const InputError& error) {
    fuzz::require(!error.problems().empty() && !error.problems().front().what.empty());
    fuzz::require(error.problems().front().where.starts_with("fuzz"));
  }
  return 0;
}
