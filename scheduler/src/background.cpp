#include "zonecut/scheduler/background.hpp"

#include <algorithm>

#include "phase_streams.hpp"
#include "zonecut/scheduler/prediction.hpp"

namespace zonecut {

Background::Background(const Cluster& cluster, const Fabric& fabric,
                       std::vector<RunningTraffic> jobs, const Routing& routing)
    : streams_(2 * (cluster.server_count() + cluster.domain_count())) {
  for (RunningTraffic& running : jobs) add(cluster, fabric, std::move(running), routing);
}

bool Background::add(const Cluster& cluster, const Fabric& fabric, RunningTraffic running,
                     const Routing& routing) {
  streams_.resize(2 * (cluster.server_count() + cluster.domain_count()));
  if (!cut_off(cluster, fabric, running.traffic, running.servers).empty()) return false;
  std::vector<PhaseStreams> phases;
  try {
    phases = streams_of(cluster, fabric, running.traffic, running.servers, routing);
  } catch (const PartedFlows&) {
    return false;
  }
  const std::size_t job = jobs_.size();
  double communication = 0;
  for (const PhaseStreams& phase : phases) communication += phase.time.count;
  const double iteration = std::max(communication, running.iteration.value_or(Seconds{0}).count);
  for (const PhaseStreams& phase : phases) {
    if (phase.time.count <= 0) continue;
    for (const BundleStream& stream : phase.streams) {
      const double demand = std::min(1.0, stream.alone.count / phase.time.count);
      streams_[stream.bundle].push_back({job, phase.time.count / iteration, demand, stream.flows});
    }
  }
  jobs_.push_back(std::move(running));
  return true;
}

void Background::remove(std::size_t job) {
  jobs_.erase(jobs_.begin() + static_cast<std::ptrdiff_t>(job));
  for (std::vector<Stream>& streams : streams_) {
    std::erase_if(streams, [&](const Stream& stream) { return stream.job == job; });
    for (Stream& stream : streams) stream.job -= stream.job > job ? 1 : 0;
  }
}

double Background::left_to(double flows, std::size_t bundle) const {
  if (streams_.empty()) return 1;
  double taken = 0;
  double others = 0;
  double most_of_job = 0;
  std::size_t job = 0;
  for (const Stream& stream : streams_[bundle]) {  // in the order of the jobs
    if (stream.job != job) {
      others += most_of_job;
      most_of_job = 0;
      job = stream.job;
    }
    most_of_job = std::max(most_of_job, stream.flows);
    taken += stream.active * std::min(stream.demand, stream.flows / (stream.flows + flows));
  }
  return std::max(1 - taken, flows / (flows + others + most_of_job));
}

double Background::taken(std::size_t bundle) const {
  if (streams_.empty()) return 0;
  double taken = 0;
  for (const Stream& stream : streams_[bundle]) taken += stream.active * stream.demand;
  return std::min(1.0, taken);
}

}  // namespace zonecut
