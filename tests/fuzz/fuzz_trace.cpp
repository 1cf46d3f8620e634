// A trace is refused with InputError, or becomes jobs in the order of their arrival that a cluster
// takes or refuses.
#include "fuzz_target.hpp"
#include "zonecut/base/error.hpp"
#include "zonecut/partition/job_file.hpp"
#include "zonecut/scheduler/workload.hpp"
#include "zonecut/topology/cluster_file.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace zonecut;
  static const Cluster cluster = parse_cluster(
      "format: cluster/v1\ndomains:\n  - {zone: 'a,b', rack: 'r[1-3]', servers: 2}\n", "cluster");
  try {
    const JobTrace trace = parse_trace(fuzz::text_of(bytes, size), "fuzz", {});
    fuzz::require(!trace.jobs.empty() && trace.jobs.front().submit == 0);
    std::int64_t before = 0;
    for (const TracedJob& job : trace.jobs) {
      fuzz::require(job.submit >= before && job.duration > 0);
      fuzz::require(job.gpus > 0 || !job.work.empty());
      before = job.submit;
    }
    const Workload workload =
        workload_of(cluster, trace, WorkTable::usual(),
                    [](const TracedJob& job) { return parse_job_words(job.work, "fuzz").job; });
    fuzz::require(workload.jobs.size() == trace.jobs.size());
  } catch (const InputError& error) {
    fuzz::require(!error.problems().empty() && !error.problems().front().what.empty());
    fuzz::require(error.problems().front().where.starts_with("fuzz"));
  }
  return 0;
}
