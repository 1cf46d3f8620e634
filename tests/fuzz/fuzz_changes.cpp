// Changes are refused with InputError, or make a setting that a fabric can be built of.
#include "fuzz_target.hpp"
#include "zonecut/base/error.hpp"
#include "zonecut/scheduler/what_if.hpp"
#include "zonecut/topology/cluster_file.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace zonecut;
  static const Cluster cluster = parse_cluster(
      "format: cluster/v1\ndomains:\n  - {zone: 'a,b', rack: 'r[1-2]', servers: 2}\n", "cluster");
  static const Setting setting(
      parse_state(cluster, "format: state/v1\njobs:\n  - {name: old, domains: a/r1}\n", "state"),
      {});
  try {
    const Setting after = changed(setting, fuzz::text_of(bytes, size), "--if");
    static_cast<void>(Fabric::build(cluster, after.fabric, after.view.health));
  } catch (const InputError& error) {
    fuzz::require(!error.problems().empty() && !error.problems().front().what.empty());
  }
  return 0;
}
