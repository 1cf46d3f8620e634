// Hashed loads by distribution, against draws of the same experiment and published measurements.
#include <algorithm>
#include <cmath>
#include <vector>

#include "routing/hashed_time.hpp"
#include "support/catch.hpp"
#include "zonecut/base/random.hpp"

using namespace zonecut;

namespace {

/// `flows` flows of one byte on `cables` cables of one byte per second.
HashedBundle unit_flows(double flows, std::int64_t cables) { return {cables, {1}, flows, flows}; }

double drawn_maximum(std::size_t flows, std::size_t cables, std::size_t bundles, int draws) {
  Random random(7);
  double sum = 0;
  for (int draw = 0; draw < draws; ++draw) {
    int most = 0;
    for (std::size_t bundle = 0; bundle < bundles; ++bundle) {
      std::vector<int> load(cables, 0);
      for (std::size_t i = 0; i < flows; ++i) most = std::max(most, ++load[random.below(cables)]);
    }
    sum += most;
  }
  return sum / draws;
}

double expected_maximum(std::size_t flows, std::size_t cables, std::size_t bundles) {
  HashedTime time;
  for (std::size_t i = 0; i < bundles; ++i)
    time.add(unit_flows(static_cast<double>(flows), static_cast<std::int64_t>(cables)));
  return time.slowest().mean.count;
}

}  // namespace

TEST_CASE("the expected maximum is that of balls thrown into bins", "[routing]") {
  struct Case {
    std::size_t flows, cables, bundles;
  };
  for (const auto& [flows, cables, bundles] : std::vector<Case>{{1, 16, 1},
                                                                {2, 2, 1},
                                                                {16, 16, 1},
                                                                {16, 16, 28},
                                                                {224, 32, 2},
                                                                {1000, 16, 1},
                                                                {4096, 16, 8}}) {
    INFO(flows << " flows, " << cables << " cables, " << bundles << " bundles");
    CHECK(expected_maximum(flows, cables, bundles) ==
          Approx(drawn_maximum(flows, cables, bundles, 400)).epsilon(0.07));
  }
}

TEST_CASE("a thousand flows on sixteen links leave one of them a fifth above the mean",
          "[routing]") {
  const double ratio = expected_maximum(1000, 16, 1) / (1000.0 / 16);
  CHECK(ratio > 1.2);
  CHECK(ratio < 1.25);
}

// Packet-level simulation (htsim with RoCE) of 448 NICs in two zones at 7:1: the busiest link in
// units of one NIC, by queue pairs. In a zone every NIC has one uplink's worth of leaf capacity;
// across zones 224 NICs share 32 zone uplinks.
TEST_CASE("queue pairs even out hashed loads as in a packet-level simulation", "[routing]") {
  struct Row {
    int queue_pairs;
    double in_zone, across;
  };
  for (const Row& row : std::vector<Row>{{1, 4.99, 13.98},
                                         {2, 4.00, 12.53},
                                         {4, 3.26, 10.32},
                                         {8, 2.45, 9.12},
                                         {16, 1.88, 9.25}}) {
    const double flows = row.queue_pairs;
    HashedTime in_zone;  // 28 racks of 16 NICs, up and down
    for (int i = 0; i < 56; ++i) in_zone.add({16, {1'000'000}, 16e6, 16e12 / flows});
    HashedTime across;  // two zones, up and down
    for (int i = 0; i < 4; ++i) across.add({32, {1'000'000}, 224e6, 224e12 / flows});
    INFO(row.queue_pairs << " queue pairs");
    CHECK(in_zone.slowest().mean.count == Approx(row.in_zone).epsilon(0.15));
    CHECK(across.slowest().mean.count == Approx(row.across).epsilon(0.15));
  }
}

TEST_CASE("hashed times stand between ideal balancing and one single link", "[routing]") {
  Random random(3);
  for (int i = 0; i < 500; ++i) {
    const auto cables = static_cast<std::int64_t>(1 + random.below(64));
    const auto flows = static_cast<double>(1 + random.below(1000));
    const HashedSpan span = hashed_span(unit_flows(flows, cables));
    INFO(flows << " flows on " << cables);
    CHECK(span.mean.count >= flows / static_cast<double>(cables) - 1e-9);
    CHECK(span.mean.count <= flows + 1e-9);
    CHECK(span.low <= span.high);
  }
}

TEST_CASE("many small flows balance themselves", "[routing]") {
  const HashedSpan span = hashed_span(unit_flows(1e12, 64));
  CHECK(span.mean.count == Approx(1e12 / 64).epsilon(1e-3));
}
