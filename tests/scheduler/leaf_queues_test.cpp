// What stands in the queues of leaves at most: by hand, and against packets sent one by one.
#include "zonecut/scheduler/leaf_queues.hpp"

#include <rapidcheck.h>

#include <algorithm>
#include <memory>

#include "support/catch.hpp"
#include "support/drawn_cluster.hpp"
#include "zonecut/base/random.hpp"

using namespace zonecut;

namespace {

constexpr std::int64_t kGB = 1'000'000'000;

struct Memory {
  std::optional<Bytes> leaf = std::nullopt;
  std::optional<Bytes> port = std::nullopt;
};

FabricSpec spec_of(const Memory& memory, int nics = 2, int leaves = 1) {
  FabricSpec spec;
  spec.nics_per_server = nics;
  spec.nic_bandwidth = {50 * kGB};
  spec.tiers = {{"ATSW", 1, 0, {}, 0, {1}},
                {"CTSW", 1, 1, {50 * kGB}, 0, {1}},
                {"RTSW", leaves, 1, {50 * kGB}, 0, {1}}};
  spec.tiers.back().buffer = memory.leaf;
  spec.tiers.back().port_buffer = memory.port;
  return spec;
}

/// One phase of one job that has all servers, in the order of the drawing. The fabric borrows the
/// cluster, so a case does not move.
struct Case {
  Cluster cluster;
  Fabric fabric;
  Traffic traffic;
  std::vector<ServerId> servers;

  Case(const std::string& drawing, const FabricSpec& spec, std::size_t ranks_per_server = 1)
      : cluster(drawn_cluster(drawing, spec)),
        fabric(Fabric::build(cluster, cluster.backend(), Health(cluster))) {
    traffic.ranks_per_server = ranks_per_server;
    traffic.ranks = cluster.server_count() * ranks_per_server;
    traffic.phases.push_back({"x", {}, 1, 0});
    for (std::size_t i = 0; i < cluster.server_count(); ++i) servers.emplace_back(i);
  }
  Case(const Case&) = delete;
  Case& operator=(const Case&) = delete;
  Phase& phase() { return traffic.phases.front(); }
  Group& add(Pattern pattern, const std::vector<std::size_t>& ranks, std::int64_t bytes) {
    Group& made =
        phase().groups.emplace_back(Group{pattern,
                                          static_cast<std::uint32_t>(traffic.members.size()),
                                          static_cast<std::uint32_t>(ranks.size()),
                                          {bytes}});
    for (const std::size_t rank : ranks) traffic.members.emplace_back(rank);
    return made;
  }
  [[nodiscard]] PhaseOverflows overflows(std::optional<Bytes> window = std::nullopt) const {
    const auto phases = overflows_of(fabric, traffic, servers, window);
    REQUIRE(phases.size() == 1);
    return phases.front();
  }
};

std::vector<RankId> ranks(std::initializer_list<std::size_t> numbers) {
  std::vector<RankId> ids;
  for (const std::size_t number : numbers) ids.emplace_back(number);
  return ids;
}

constexpr const char* kFour = "a: r1[s0] r2[s1] b: r1[s2] r2[s3]";

}  // namespace

TEST_CASE("a cluster that says nothing of its buffers has no overflows", "[queues]") {
  Case c(kFour, spec_of({}));
  c.add(Pattern::AllToAll, {0, 1, 2, 3}, 3 * kGB);
  CHECK(overflows_of(c.fabric, c.traffic, c.servers, std::nullopt).empty());
}

