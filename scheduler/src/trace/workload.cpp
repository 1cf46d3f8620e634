#include "zonecut/scheduler/workload.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "usual_gpus.hpp"
#include "zonecut/base/error.hpp"
#include "zonecut/partition/traffic.hpp"

namespace zonecut {
namespace {

class WorkloadMaker {
 public:
  WorkloadMaker(const Cluster& cluster, const JobTrace& trace, const WorkTable& table,
                const std::function<Job(const TracedJob&)>& work_of, Workload& workload)
      : cluster_(cluster), trace_(trace), table_(table), work_of_(work_of), workload_(workload) {
    for (const ServerId server : cluster.server_ids()) {
      places_ += static_cast<std::size_t>(cluster.server(server).gpus / workload.server_gpus);
    }
  }

  void add(const TracedJob& traced) {
    SimulatedJob job{traced.name, traced.submit, traced.duration};
    try {
      if (traced.work.empty()) {
        take_size(traced.gpus, job);
      } else {
        take_work(traced, job);
      }
    } catch (const InputError& error) {
      // Of many jobs of one size the first stands for all.
      if (wrong_.emplace(traced.work, traced.gpus).second) {
        for (const Problem& problem : error.problems()) {
          problems_.add(fmt::format("{}:{}:1", trace_.source, traced.line),
                        problem.where.empty() ? problem.what : problem.where + ": " + problem.what,
                        problem.hint);
        }
      }
      return;
    }
    workload_.jobs.push_back(std::move(job));
  }
  void finish() const { problems_.throw_if_any(); }

 private:
  using Size = std::pair<std::size_t, std::size_t>;  // GPUs of a server, servers

  [[nodiscard]] Size size_of(const Job& job) const {
    const int usual = workload_.server_gpus;
    const int each = std::min(job.ranks_per_server.value_or(usual), job.ranks());
    if (each > usual) {
      throw InputError("ranks_per_server",
                       fmt::format("{} ranks a server, but servers have {} GPUs", each, usual));
    }
    const Traffic traffic = traffic_of(job, each);
    return {traffic.ranks_per_server, traffic.vertices()};
  }

  std::size_t add_work(Job work) {
    workload_.works.push_back(std::move(work));
    return workload_.works.size() - 1;
  }

  void take_size(std::int64_t gpus, SimulatedJob& job) {
    const std::int64_t each = workload_.server_gpus;
    if (gpus <= each) {
      job.gpus_each = static_cast<std::size_t>(gpus);
      return;
    }
    const std::int64_t servers = (gpus + each - 1) / each;
    job.gpus_each = static_cast<std::size_t>(each);
    job.vertices = static_cast<std::size_t>(servers);
    // What never starts sends nothing, and may be too large to be worked out. Servers with more
    // GPUs than most have room for several of a job's.
    if (job.vertices > places_) return;
    workload_.rounded_up += servers * each != gpus;
    const auto known = work_of_size_.find(servers);
    if (known == work_of_size_.end()) {
      Job work = table_.job_of(servers * each);
      work.ranks_per_server = static_cast<int>(each);
      static_cast<void>(size_of(work));
      job.work = add_work(std::move(work));
      work_of_size_.emplace(servers, *job.work);
    } else {
      job.work = known->second;
    }
  }

  void take_work(const TracedJob& traced, SimulatedJob& job) {
    auto known = known_works_.find(traced.work);
    if (known == known_works_.end()) {
      Job work = work_of_(traced);
      const bool too_large = static_cast<std::size_t>(work.ranks()) > cluster_.gpu_count();
      const Size size = too_large ? Size{1, work.ranks()} : size_of(work);
      const bool sends = size.second > 1 && !too_large;
      known = known_works_
                  .emplace(traced.work, Known{size, sends ? std::optional(add_work(std::move(work)))
                                                          : std::nullopt})
                  .first;
    }
    job.gpus_each = known->second.size.first;
    job.vertices = known->second.size.second;
    job.work = known->second.work;
    if (traced.gpus != 0 && static_cast<std::size_t>(traced.gpus) != job.gpus()) {
      throw InputError(
          "", fmt::format("found {} GPUs, but its work has {} ranks", traced.gpus, job.gpus()));
    }
  }

  struct Known {
    Size size;
    std::optional<std::size_t> work;
  };
  const Cluster& cluster_;
  const JobTrace& trace_;
  const WorkTable& table_;
  const std::function<Job(const TracedJob&)>& work_of_;
  Workload& workload_;
  std::size_t places_ = 0;                            // for as many GPUs as servers usually have
  std::map<std::int64_t, std::size_t> work_of_size_;  // by servers
  std::map<std::string, Known> known_works_;
  std::set<std::pair<std::string, std::int64_t>> wrong_;
  ProblemList problems_;
};

}  // namespace

Workload workload_of(const Cluster& cluster, const JobTrace& trace, const WorkTable& table,
                     const std::function<Job(const TracedJob&)>& work_of) {
  Workload workload;
  workload.server_gpus = usual_gpus(cluster);
  WorkloadMaker maker(cluster, trace, table, work_of, workload);
  for (const TracedJob& job : trace.jobs) maker.add(job);
  maker.finish();
  return workload;
}

}  // namespace zonecut
