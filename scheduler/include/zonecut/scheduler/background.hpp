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
#include <optional>
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
  /// Takes one of jobs() away; those after it move up. O(bundles + what all of them send over).
  void remove(std::size_t job);

  [[nodiscard]] bool empty() const noexcept { return jobs_.empty(); }
  [[nodiscard]] const std::vector<RunningTraffic>& jobs() const noexcept { return jobs_; }
  /// The part of a bundle's capacity that is left to `flows` of ours, above 0. Bundles by
  /// bundle_index().
  [[nodiscard]] double left_to(double flows, std::size_t bundle) const;
  /// The part that the others take in the mean while nobody else wants it, 0 to 1.
  [[nodiscard]] double taken(std::size_t bundle) const;

 private:
  struct Stream {
    std::size_t job;
    double active;  ///< share of the time
    double demand;  ///< share of the capacity
    double flows;
  };
  std::vector<RunningTraffic> jobs_;
  std::vector<std::vector<Stream>> streams_;  // by bundle
};

/// How much longer another job communicates in an iteration because of ours.
struct Disturbance {
  std::string job;
  Seconds alone;
  Seconds beside;  ///< with ours, which communicates all the time, on the same links
};

}  // namespace zonecut
