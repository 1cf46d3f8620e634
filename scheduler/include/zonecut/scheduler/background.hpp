#pragma once
// What other jobs send over the links that this one shares with them. Flows of several jobs on one
// link each get their max-min fair share; while another job computes, or uses other links, it takes
// nothing. A phase q of another job is active for the share f_q of that job's iteration, and alone
// would use the part d_q of the link's capacity with n_q flows. Our n flows are left the part
//
//   max( 1 - Σ f_q · min(d_q, n_q / (n_q + n)),  n / (n + Σ over jobs of their largest n_q) ).
//
// of the capacity; the sum is over all phases of the other jobs. What we take from them follows
// from the same formula with the roles exchanged. Left out: that they then take longer, and so are
// active for a larger share of the time.
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "zonecut/partition/traffic.hpp"
#include "zonecut/scheduler/routing.hpp"
#include "zonecut/topology/fabric.hpp"

namespace zonecut {

/// A job that runs: what it sends, and between which servers.
struct RunningTraffic {
  std::string name;
  Traffic traffic;
  std::vector<ServerId> servers;     ///< by vertex
  std::optional<Seconds> iteration;  ///< none: it communicates all the time
  bool served = false;               ///< what it sends is of a second of service
};

/// What a job that is alone on the fabric takes of the links.
struct Footprint {
  /// Of one bundle that a phase sends over; f, d and n above.
  struct Share {
    /// Bundles (prediction.hpp) are numbered 2·i inward and 2·i + 1 outward, where i is a server,
    /// or the number of servers plus a domain.
    std::uint32_t bundle;
    double active;  ///< share of the iteration that the phase takes
    double demand;  ///< share of the bundle's capacity that it uses in that time, at most 1
    double flows;   ///< at a time; hashed flows count as equal ones that collide as often
  };
  std::vector<Share> shares;  ///< phase after phase
};

/// Throws as predict() does. As long as a prediction.
[[nodiscard]] Footprint footprint_of(const Fabric& fabric, const RunningTraffic& job,
                                     const Routing& routing);

class Background {
 public:
  Background() = default;  ///< nobody else
  /// Predicts each job alone, with this routing. A job that failed links leave without a path for
  /// some of its flows is left out: it sends nothing. Throws InputError as predict() does.
  Background(const Fabric& fabric, std::vector<RunningTraffic> jobs, const Routing& routing);

  /// Predicts one more job alone and appends it to jobs(); false where it is left out as above.
  /// Throws as the constructor does.
  bool add(const Fabric& fabric, RunningTraffic job, const Routing& routing);
  /// Appends a job whose footprint is known. O(footprint + bundles).
  void add(const Cluster& cluster, std::shared_ptr<const RunningTraffic> job,
           std::shared_ptr<const Footprint> footprint);
  /// Removes one of jobs(), by index; those after it move up. O(bundles + all footprints).
  void remove(std::size_t job);

  [[nodiscard]] bool empty() const noexcept { return jobs_.empty(); }
  [[nodiscard]] std::span<const std::shared_ptr<const RunningTraffic>> jobs() const noexcept {
    return jobs_;
  }
  /// The background of one of jobs(), by index: what the others send over its own bundles. Other
  /// bundles are empty, since a prediction of that job does not ask for them. O(bundles + what the
  /// others send there).
  [[nodiscard]] Background beside(std::size_t job) const;
  /// The part of a bundle's capacity that is left to `flows` of ours, above 0 and at most 1, by the
  /// formula above. Bundles are numbered as in Footprint.
  [[nodiscard]] double left_to(double flows, std::size_t bundle) const;
  /// The part of a bundle's capacity that the others use on average, without us: 0 to 1.
  [[nodiscard]] double taken(std::size_t bundle) const;

 private:
  struct Stream {
    std::size_t job;
    Footprint::Share share;
  };
  std::vector<std::shared_ptr<const RunningTraffic>> jobs_;
  std::vector<std::shared_ptr<const Footprint>> footprints_;  // by job
  std::vector<std::vector<Stream>> streams_;                  // by bundle
};

/// How much longer another job communicates in an iteration, or for a second of service, because of
/// ours.
struct Disturbance {
  std::string job;
  Seconds alone;   ///< neither ours nor any other job sends anything
  Seconds beside;  ///< ours alone beside it, communicating all the time
  bool served = false;
};

}  // namespace zonecut
