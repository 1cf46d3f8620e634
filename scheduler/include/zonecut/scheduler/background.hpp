#pragma once
// What other jobs send over the links that this one shares with them. Where a link is wanted by
// flows of several jobs, each flow gets its max-min fair share; of the time in which another job
// computes, or uses other links, nothing is taken. With several phases q of a job, each active for
// the share f_q of its iteration, in which it would take the part d_q of the link's capacity for
// n_q flows, n flows of ours are left
//
//   max( 1 - Σ f_q · min(d_q, n_q / (n_q + n)),  n / (n + Σ over jobs of their largest n_q) ).
//
// What our traffic does to theirs comes out of the same formula with the roles exchanged; that they
// then take longer, and are active for a larger share of the time, is left out.
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
};

/// What a job alone takes of the links: of each bundle that it sends over, once for every phase.
struct Footprint {
  struct Share {
    std::uint32_t bundle;  ///< two for each server, then two for each domain
    double active;         ///< share of the time
    double demand;         ///< share of the capacity meanwhile
    double flows;
  };
  std::vector<Share> shares;  ///< phase after phase
};

/// Throws as predict() does. The time of a prediction.
[[nodiscard]] Footprint footprint_of(const Cluster& cluster, const Fabric& fabric,
                                     const RunningTraffic& job, const Routing& routing);

class Background {
 public:
  Background() = default;  ///< nobody else
  /// Predicts each job alone, with this routing. One that failures have cut off, or some of whose
  /// flows have no path left, is stuck, and is left out. Throws InputError as predict() does.
  Background(const Cluster& cluster, const Fabric& fabric, std::vector<RunningTraffic> jobs,
             const Routing& routing);

  /// One job more, predicted alone; false where it is stuck and left out. Appends to jobs(). Throws
  /// as the constructor does.
  bool add(const Cluster& cluster, const Fabric& fabric, RunningTraffic job,
           const Routing& routing);
  /// One whose footprint is known. O(footprint).
  void add(const Cluster& cluster, std::shared_ptr<const RunningTraffic> job,
           std::shared_ptr<const Footprint> footprint);
  /// Takes one of jobs() away; those after it move up. O(bundles + what all of them send over).
  void remove(std::size_t job);

  [[nodiscard]] bool empty() const noexcept { return jobs_.empty(); }
  [[nodiscard]] std::span<const std::shared_ptr<const RunningTraffic>> jobs() const noexcept {
    return jobs_;
  }
  /// What the others send over the bundles that one of jobs() sends over, and nothing over any
  /// else: all that its prediction asks for. O(bundles + what they send there).
  [[nodiscard]] Background beside(std::size_t job) const;
  /// The part of a bundle's capacity that is left to `flows` of ours, above 0. Bundles as in
  /// Footprint.
  [[nodiscard]] double left_to(double flows, std::size_t bundle) const;
  /// The part that the others take in the mean while nobody else wants it, 0 to 1.
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

/// How much longer another job communicates in an iteration because of ours.
struct Disturbance {
  std::string job;
  Seconds alone;
  Seconds beside;  ///< with ours, which communicates all the time, on the same links
};

}  // namespace zonecut