TEST_CASE("of n messages that come to one port at once all but one must queue", "[queues]") {
  SECTION("6 GB of three senders fit 6 GB") {
    Case c(kFour, spec_of({.port = Bytes{6 * kGB}}));
    c.add(Pattern::AllToAll, {0, 1, 2, 3}, 3 * kGB);
    CHECK(c.overflows().overflows.empty());
    CHECK(worst(c.overflows()) == nullptr);
  }
  SECTION("but not a byte less") {
    Case c(kFour, spec_of({.port = Bytes{6 * kGB - 1}}));
    c.add(Pattern::AllToAll, {0, 1, 2, 3}, 3 * kGB);
    const PhaseOverflows found = c.overflows();
    REQUIRE(found.overflows.size() == 4);
    CHECK(receivers_in(found) == 4);
    const QueueOverflow& third = found.overflows[2];
    CHECK(third.port == QueueOverflow::Port{ServerId{2}, 0});
    CHECK(third.queued == Bytes{6 * kGB});
    CHECK(third.memory == Bytes{6 * kGB - 1});
    CHECK(third.receivers == ranks({2}));
    CHECK(queue_name(c.fabric, third) == "b/r1/RTSW-1, port to NIC 0 of s2");
    CHECK(found.fitting_window == Bytes{2 * kGB - 1});
    CHECK(c.overflows(found.fitting_window).overflows.empty());
    CHECK(c.overflows(Bytes{2 * kGB}).overflows.size() == 4);
  }
}

TEST_CASE("windows that slide may fill a queue with all they admit", "[queues]") {
  Case c(kFour, spec_of({.port = Bytes{kGB}}));
  c.add(Pattern::AllToAll, {0, 1, 2, 3}, 3 * kGB);
  CHECK(c.overflows(Bytes{kGB}).overflows.front().queued == Bytes{3 * kGB});
  // Windows nearly as large as the messages admit more than can ever queue.
  CHECK(c.overflows(Bytes{5 * kGB / 2}).overflows.front().queued == Bytes{6 * kGB});
}

TEST_CASE("all ports of a leaf share its memory, those of another leaf do not", "[queues]") {
  const char* drawing = "a: r1[s0 s1] r2[s2] b: r1[s3]";
  SECTION("one leaf a rack") {
    Case c(drawing, spec_of({.leaf = Bytes{12 * kGB - 1}}, 1, 1));
    c.add(Pattern::AllToAll, {0, 1, 2, 3}, 3 * kGB);
    const PhaseOverflows found = c.overflows();
    REQUIRE(found.overflows.size() == 1);
    CHECK_FALSE(found.overflows.front().port);
    CHECK(found.overflows.front().queued == Bytes{12 * kGB});
    CHECK(found.overflows.front().receivers == ranks({0, 1}));
    CHECK(queue_name(c.fabric, found.overflows.front()) == "a/r1/RTSW-1");
    CHECK(found.fitting_window == Bytes{2 * kGB - 1});  // 12 GB over 2 · 3 connections
    CHECK(c.overflows(found.fitting_window).overflows.empty());
  }
  SECTION("NICs dealt out over two leaves") {
    Case c(drawing, spec_of({.leaf = Bytes{12 * kGB - 1}}, 1, 2));
    c.add(Pattern::AllToAll, {0, 1, 2, 3}, 3 * kGB);
    CHECK(c.overflows().overflows.empty());
  }
  SECTION("both limits: a leaf comes before its ports") {
    Case c(drawing, spec_of({.leaf = Bytes{11 * kGB}, .port = Bytes{5 * kGB}}, 1, 1));
    c.add(Pattern::AllToAll, {0, 1, 2, 3}, 3 * kGB);
    const PhaseOverflows found = c.overflows();
    REQUIRE(found.overflows.size() == 5);
    CHECK_FALSE(found.overflows[0].port);
    CHECK(found.overflows[1].port->server == ServerId{0});
    CHECK(found.overflows[2].port->server == ServerId{1});
    CHECK(worst(found) == &found.overflows[0]);  // ties, 1 GB too much each: the first
    CHECK(found.fitting_window == Bytes{5 * kGB / 3});
    CHECK(overflow_text(c.fabric, found) ==
          "x: queues to 4 receivers may overflow; at most 12.0 GB at a/r1/RTSW-1, which holds 11.0 "
          "GB");
  }
}

