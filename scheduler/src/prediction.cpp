#include "zonecut/scheduler/prediction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "phase_streams.hpp"
#include "phase_times.hpp"
#include "routing/link_times.hpp"
#include "traffic_sums.hpp"
#include "zonecut/base/error.hpp"

namespace zonecut {
namespace {

/// Largest time first; ties in the order of Bundle.
bool comes_first(const BundleLoad& a, const BundleLoad& b) {
  return a.time != b.time ? a.time > b.time : a.bundle < b.bundle;
}

bool is_server(const BundleLoad& load) {
  return std::holds_alternative<ServerId>(load.bundle.below);
}

class Predictor {
 public:
  Predictor(const Fabric& fabric, const Traffic& traffic, std::span<const ServerId> servers,
            const Routing& routing, const Background& background)
      : cluster_(fabric.cluster()),
        fabric_(fabric),
        background_(background),
        sums_(cluster_, fabric.spec(), traffic, servers, routing),
        links_(link_times({fabric, traffic, servers, routing, background})),
        phase_times_(fabric, traffic, servers, routing),
        phase_loads_(sums_.bundle_count()),
        loads_(sums_.bundle_count()),
        times_(sums_.bundle_count()) {
    prediction_.routing = routing;
  }

  void add(const Phase& phase) {
    sums_.begin_phase();
    for (const Group& group : phase.groups) sums_.add(group);
    links_->begin_phase(phase, sums_);
    PhasePrediction predicted;
    predicted.name = phase.name;
    predicted.bytes = {sums_.phase_bytes()};
    predicted.binding = take_loads();
    const HashedSpan across = links_->slowest();
    const Seconds inside = scale_up_time(sums_, fabric_.spec());
    if (inside > across.mean) predicted.binding.reset();
    const Seconds admission = admission_time();
    const HashedSpan transfer =
        at_least(phase_times_.transfer(phase, at_least(across, inside), *links_), admission);
    predicted.transfer = transfer.mean;
    predicted.transfer_low = transfer.low;
    predicted.transfer_high = transfer.high;
    predicted.admission = admission;
    predicted.latency = step_latency() * static_cast<double>(phase.steps);
    predicted.exposed = (predicted.latency + predicted.transfer) * (1 - phase.overlap);
    prediction_.phases.push_back(std::move(predicted));
  }

  /// What the phase that was added last sends over each bundle.
  [[nodiscard]] PhaseStreams last_streams(const Phase& phase) const {
    const PhasePrediction& predicted = prediction_.phases.back();
    PhaseStreams streams{predicted.latency + predicted.transfer, {}};
    const auto steps = static_cast<double>(step_count(phase));
    for (const std::uint32_t index : phase_loads_.touched()) {
      const std::int64_t bytes = phase_loads_[index];
      if (bytes == 0) continue;
      const BytesPerSecond capacity = capacity_of(fabric_, sums_.bundle(index));
      streams.streams.push_back(
          {index, transfer_time({bytes}, capacity), links_->flows(index, sums_) / steps});
    }
    return streams;
  }

  [[nodiscard]] std::vector<CutOff> cut_off() const {
    std::map<std::variant<ServerId, DomainId>, Bytes> bytes_of;
    for (const std::uint32_t index : loads_.touched()) {
      const Bundle bundle = sums_.bundle(index);
      if (loads_[index] == 0 || capacity_of(fabric_, bundle).count > 0) continue;
      Bytes& bytes = bytes_of[bundle.below];
      bytes = std::max(bytes, Bytes{loads_[index]});
    }
    std::vector<CutOff> all;
    all.reserve(bytes_of.size());
    for (const auto& [below, bytes] : bytes_of) all.push_back({below, bytes});
    return all;
  }

  [[nodiscard]] Prediction finish() && {
    refuse_what_is_cut_off();
    const auto& phases = prediction_.phases;
    for (std::size_t i = 0; i < phases.size(); ++i) {
      prediction_.communication += phases[i].exposed;
      if (phases[i].exposed > phases[prediction_.binding_phase].exposed)
        prediction_.binding_phase = i;
    }
    for (const std::int64_t bytes : sums_.bytes_by_level())
      prediction_.bytes_by_level.push_back({bytes});
    for (const std::int64_t bytes : sums_.scale_up_by_level())
      prediction_.scale_up_by_level.push_back({bytes});
    prediction_.undisturbed = prediction_.communication;
    fill_zone_matrix();
    fill_loads();
    return std::move(prediction_);
  }

 private:
  [[nodiscard]] BundleLoad load(std::size_t index, std::int64_t bytes, Seconds time) const {
    const Bundle bundle = sums_.bundle(index);
    return {bundle, {bytes}, capacity_of(fabric_, bundle), time};
  }

  /// Adds the phase's loads to those of the iteration; the one that takes longest.
  [[nodiscard]] std::optional<BundleLoad> take_loads() {
    phase_loads_.clear();
    for (const std::uint32_t index : sums_.phase_loads().touched())
      phase_loads_.add(index, sums_.phase_loads()[index]);
    links_->add_detours(phase_loads_);
    std::optional<BundleLoad> longest;
    for (const std::uint32_t index : phase_loads_.touched()) {
      const std::int64_t bytes = phase_loads_[index];
      if (bytes == 0) continue;
      const BundleLoad here = load(index, bytes, links_->busiest(index, bytes));
      loads_.add(index, bytes);
      times_[index] += here.time;
      if (!longest || comes_first(here, *longest)) longest = here;
    }
    return longest;
  }

