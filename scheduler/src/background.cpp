#include "zonecut/scheduler/background.hpp"

#include <algorithm>

#include "bundle_index.hpp"
#include "phase_streams.hpp"
#include "zonecut/scheduler/prediction.hpp"

namespace zonecut {

Footprint footprint_of(const Fabric& fabric, const RunningTraffic& job, const Routing& routing) {
  const std::vector<PhaseStreams> phases = streams_of(fabric, job.traffic, job.servers, routing);
  double communication = 0;
  for (const PhaseStreams& phase : phases) communication += phase.time.count;
  const double iteration = std::max(communication, job.iteration.value_or(Seconds{0}).count);
  Footprint footprint;
  for (const PhaseStreams& phase : phases) {
    if (phase.time.count <= 0) continue;
    for (const BundleStream& stream : phase.streams) {
      const double demand = std::min(1.0, stream.alone.count / phase.time.count);
      footprint.shares.push_back(
          {stream.bundle, phase.time.count / iteration, demand, stream.flows});
    }
  }
  return footprint;
}

Background::Background(const Fabric& fabric, std::vector<RunningTraffic> jobs,
                       const Routing& routing) {
  for (RunningTraffic& running : jobs) add(fabric, std::move(running), routing);
}

bool Background::add(const Fabric& fabric, RunningTraffic job, const Routing& routing) {
  if (!cut_off(fabric, job.traffic, job.servers).empty()) return false;
  try {
    auto footprint = std::make_shared<const Footprint>(footprint_of(fabric, job, routing));
    add(fabric.cluster(), std::make_shared<const RunningTraffic>(std::move(job)),
        std::move(footprint));
    return true;
  } catch (const PartedFlows&) {
    return false;
  }
}

void Background::add(const Cluster& cluster, std::shared_ptr<const RunningTraffic> job,
                     std::shared_ptr<const Footprint> footprint) {
  streams_.resize(BundleIndex(cluster).count());
  for (const Footprint::Share& share : footprint->shares)
    streams_[share.bundle].push_back({jobs_.size(), share});
  jobs_.push_back(std::move(job));
  footprints_.push_back(std::move(footprint));
}

void Background::remove(std::size_t job) {
  jobs_.erase(jobs_.begin() + static_cast<std::ptrdiff_t>(job));
  footprints_.erase(footprints_.begin() + static_cast<std::ptrdiff_t>(job));
  for (std::vector<Stream>& streams : streams_) {
    std::erase_if(streams, [&](const Stream& stream) { return stream.job == job; });
    for (Stream& stream : streams) stream.job -= stream.job > job ? 1 : 0;
  }
}

Background Background::beside(std::size_t job) const {
  Background others;
  others.streams_.resize(streams_.size());
  for (const Footprint::Share& share : footprints_[job]->shares) {
    std::vector<Stream>& streams = others.streams_[share.bundle];
    if (!streams.empty()) continue;  // an earlier phase has been there
    for (const Stream& stream : streams_[share.bundle]) {
      if (stream.job != job)
        streams.push_back({stream.job - (stream.job > job ? 1 : 0), stream.share});
    }
  }
  others.jobs_ = jobs_;
  others.footprints_ = footprints_;
  others.jobs_.erase(others.jobs_.begin() + static_cast<std::ptrdiff_t>(job));
  others.footprints_.erase(others.footprints_.begin() + static_cast<std::ptrdiff_t>(job));
  return others;
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
    const Footprint::Share& share = stream.share;
    most_of_job = std::max(most_of_job, share.flows);
    taken += share.active * std::min(share.demand, share.flows / (share.flows + flows));
  }
  return std::max(1 - taken, flows / (flows + others + most_of_job));
}

double Background::taken(std::size_t bundle) const {
  if (streams_.empty()) return 0;
  double taken = 0;
  for (const Stream& stream : streams_[bundle]) {
    taken += stream.share.active * stream.share.demand;
  }
  return std::min(1.0, taken);
}

}  // namespace zonecut