TEST_CASE("the fitting window is the largest, whatever the ports and messages", "[queues]") {
  SECTION("one port of two senders beside one of five") {
    Case c("a: r1[s0 s1] r2[s2] r3[s3] r4[s4] r5[s5] r6[s6]",
           spec_of({.leaf = Bytes{44 * kGB}}, 1, 1));
    for (const std::size_t sender : {2u, 3u}) c.add(Pattern::Direct, {sender, 0}, 10 * kGB);
    for (const std::size_t sender : {2u, 3u, 4u, 5u, 6u})
      c.add(Pattern::Direct, {sender, 1}, 10 * kGB);
    // The first port never holds more than 10 GB, which leaves 34 GB to five.
    CHECK(c.overflows().fitting_window == Bytes{34 * kGB / 5});
  }
  SECTION("small messages let a larger one have more") {
    Case c("a: r1[s0] r2[s1] r3[s2] r4[s3]", spec_of({.port = Bytes{7 * kGB}}));
    for (const std::size_t sender : {1u, 2u}) c.add(Pattern::Direct, {sender, 0}, 10 * kGB);
    c.add(Pattern::Direct, {3, 0}, kGB);
    CHECK(c.overflows().fitting_window == Bytes{3 * kGB});
  }
}

TEST_CASE("a single sender leaves nothing to queue", "[queues]") {
  Case c(kFour, spec_of({.leaf = Bytes{1}, .port = Bytes{1}}));
  SECTION("ring") { c.add(Pattern::Ring, {0, 1, 2, 3}, 4 * kGB); }
  SECTION("pairwise") { c.add(Pattern::AllToAll, {0, 1, 2, 3}, 4 * kGB).stepwise = true; }
  SECTION("pair") { c.add(Pattern::Direct, {0, 3}, 4 * kGB); }
  CHECK(c.overflows().overflows.empty());
}

TEST_CASE("what stays on NVLink comes to no port", "[queues]") {
  Case c("a: r1[s0@0 s1@0] b: r1[s2@1 s3@1]", spec_of({.port = Bytes{3 * kGB - 1}}));
  c.add(Pattern::AllToAll, {0, 1, 2, 3}, 3 * kGB);
  CHECK(c.overflows().overflows.front().queued == Bytes{3 * kGB});  // two senders, not three
}

TEST_CASE("a stage in the middle of a pipeline queues what one side sends", "[queues]") {
  Case c("a: r1[s0] b: r1[s1] c: r1[s2]", spec_of({.port = Bytes{kGB}}));
  c.add(Pattern::Pipeline, {0, 1, 2}, 8 * kGB);
  c.phase().groups.back().messages = 4;
  const PhaseOverflows found = c.overflows();
  REQUIRE(found.overflows.size() == 1);
  CHECK(found.overflows.front().receivers == ranks({1}));
  CHECK(found.overflows.front().queued == Bytes{2 * kGB});
  CHECK(found.fitting_window == Bytes{kGB / 2});
}

TEST_CASE("of unequal messages the largest is what the port sends meanwhile", "[queues]") {
  Case c("a: r1[s0] b: r1[s1] c: r1[s2]", spec_of({.port = Bytes{3 * kGB}}));
  c.add(Pattern::AllToAll, {0, 1, 2}, 4 * kGB).first_share = 0;
  c.traffic.shares = {{kGB}, {4 * kGB}, {5 * kGB}};
  // To the first 4 and 5 GB, to the others 1 and 5, 1 and 4.
  const PhaseOverflows found = c.overflows();
  REQUIRE(found.overflows.size() == 1);
  CHECK(found.overflows.front().receivers == ranks({0}));
  CHECK(found.overflows.front().queued == Bytes{4 * kGB});
  CHECK(found.fitting_window == Bytes{3 * kGB / 2});
}

TEST_CASE("ranks that share a NIC share its port", "[queues]") {
  Case c(kFour, spec_of({.port = Bytes{kGB}}, 1), 2);
  c.add(Pattern::Direct, {2, 0}, 5 * kGB);
  c.add(Pattern::Direct, {4, 1}, 2 * kGB);
  const PhaseOverflows found = c.overflows();
  REQUIRE(found.overflows.size() == 1);
  CHECK(found.overflows.front().receivers == ranks({0, 1}));
  CHECK(found.overflows.front().queued == Bytes{2 * kGB});
}

TEST_CASE("channels of two rings meet at the NICs that both use", "[queues]") {
  Case c("a: r1[s0] b: r1[s1]", spec_of({.port = Bytes{kGB}}), 4);
  c.add(Pattern::Ring, {0, 1, 4, 5}, 4 * kGB);  // two channels, over both NICs
  c.add(Pattern::Ring, {2, 3, 6, 7}, 4 * kGB);
  const PhaseOverflows found = c.overflows();
  REQUIRE(found.overflows.size() == 4);  // two servers of two NICs
  for (const QueueOverflow& overflow : found.overflows) CHECK(overflow.queued == Bytes{2 * kGB});
  CHECK(found.fitting_window == Bytes{kGB / 2});
}

