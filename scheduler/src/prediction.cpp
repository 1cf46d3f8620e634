#include "zonecut/scheduler/prediction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

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
  Predictor(const Cluster& cluster, const Fabric& fabric, const Traffic& traffic,
            std::span<const ServerId> servers)
      : cluster_(cluster),
        fabric_(fabric),
        sums_(cluster, traffic, servers),
        loads_(sums_.bundle_count()) {}

  void add(const Phase& phase) {
    sums_.begin_phase();
    for (const Group& group : phase.groups) sums_.add(group);
    PhasePrediction predicted;
    predicted.name = phase.name;
    predicted.bytes = {sums_.phase_bytes()};
    predicted.binding = take_loads();
    if (predicted.binding) predicted.transfer = predicted.binding->time;
    const Seconds inside = scale_up_time();
    if (inside > predicted.transfer) {
      predicted.transfer = inside;
      predicted.binding.reset();
    }
    predicted.latency = step_latency() * static_cast<double>(phase.steps);
    predicted.exposed = (predicted.latency + predicted.transfer) * (1 - phase.overlap);
    prediction_.phases.push_back(std::move(predicted));
  }

  [[nodiscard]] std::vector<CutOff> cut_off() const {
    std::map<std::variant<ServerId, DomainId>, Bytes> bytes_of;
    for (const std::uint32_t index : loads_.touched()) {
      const Bundle bundle = sums_.bundle(index);
      if (loads_[index] == 0 || capacity(bundle).count > 0) continue;
      Bytes& bytes = bytes_of[bundle.below];
      bytes = std::max(bytes, Bytes{loads_[index]});
    }
    std::vector<CutOff> all;
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
    fill_zone_matrix();
    fill_loads();
    return std::move(prediction_);
  }

 private:
  [[nodiscard]] BytesPerSecond capacity(const Bundle& bundle) const {
    if (const auto* server = std::get_if<ServerId>(&bundle.below))
      return fabric_.injection_capacity(*server);
    return fabric_.uplink_capacity(std::get<DomainId>(bundle.below));
  }

  [[nodiscard]] BundleLoad load(std::size_t index, std::int64_t bytes) const {
    const Bundle bundle = sums_.bundle(index);
    const BytesPerSecond through = capacity(bundle);
    return {bundle, {bytes}, through, transfer_time({bytes}, through)};
  }

  /// Adds the phase's loads to those of the iteration; the one that takes longest.
  [[nodiscard]] std::optional<BundleLoad> take_loads() {
    std::optional<BundleLoad> longest;
    for (const std::uint32_t index : sums_.phase_loads().touched()) {
      const std::int64_t bytes = sums_.phase_loads()[index];
      if (bytes == 0) continue;
      loads_.add(index, bytes);
      const BundleLoad here = load(index, bytes);
      if (!longest || comes_first(here, *longest)) longest = here;
    }
    return longest;
  }

  [[nodiscard]] Seconds scale_up_time() const {
    const Bytes most{sums_.most_scale_up_bytes()};
    const BytesPerSecond bandwidth = fabric_.spec().scale_up_bandwidth;
    if (most.count > 0 && bandwidth.count <= 0) {
      throw InputError("fabric", "scale_up_bandwidth is 0, but ranks of one server exchange bytes",
                       "the bandwidth of NVLink, PCIe or the like, per GPU and direction");
    }
    return transfer_time(most, bandwidth);
  }

  [[nodiscard]] Seconds step_latency() const {
    if (const auto level = sums_.highest_level()) return fabric_.spec().tiers[*level].latency;
    return sums_.phase_bytes() > 0 ? fabric_.spec().scale_up_latency : Seconds{0};
  }

  void refuse_what_is_cut_off() const {
    ProblemList problems;
    for (const auto& [below, bytes] : cut_off()) {
      const auto* server = std::get_if<ServerId>(&below);
      problems.add(
          server ? cluster_.server(*server).name : cluster_.path(std::get<DomainId>(below)),
          fmt::format("no working link leads up from here, but the job must pass {} per iteration",
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
      const BundleLoad here = load(index, loads_[index]);
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
  TrafficSums sums_;
  SparseSums loads_;  // of all phases, by index of bundle
  Prediction prediction_;
};

}  // namespace

Prediction predict(const Cluster& cluster, const Fabric& fabric, const Traffic& traffic,
                   std::span<const ServerId> servers) {
  ZONECUT_ENSURES(servers.size() == traffic.vertices());
  Predictor predictor(cluster, fabric, traffic, servers);
  for (const Phase& phase : traffic.phases) predictor.add(phase);
  return std::move(predictor).finish();
}

std::vector<CutOff> cut_off(const Cluster& cluster, const Fabric& fabric, const Traffic& traffic,
                            std::span<const ServerId> servers) {
  ZONECUT_ENSURES(servers.size() == traffic.vertices());
  Predictor predictor(cluster, fabric, traffic, servers);
  for (const Phase& phase : traffic.phases) predictor.add(phase);
  return predictor.cut_off();
}

}  // namespace zonecut
