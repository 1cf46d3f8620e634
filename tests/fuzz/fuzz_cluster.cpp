// A cluster file is refused with InputError, or is a cluster that reads back from what it writes.
#include "fuzz_target.hpp"
#include "zonecut/base/error.hpp"
#include "zonecut/topology/cluster_file.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace zonecut;
  try {
    const Cluster cluster = parse_cluster(fuzz::text_of(bytes, size), "fuzz");
    if (cluster.server_count() + cluster.domain_count() > 5'000) return 0;  // keeps a run short
    fuzz::require(same_cluster(cluster, parse_cluster(write_cluster(cluster), "written")));
  } catch (const InputError& error) {
    fuzz::require(!error.problems().empty() && !error.problems().front().what.empty());
    fuzz::require(error.problems().front().where.starts_with("fuzz"));
  }
  return 0;
}
