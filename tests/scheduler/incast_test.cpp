// Receiver-driven admission: what it makes of times, and what it leaves under way.
#include "zonecut/scheduler/incast.hpp"

#include "support/catch.hpp"
#include "support/drawn_cluster.hpp"
#include "zonecut/scheduler/prediction.hpp"

using namespace zonecut;

namespace {

constexpr std::int64_t kGB = 1'000'000'000;

/// Links fast enough that only the window counts; a step costs 1, 10 or 100 s in the rack, the zone
/// or beyond, so a round trip 2, 20 or 200 s.
FabricSpec far_spec() {
  FabricSpec spec;
  spec.nics_per_server = 2;
  spec.nic_bandwidth = {100 * kGB};
  spec.tiers = {{"ATSW", 1, 0, {}, 0, {100}},
                {"CTSW", 1, 1, {100 * kGB}, 0, {10}},
                {"RTSW", 1, 1, {100 * kGB}, 0, {1}}};
  return spec;
}

/// One rank a server unless said otherwise, servers in the order of the drawing.
struct Case {
  Cluster cluster;
  Traffic traffic;
  std::vector<ServerId> servers;

  explicit Case(const std::string& drawing, std::size_t ranks_per_server = 1)
      : cluster(drawn_cluster(drawing, far_spec())) {
    traffic.ranks_per_server = ranks_per_server;
    traffic.ranks = cluster.server_count() * ranks_per_server;
    for (std::size_t i = 0; i < cluster.server_count(); ++i) servers.emplace_back(i);
  }
  Phase& phase(Pattern pattern, const std::vector<std::size_t>& ranks, std::int64_t bytes,
               std::int64_t messages = 1) {
    Phase& made = traffic.phases.emplace_back(Phase{"x", {}, messages, 0});
    made.groups.push_back({pattern,
                           static_cast<std::uint32_t>(traffic.members.size()),
                           static_cast<std::uint32_t>(ranks.size()),
                           {bytes}});
    made.groups.back().messages = messages;
    for (const std::size_t rank : ranks) traffic.members.emplace_back(rank);
    return made;
  }
  [[nodiscard]] PhasePrediction predicted(std::optional<Bytes> window) const {
    const Fabric fabric = Fabric::build(cluster, cluster.backend(), Health(cluster));
    Routing routing;
    routing.admission_window = window;
    return predict(fabric, traffic, servers, routing).phases.front();
  }
  [[nodiscard]] std::vector<Receiver> receivers(std::optional<Bytes> window) const {
    return receivers(window, cluster.backend());
  }
  [[nodiscard]] std::vector<Receiver> receivers(std::optional<Bytes> window,
                                                const FabricSpec& spec) const {
    const Fabric fabric = Fabric::build(cluster, spec, Health(cluster));
    return incast_of(fabric, traffic, servers, window).front().receivers;
  }
};

}  // namespace

TEST_CASE("a connection waits a round trip of its tier for every window", "[admission]") {
  Case c("a: r1[s0 s1] r2[s2] b: r1[s3]");
  const auto [to, round_trip] = GENERATE(table<std::size_t, double>({{1, 2}, {2, 20}, {3, 200}}));
  c.phase(Pattern::Direct, {0, to}, 3 * kGB);
  CHECK(c.predicted(Bytes{kGB}).admission.count == Approx(3 * round_trip));
  CHECK(c.predicted(Bytes{kGB}).transfer.count == Approx(3 * round_trip));
  CHECK(c.predicted(Bytes{3 * kGB}).transfer.count == Approx(round_trip));
  // 3 GB over a rack's 100 GB/s, or a server's two NICs.
  CHECK(c.predicted(std::nullopt).transfer.count == Approx(to == 1 ? 0.015 : 0.03));
  CHECK(c.predicted(std::nullopt).admission.count == 0);
}