TEST_CASE("where a window would have to be less than a byte none fits", "[queues]") {
  Case c(kFour, spec_of({.port = Bytes{2}}));
  c.add(Pattern::AllToAll, {0, 1, 2, 3}, 3 * kGB);
  CHECK(c.overflows().fitting_window == Bytes{0});
}

namespace {

/// A sender of an incast, a packet of one byte at a time.
struct Sender {
  std::int64_t left = 0;   ///< to send
  std::int64_t start = 0;  ///< not before
  std::int64_t under_way = 0;
};

/// The longest queue of one port to which all send, a packet in a tick each; the port sends one.
/// Which one is drawn, so no order of service is favoured; the window moves on in the same tick.
std::int64_t longest_queue(std::vector<Sender> senders, std::optional<Bytes> window,
                           Random& random) {
  std::vector<std::size_t> queue;  // whose packets
  std::int64_t longest = 0;
  bool busy = true;
  for (std::int64_t tick = 0; busy; ++tick) {
    busy = !queue.empty();
    for (std::size_t i = 0; i < senders.size(); ++i) {
      Sender& sender = senders[i];
      busy = busy || sender.left > 0;
      if (tick < sender.start || sender.left == 0) continue;
      if (window && sender.under_way >= window->count) continue;
      --sender.left;
      ++sender.under_way;
      queue.push_back(i);
    }
    if (!queue.empty()) {
      std::swap(queue[random.below(queue.size())], queue.back());
      --senders[queue.back()].under_way;
      queue.pop_back();
    }
    longest = std::max(longest, static_cast<std::int64_t>(queue.size()));
  }
  return longest;
}

std::unique_ptr<Case> incast_onto_first(const std::vector<Sender>& senders, Bytes port_memory) {
  std::string drawing = "a:";
  for (std::size_t i = 0; i <= senders.size(); ++i)
    drawing += " r" + std::to_string(i) + "[s" + std::to_string(i) + "]";
  auto c = std::make_unique<Case>(drawing, spec_of({.port = port_memory}));
  for (std::size_t i = 0; i < senders.size(); ++i)
    c->add(Pattern::Direct, {i + 1, 0}, senders[i].left);
  return c;
}

}  // namespace

TEST_CASE("no queue of packets outgrows what was called fitting", "[queues][property]") {
  CHECK(rc::check([] {
    Random random(*rc::gen::arbitrary<std::uint64_t>());
    std::vector<Sender> senders(1 + random.below(6));
    for (Sender& sender : senders) {
      sender.left = 1 + static_cast<std::int64_t>(random.below(40));
      sender.start = static_cast<std::int64_t>(random.below(2) * random.below(30));
    }
    std::optional<Bytes> window;
    if (random.below(2) == 0) window = Bytes{1 + static_cast<std::int64_t>(random.below(20))};
    const std::int64_t longest = longest_queue(senders, window, random);
    if (longest < 2) return;
    const auto c = incast_onto_first(senders, Bytes{longest - 1});
    const PhaseOverflows found = c->overflows(window);
    RC_ASSERT(found.overflows.size() == 1u);
    RC_ASSERT(found.overflows.front().queued.count >= longest);
    RC_ASSERT(c->overflows(Bytes{found.fitting_window.count + 1}).overflows.size() == 1u);
    if (found.fitting_window.count == 0) return;
    RC_ASSERT(c->overflows(found.fitting_window).overflows.empty());
    RC_ASSERT(longest_queue(senders, found.fitting_window, random) < longest);
  }));
}

TEST_CASE("an incast that starts at once makes the longest queue there can be", "[queues]") {
  Random random(1);
  for (const std::int64_t message : {2, 10, 31}) {
    const std::vector<Sender> senders(5, Sender{message});
    const std::int64_t longest = longest_queue(senders, std::nullopt, random);
    CHECK(longest == 4 * message);
    const auto c = incast_onto_first(senders, Bytes{1});
    CHECK(c->overflows().overflows.front().queued == Bytes{longest});
  }
}
