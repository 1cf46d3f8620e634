// A table of counters is refused with InputError, or makes findings whose sums hold.
#include "fuzz_target.hpp"
#include "zonecut/base/error.hpp"
#include "zonecut/scheduler/nic_counters.hpp"
#include "zonecut/topology/cluster_file.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace zonecut;
  static const Cluster cluster = parse_cluster(
      "format: cluster/v1\ndomains:\n  - {zone: 'a,b', rack: 'r[1-2]', servers: 2}\n", "cluster");
  try {
    const auto counters = parse_nic_counters(fuzz::text_of(bytes, size), "fuzz", cluster);
    std::vector<ServerId> servers;
    for (std::size_t i = 0; i < cluster.server_count(); i += 2) servers.emplace_back(i);
    for (const CounterFinding& finding : findings_of(cluster, counters, servers)) {
      std::int64_t hot = 0;
      for (const HotSpot& spot : finding.hot) hot += spot.count;
      fuzz::require(finding.count > 0 && hot <= finding.count);
    }
  } catch (const InputError& error) {
    fuzz::require(!error.problems().empty());
    fuzz::require(error.problems().front().where.starts_with("fuzz"));
  }
  return 0;
}