TEST_CASE("a window that covers the round trip costs nothing", "[admission]") {
  Case c("a: r1[s0] b: r1[s1]");
  c.phase(Pattern::Direct, {0, 1}, 100'000 * kGB);
  // 100 GB/s over a round trip of 200 s: 20 TB must be under way.
  CHECK(c.predicted(Bytes{40'000 * kGB}).admission.count == Approx(500));
  CHECK(c.predicted(Bytes{40'000 * kGB}).transfer.count == Approx(1000));
  CHECK(c.predicted(Bytes{20'000 * kGB}).transfer.count == Approx(1000));
  CHECK(c.predicted(Bytes{10'000 * kGB}).transfer.count == Approx(2000));
}

TEST_CASE("steps of an all-to-all wait one after the other, messages posted at once together",
          "[admission]") {
  Case c("a: r1[s0] b: r1[s1] c: r1[s2]");
  Phase& phase = c.phase(Pattern::AllToAll, {0, 1, 2}, 4 * kGB);
  CHECK(c.predicted(Bytes{kGB}).transfer.count == Approx(4 * 200));
  phase.groups.front().stepwise = true;
  CHECK(c.predicted(Bytes{kGB}).transfer.count == Approx(2 * 4 * 200));
}

TEST_CASE("each channel of a ring has a window of its own", "[admission]") {
  Case c("a: r1[s0] b: r1[s1]", 2);
  c.phase(Pattern::Ring, {0, 1, 2, 3}, 4 * kGB);  // two ranks a server: two channels
  CHECK(c.predicted(Bytes{kGB}).transfer.count == Approx(2 * 200));
  // From one neighbour, but by both channels.
  CHECK(c.receivers(Bytes{kGB}).front().senders == 1);
  CHECK(c.receivers(Bytes{kGB}).front().in_flight == Bytes{2 * kGB});
  CHECK(c.receivers(Bytes{3 * kGB}).front().in_flight == Bytes{4 * kGB});
  CHECK(c.receivers(std::nullopt).front().in_flight == Bytes{4 * kGB});
}

TEST_CASE("channels are counted by the NICs into the fabric that is passed", "[admission]") {
  Case c("a: r1[s0] b: r1[s1]", 2);
  c.phase(Pattern::Ring, {0, 1, 2, 3}, 4 * kGB);
  FabricSpec narrow = far_spec();
  narrow.nics_per_server = 1;
  CHECK(c.receivers(Bytes{kGB}, narrow).front().in_flight == Bytes{kGB});
}

TEST_CASE("all members of a linear all-to-all meet at a receiver, but those on its NVLink",
          "[admission]") {
  Case c("a: r1[s0@0 s1@0] r2[s2] b: r1[s3]");
  c.phase(Pattern::AllToAll, {0, 1, 2, 3}, 6 * kGB, 2);  // twice: messages of 3 GB
  const std::vector<Receiver> free = c.receivers(std::nullopt);
  REQUIRE(free.size() == 4);
  CHECK(free[0].senders == 2);
  CHECK(free[0].in_flight == Bytes{6 * kGB});
  CHECK(free[2].senders == 3);
  CHECK(free[2].in_flight == Bytes{9 * kGB});
  CHECK(free[2].server == ServerId{2});
  const std::vector<Receiver> admitted = c.receivers(Bytes{kGB / 2});
  CHECK(admitted[2].senders == 3);
  CHECK(admitted[2].in_flight == Bytes{3 * kGB / 2});
  CHECK(worst({"x", free})->rank == RankId{2});
}

TEST_CASE("one member at a time sends in a pairwise all-to-all, and in a ring", "[admission]") {
  Case c("a: r1[s0] b: r1[s1] c: r1[s2]");
  SECTION("pairwise") {
    Phase& phase = c.phase(Pattern::AllToAll, {0, 1, 2}, 4 * kGB, 2);  // run twice
    phase.groups.front().stepwise = true;
  }
  SECTION("ring") { c.phase(Pattern::Ring, {0, 1, 2}, 4 * kGB, 2); }
  for (const Receiver& receiver : c.receivers(std::nullopt)) {
    CHECK(receiver.senders == 1);
    CHECK(receiver.in_flight == Bytes{2 * kGB});
  }
  CHECK(c.receivers(Bytes{kGB}).front().in_flight == Bytes{kGB});
}

TEST_CASE("a stage in the middle of a pipeline hears from both sides", "[admission]") {
  Case c("a: r1[s0] b: r1[s1] c: r1[s2]");
  c.phase(Pattern::Pipeline, {0, 1, 2}, 8 * kGB).groups.back().messages = 4;
  const std::vector<Receiver> found = c.receivers(std::nullopt);
  CHECK(found[0].senders == 1);
  CHECK(found[1].senders == 2);
  CHECK(found[1].in_flight == Bytes{4 * kGB});
}

TEST_CASE("of unequal shares the largest pair waits longest", "[admission]") {
  Case c("a: r1[s0] b: r1[s1] c: r1[s2]");
  Phase& phase = c.phase(Pattern::AllToAll, {0, 1, 2}, 4 * kGB);
  phase.groups.front().first_share = 0;
  c.traffic.shares = {{kGB}, {2 * kGB}, {3 * kGB}};
  CHECK(c.predicted(Bytes{kGB}).admission.count == Approx(3 * 200));
  const std::vector<Receiver> found = c.receivers(std::nullopt);
  CHECK(found[0].in_flight == Bytes{5 * kGB});
  CHECK(found[2].in_flight == Bytes{3 * kGB});
  phase.groups.front().share_of = ShareOf::Receiver;
  CHECK(c.predicted(Bytes{kGB}).admission.count == Approx(3 * 200));
  const std::vector<Receiver> back = c.receivers(std::nullopt);
  CHECK(back[0].in_flight == Bytes{2 * kGB});
  CHECK(back[2].in_flight == Bytes{6 * kGB});
}

TEST_CASE("round the wrap of virtual stages go messages as large as over the hops", "[admission]") {
  Case c("a: r1[s0] b: r1[s1] c: r1[s2]");
  Group& group = c.phase(Pattern::Pipeline, {0, 1, 2}, 8 * kGB, 8).groups.back();
  group.passes = 4;
  group.wrap_bytes = {6 * kGB};
  for (const Receiver& receiver : c.receivers(std::nullopt)) {
    CHECK(receiver.senders == 2);
    CHECK(receiver.in_flight == Bytes{2 * kGB});
  }
}