  [[nodiscard]] Seconds step_latency() const {
    if (const auto level = sums_.highest_level()) return fabric_.spec().tiers[*level].latency;
    return sums_.phase_bytes() > 0 ? fabric_.spec().scale_up_latency : Seconds{0};
  }

  [[nodiscard]] Seconds admission_time() const {
    const std::optional<Bytes>& window = prediction_.routing.admission_window;
    return window ? sums_.admission_time(*window, fabric_.spec()) : Seconds{0};
  }

  void refuse_what_is_cut_off() const {
    ProblemList problems;
    for (const auto& [below, bytes] : cut_off()) {
      const auto* server = std::get_if<ServerId>(&below);
      problems.add(
          server ? cluster_.server(*server).name : cluster_.path(std::get<DomainId>(below)),
          fmt::format("no working link leads up from here, but {} of the job must pass",
                      to_text(bytes)),
          "place the job elsewhere, or repair the links");
    }
    problems.throw_if_any();
  }

  void fill_zone_matrix() {
    const std::size_t zones = cluster_.domains_at(cluster_.zone_level()).size();
    prediction_.zone_matrix.assign(zones, std::vector<Bytes>(zones));
    std::int64_t all = 0;
    for (std::size_t from = 0; from < zones; ++from) {
      for (std::size_t to = 0; to < zones; ++to) {
        const Bytes bytes{sums_.zone_bytes(from, to)};
        prediction_.zone_matrix[from][to] = bytes;
        if (from != to) prediction_.cross_zone += bytes;
        all += bytes.count;
      }
    }
    ZONECUT_AUDIT(all == std::accumulate(sums_.bytes_by_level().begin(),
                                         sums_.bytes_by_level().end(), std::int64_t{0}));
    ZONECUT_AUDIT(all == phase_bytes());
  }

  [[nodiscard]] std::int64_t phase_bytes() const {
    std::int64_t bytes = 0;
    for (const PhasePrediction& phase : prediction_.phases) bytes += phase.bytes.count;
    return bytes;
  }

  void fill_loads() {
    std::optional<BundleLoad> server;
    for (const std::uint32_t index : loads_.touched()) {
      BundleLoad here = load(index, loads_[index], times_[index]);
      // One division is closer than a sum of many, where no other job takes part of the link.
      if (prediction_.routing.scheme == RoutingScheme::Ideal && background_.empty())
        here.time = transfer_time(here.bytes, here.capacity);
      if (!is_server(here)) {
        prediction_.loads.push_back(here);
      } else if (!server || comes_first(here, *server)) {
        server = here;
      }
    }
    if (server) prediction_.loads.push_back(*server);
    std::sort(prediction_.loads.begin(), prediction_.loads.end(), comes_first);
  }

  const Cluster& cluster_;
  const Fabric& fabric_;
  const Background& background_;
  TrafficSums sums_;
  std::unique_ptr<LinkTimes> links_;
  PhaseTimes phase_times_;
  SparseSums phase_loads_;      // of the phase at hand, detours among them
  SparseSums loads_;            // of all phases, by index of bundle
  std::vector<Seconds> times_;  // of all phases, likewise
  Prediction prediction_;
};

}  // namespace

Prediction predict(const Fabric& fabric, const Traffic& traffic, std::span<const ServerId> servers,
                   const Routing& routing, const Background& background) {
  ZONECUT_ENSURES(servers.size() == traffic.vertices());
  Predictor predictor(fabric, traffic, servers, routing, background);
  for (const Phase& phase : traffic.phases) predictor.add(phase);
  Prediction prediction = std::move(predictor).finish();
  if (!background.empty()) {
    prediction.undisturbed = predict(fabric, traffic, servers, routing).communication;
  }
  return prediction;
}

std::vector<PhaseStreams> streams_of(const Fabric& fabric, const Traffic& traffic,
                                     std::span<const ServerId> servers, const Routing& routing) {
  ZONECUT_ENSURES(servers.size() == traffic.vertices());
  const Background nobody;
  Predictor predictor(fabric, traffic, servers, routing, nobody);
  std::vector<PhaseStreams> streams;
  for (const Phase& phase : traffic.phases) {
    predictor.add(phase);
    streams.push_back(predictor.last_streams(phase));
  }
  static_cast<void>(std::move(predictor).finish());  // refuses what is cut off
  return streams;
}

std::vector<Disturbance> disturbances(const Fabric& fabric, const RunningTraffic& ours,
                                      const Background& background, const Routing& routing) {
  std::vector<Disturbance> all;
  if (background.empty()) return all;
  const Background us(fabric, {ours}, routing);
  for (const std::shared_ptr<const RunningTraffic>& job : background.jobs()) {
    const Prediction with_us = predict(fabric, job->traffic, job->servers, routing, us);
    all.push_back({job->name, with_us.undisturbed, with_us.communication, job->served});
  }
  return all;
}

std::vector<CutOff> cut_off(const Fabric& fabric, const Traffic& traffic,
                            std::span<const ServerId> servers) {
  ZONECUT_ENSURES(servers.size() == traffic.vertices());
  const Background nobody;
  Predictor predictor(fabric, traffic, servers, Routing{}, nobody);
  for (const Phase& phase : traffic.phases) predictor.add(phase);
  return predictor.cut_off();
}

}  // namespace zonecut
