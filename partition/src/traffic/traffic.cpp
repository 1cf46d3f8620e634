#include "zonecut/partition/traffic.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "job/job_check.hpp"
#include "traffic/traffic_builder.hpp"
#include "traffic/work_traffic.hpp"

namespace zonecut {

Traffic traffic_of(const Job& job, int ranks_per_server) {
  ProblemList problems;
  check_job(job, field_name, problems);
  if (ranks_per_server < 1) {
    problems.add("ranks_per_server", fmt::format("{} ranks on a server", ranks_per_server));
  }
  problems.throw_if_any();

  const int ranks = job.ranks();
  const int on_server = std::min(ranks_per_server, ranks);
  if (ranks % on_server != 0) {
    throw InputError("ranks_per_server",
                     fmt::format("{} ranks leave the last server of {} with only {}", ranks,
                                 on_server, ranks % on_server),
                     "say ranks_per_server, a divisor of the ranks");
  }
  TrafficBuilder builder(ranks, on_server);
  builder.exchange_by(job.all_to_all);
  std::visit([&](const auto& work) { add_traffic(builder, work); }, job.work);
  return builder.finish(job.overlap);
}

}  // namespace zonecut
