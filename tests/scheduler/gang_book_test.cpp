// What is kept for gangs, and until when.
#include <limits>
#include <map>
#include <random>

#include "gang_yard.hpp"
#include "support/catch.hpp"

using namespace zonecut;

TEST_CASE("what is in no gang keeps off what is reserved, whatever it asks for",
          "[scheduler][gang]") {
  CHECK(spares_reserved(8, 4, 0, 8));  // others say that there is no room
  CHECK(spares_reserved(8, 2, 4, 2));
  CHECK_FALSE(spares_reserved(8, 2, 4, 3));
  constexpr int kAbsurd = std::numeric_limits<int>::max();
  CHECK_FALSE(spares_reserved(8, kAbsurd, 4, kAbsurd));
}

TEST_CASE("a reservation ends when nobody renews it, or when nothing comes of it",
          "[scheduler][gang]") {
  BookOptions options;
  options.reserve = 100;
  options.patience = 1000;
  Yard yard(kThreeZones, options);
  GangState state = yard.ring("g", 4);
  yard.book.set(state, 0);
  REQUIRE(yard.book.plan("g", yard.at(0)) != nullptr);
  SECTION("its pods are there") {
    for (std::int64_t now = 50; now < 1000; now += 50) CHECK(yard.book.expire(now).empty());
    CHECK(yard.book.expire(1000) == std::vector<std::string>{"g"});
    CHECK(yard.book.plan("g", yard.at(1001)) == nullptr);
    yard.book.room_was_gained();
    CHECK(yard.book.plan("g", yard.at(2001)) != nullptr);
  }
  SECTION("nobody is there") {
    state.pending = 0;
    yard.book.set(state, 50);
    CHECK(yard.book.expire(99).empty());
    CHECK(yard.book.expire(100) == std::vector<std::string>{"g"});
    CHECK(yard.book.counts().reserved_gpus == 0);
    CHECK(yard.book.plan("g", yard.at(101)) != nullptr);
  }
  SECTION("all run") {
    for (std::size_t member = 0; member < 4; ++member) yard.start(state, member, 50);
    CHECK(yard.book.expire(100'000).empty());
  }
}

TEST_CASE("reservations follow their servers by name when the cluster changes",
          "[scheduler][gang]") {
  Yard yard;
  yard.book.set(yard.ring("g", 2), 0);
  const ServerId planned = yard.book.plan("g", yard.at())->servers[0];
  const std::string name = yard.sketched.cluster->server(planned).name;
  Yard more(R"(
  x: r0[t1 t2 t3]
  a: r1[s1 s2] r2[s3 s4]
  b: r3[s5 s6] r4[s7 s8]
  c: r5[s9 s10] r6[s11 s12]
)");
  yard.book.move_to(*yard.sketched.cluster, *more.sketched.cluster);
  CHECK(yard.book.reservation("g")->servers[0] == more.server(name));
  Yard less("x: r0[t1 t2 t3]");
  yard.book.move_to(*more.sketched.cluster, *less.sketched.cluster);
  CHECK(yard.book.reservation("g") == nullptr);
}

TEST_CASE("whatever happens, no GPU is given twice and what runs stays", "[scheduler][gang]") {
  std::mt19937 chance(7);
  const auto below = [&](std::size_t n) { return chance() % n; };
  for (int round = 0; round < 20; ++round) {
    Yard yard;
    std::map<std::string, GangState> gangs;
    std::int64_t now = 0;
    for (int step = 0; step < 60; ++step, now += 7'000) {
      const std::string name = "g" + std::to_string(below(6));
      const auto found = gangs.find(name);
      if (found == gangs.end()) {
        gangs[name] = yard.ring(name, 1 + below(7), below(2) == 0 ? 8 : 4);
        gangs[name].since = now;
        yard.book.set(gangs[name], now);
      } else if (below(5) == 0) {
        const GangState& state = found->second;
        for (const auto& server : state.gang.standing) {
          if (server) yard.used[*server] -= state.gang.gpus();
        }
        gangs.erase(found);
        yard.book.forget(name);
      } else {
        GangState& state = found->second;
        const std::size_t member = below(state.gang.members());
        if (state.gang.standing[member]) continue;
        const auto server = yard.book.server_for(name, {member, {}, true}, yard.at(now));
        if (server) yard.start(state, member, now);
      }
      yard.book.retry(yard.at(now));
      (void)yard.book.expire(now);
      REQUIRE_FALSE(yard.overbooked());
      for (const auto& [gang, state] : gangs) {
        const Reservation* plan = yard.book.reservation(gang);
        for (std::size_t v = 0; plan != nullptr && v < state.gang.members(); ++v) {
          if (state.gang.standing[v]) REQUIRE(plan->servers[v] == *state.gang.standing[v]);
        }
      }
    }
  }
}

TEST_CASE("a plan that does not hold and that no member waits for is given up",
          "[scheduler][gang]") {
  Yard yard;
  GangState state = yard.ring("g", 3);
  yard.book.set(state, 0);
  const std::vector<ServerId> planned = yard.book.plan("g", yard.at())->servers;
  yard.start(state, 0);
  state.pending = 0;
  yard.book.set(state, 1);
  yard.used[planned[2]] = 8;
  yard.book.retry(yard.at(2));
  CHECK_FALSE(yard.overbooked());
  CHECK(yard.book.counts().reserved_gpus == 0);
}

TEST_CASE(
    "a gang whose other members do not come holds its servers no longer than one nobody asks for",
    "[scheduler][gang]") {
  BookOptions options;
  options.reserve = 100;
  options.patience = 10'000;
  Yard yard(kThreeZones, options);
  GangState whole = yard.ring("whole", 12);
  whole.pending = 1;
  whole.absent = last_absent(12, 11);
  yard.book.set(whole, 0);
  REQUIRE(yard.book.plan("whole", yard.at()) != nullptr);
  GangState other = yard.ring("other", 4);
  yard.book.set(other, 0);
  CHECK(yard.book.plan("other", yard.at()) == nullptr);

  SECTION("it is given up, and others are planned") {
    yard.book.set(whole, 60);
    CHECK(yard.book.expire(99).empty());
    CHECK(yard.book.expire(100) == std::vector<std::string>{"whole"});
    yard.book.retry(yard.at(100));
    CHECK(yard.book.reservation("other") != nullptr);
    CHECK(yard.book.reservation("whole") == nullptr);
    CHECK(yard.book.why_waiting("whole") ==
          "servers are no longer kept for it, since its other members do not come");
  }
  SECTION("it is not planned again before a further member is there") {
    CHECK(yard.book.expire(100) == std::vector<std::string>{"whole"});
    yard.book.forget("other");
    yard.book.retry(yard.at(100));
    CHECK(yard.book.plan("whole", yard.at(5'000)) == nullptr);
    CHECK_FALSE(yard.book.server_for("whole", {0, {}, true}, yard.at(5'000)));
    whole.pending = 2;
    whole.absent = last_absent(12, 10);
    yard.book.set(whole, 6'000);
    yard.book.retry(yard.at(6'000));
    CHECK(yard.book.reservation("whole") != nullptr);
    CHECK(yard.book.take_replanned() == std::vector<std::string>{"whole"});
  }
  SECTION("each member that comes gives the others as much time again") {
    for (std::int64_t now = 90; now <= 900; now += 90) {
      whole.absent[whole.pending] = false;
      ++whole.pending;
      yard.book.set(whole, now);
      CHECK(yard.book.expire(now + 89).empty());
    }
    whole.absent.clear();
    whole.pending = 12;
    yard.book.set(whole, 950);
    CHECK(yard.book.expire(9'999).empty());  // complete: patience is what counts
    CHECK(yard.book.expire(10'000) == std::vector<std::string>{"whole"});
  }
}
