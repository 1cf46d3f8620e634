// Exchanges of servers for time, after the mapper has done what it can for bytes.
#include <algorithm>
#include <limits>
#include <set>

#include "support/catch.hpp"
#include "support/drawn_cluster.hpp"
#include "zonecut/base/random.hpp"
#include "zonecut/scheduler/engine.hpp"

using namespace zonecut;

namespace {

constexpr std::int64_t kRate = 1'000'000'000;

/// `zones` × `racks` × `servers` with wide NICs and leaves, and one narrow link above each zone.
struct World {
  World(int zones, int racks, int servers, const std::vector<std::size_t>& half_lost = {})
      : cluster(even_cluster(zones, racks, servers, spec(), 1)),
        view(broken(half_lost)),
        fabric(Fabric::build(cluster, cluster.backend(), view.health)) {}

  static FabricSpec spec() {
    FabricSpec spec;
    spec.nics_per_server = 1;
    spec.nic_bandwidth = {100 * kRate};
    spec.tiers = {{"ATSW", 1, 0, {}, 0, {}},
                  {"CTSW", 1, 1, {kRate}, 0, {}},
                  {"RTSW", 1, 1, {100 * kRate}, 0, {}}};
    return spec;
  }
  [[nodiscard]] ClusterView broken(const std::vector<std::size_t>& half_lost) const {
    ClusterView found(cluster);
    for (const std::size_t zone : half_lost) {
      const DomainId domain = cluster.domains_at(cluster.zone_level())[zone];
      found.health.link_faults.push_back(
          {SwitchRef{domain}, SwitchRef{Cluster::root()}, BytesPerSecond{kRate / 2}});
    }
    return found;
  }
  [[nodiscard]] Placement placed(const Job& job, const Constraints& constraints = {},
                                 Effort effort = Effort::Balanced,
                                 const Routing& routing = {}) const {
    const PlacementProblem problem = pose(view, fabric, job, constraints, {.routing = routing});
    PlacementOptions options;
    options.mapping.effort = effort;
    return std::get<Placement>(place(problem, constraints, options));
  }

  Cluster cluster;
  ClusterView view;
  Fabric fabric;
};

using Entry = ExplicitTraffic::Entry;

Job job_of(int ranks, std::vector<Entry> matrix) {
  ExplicitTraffic work;
  work.ranks = ranks;
  work.matrix = std::move(matrix);
  return Job{"job", work, 1, {}};
}

Entry gigabytes(std::size_t from, std::size_t to, std::int64_t count) {
  return {RankId{from}, RankId{to}, {count * kRate}};
}

bool is_swapped(const Candidate& candidate) { return candidate.name.ends_with("swapped for time"); }

/// 0 sends 10 GB to 3, 6 GB to 1, and 2 sends 6 GB to 3. With 0 and 1 in a zone 10 GB cross, all
/// one way; with 0 and 3 in a zone, where no rule puts them, 12 GB, 6 GB each way.
const Job kOneWay = job_of(4, {gigabytes(0, 3, 10), gigabytes(0, 1, 6), gigabytes(2, 3, 6)});

}  // namespace

TEST_CASE("the time counts the busier direction where the cut counts both", "[scheduler]") {
  const World world(2, 1, 2);
  for (const Effort effort : {Effort::Fast, Effort::Balanced, Effort::Thorough}) {
    const Placement placement = world.placed(kOneWay, {}, effort);
    CHECK(placement.prediction.communication.count == Approx(6));
    CHECK(placement.prediction.cross_zone == Bytes{12 * kRate});
    const Server& first = world.cluster.server(placement.servers[0]);
    CHECK(first.rack == world.cluster.server(placement.servers[3]).rack);
    CHECK(std::any_of(placement.candidates.begin(), placement.candidates.end(), is_swapped));
    const auto least_cut = std::ranges::find(placement.candidates, "minimum cut", &Candidate::name);
    REQUIRE(least_cut != placement.candidates.end());
    CHECK(least_cut->communication.count == Approx(10));
  }
}

TEST_CASE("exchanges for time begin from other orders than the best, too", "[scheduler]") {
  const World world(3, 2, 2);
  int from_slower = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Random random(seed);
    std::vector<Entry> matrix;
    for (std::size_t a = 0; a < 10; ++a) {
      for (std::size_t b = 0; b < 10; ++b) {
        if (a != b && random.below(3) == 0)
          matrix.push_back(gigabytes(a, b, 1 + static_cast<std::int64_t>(random.below(20))));
      }
    }
    const Placement placement = world.placed(job_of(10, matrix), {}, Effort::Balanced);
    const Candidate& chosen = placement.candidates.front();
    if (!is_swapped(chosen)) continue;
    // The fastest of the others, and the one where the exchanges began.
    double fastest = std::numeric_limits<double>::infinity();
    double start = fastest;
    for (const Candidate& candidate : placement.candidates) {
      if (is_swapped(candidate)) continue;
      fastest = std::min(fastest, candidate.communication.count);
      if (chosen.name == candidate.name + ", swapped for time")
        start = std::min(start, candidate.communication.count);
    }
    if (start > fastest * (1 + PlacementOptions{}.tolerance)) ++from_slower;
  }
  CHECK(from_slower >= 10);
}

TEST_CASE("exchanges for time keep slices together", "[scheduler]") {
  const World world(2, 1, 2);
  Constraints constraints;
  constraints.slices = {{world.cluster.zone_level(), 2}};
  const Placement placement = world.placed(kOneWay, constraints);
  CHECK(placement.prediction.communication.count == Approx(10));
  CHECK(placement.prediction.cross_zone == Bytes{10 * kRate});
  CHECK(std::none_of(placement.candidates.begin(), placement.candidates.end(), is_swapped));
}

TEST_CASE("exchanges for time make nothing worse, and use the same servers", "[scheduler]") {
  Random random(5);
  int swapped = 0;
  for (int draw = 0; draw < 40; ++draw) {
    const World world(3, 2, 2,
                      draw % 2 == 0 ? std::vector<std::size_t>{0} : std::vector<std::size_t>{});
    std::vector<Entry> matrix;
    for (std::size_t a = 0; a < 10; ++a) {
      for (std::size_t b = 0; b < 10; ++b) {
        if (a != b && random.below(3) == 0)
          matrix.push_back(gigabytes(a, b, 1 + static_cast<std::int64_t>(random.below(20))));
      }
    }
    const Routing routing{draw % 3 == 0 ? RoutingScheme::Ecmp : RoutingScheme::Ideal};
    const Job job = job_of(10, matrix);
    const Placement placement = world.placed(job, {}, Effort::Balanced, routing);
    const Placement again = world.placed(job, {}, Effort::Balanced, routing);
    CHECK(placement.servers == again.servers);
    const std::set<ServerId> servers(placement.servers.begin(), placement.servers.end());
    CHECK(servers.size() == 10);
    // From several orders; each is faster than all before it.
    std::optional<Seconds> fastest;
    for (const Candidate& candidate : placement.candidates) {
      CHECK(placement.prediction.communication.count <=
            candidate.communication.count * (1 + PlacementOptions{}.tolerance));
      if (!is_swapped(candidate)) continue;
      ++swapped;
      if (!fastest || candidate.communication < *fastest) fastest = candidate.communication;
    }
    if (fastest) CHECK(*fastest == placement.prediction.communication);
    const PlacementProblem problem = pose(world.view, world.fabric, job, {}, {.routing = routing});
    CHECK(evaluate(problem, placement.servers, "").prediction.communication ==
          placement.prediction.communication);
  }
  CHECK(swapped >= 5);
}
