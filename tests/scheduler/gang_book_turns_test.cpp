// Which gang is tried when room is gained.
#include "gang_yard.hpp"
#include "support/catch.hpp"

using namespace zonecut;

TEST_CASE("room that is gained goes to the gang that is first in turn", "[scheduler][gang]") {
  Yard yard;
  for (const ServerId server : yard.eligible) yard.used[server] = 8;
  GangState old = yard.ring("old", 4);
  GangState young = yard.ring("young", 4);
  GangState urgent = yard.ring("urgent", 4);
  old.since = 100;
  young.since = 200;
  urgent.since = 300;
  urgent.priority = 5;
  for (const GangState& state : {young, old, urgent}) {
    yard.book.set(state, 0);
    CHECK(yard.book.plan(state.gang.name, yard.at()) == nullptr);
  }
  for (const char* name : {"s1", "s2", "s3", "s4"}) yard.used[yard.server(name)] = 0;
  yard.book.room_was_gained();
  SECTION("when all are tried") { yard.book.retry(yard.at(1)); }
  SECTION("when another one asks") { CHECK(yard.book.plan("young", yard.at(1)) == nullptr); }
  CHECK(yard.book.reservation("urgent") != nullptr);
  CHECK(yard.book.take_replanned() == std::vector<std::string>{"urgent"});
  for (const char* name : {"s9", "s10", "s11", "s12"}) yard.used[yard.server(name)] = 0;
  yard.book.room_was_gained();
  CHECK(yard.book.plan("young", yard.at(2)) == nullptr);
  CHECK(yard.book.take_replanned() == std::vector<std::string>{"old"});
}

TEST_CASE("a gang that lost a member comes before those that it comes first of",
          "[scheduler][gang]") {
  Yard yard;
  GangState first = yard.ring("first", 2);
  first.priority = 9;
  yard.book.set(first, 0);
  REQUIRE(yard.book.plan("first", yard.at()) != nullptr);
  GangState other = yard.ring("a", 11);
  yard.book.set(other, 0);
  CHECK(yard.book.plan("a", yard.at()) == nullptr);
  GangState last = yard.ring("last", 2);
  yard.book.set(last, 0);
  for (const ServerId server : yard.eligible) yard.used[server] = 8;
  yard.book.room_was_gained();
  CHECK(yard.book.plan("last", yard.at()) == nullptr);
  // Room for two, when both want it.
  yard.used[yard.server("s9")] = 0;
  yard.used[yard.server("s10")] = 0;
  yard.book.room_was_gained();
  SECTION("when all are tried") { yard.book.retry(yard.at(1)); }
  SECTION("when it asks") { CHECK(yard.book.plan("first", yard.at(1)) != nullptr); }
  REQUIRE(yard.book.reservation("first") != nullptr);
  CHECK(yard.book.reservation("first")->servers[0] >= yard.server("s9"));
  CHECK(yard.book.reservation("last") == nullptr);
}

TEST_CASE("a gang whose reservation came to nothing is tried again in a quiet cluster",
          "[scheduler][gang]") {
  BookOptions options;
  options.patience = 1000;
  Yard yard(kThreeZones, options);
  yard.book.set(yard.ring("g", 4), 0);
  REQUIRE(yard.book.plan("g", yard.at(0)) != nullptr);
  CHECK(yard.book.expire(1000).size() == 1);
  yard.book.retry(yard.at(1500));
  CHECK(yard.book.reservation("g") == nullptr);
  yard.book.retry(yard.at(2001));
  CHECK(yard.book.reservation("g") != nullptr);
}

TEST_CASE("a gang that was refused before the book was made is tried like one refused by it",
          "[scheduler][gang]") {
  Yard yard;
  yard.book.set(yard.ring("g", 4), 0);
  yard.book.set(yard.ring("h", 4), 0);
  yard.book.note_refusal("g");
  yard.book.retry(yard.at());
  CHECK(yard.book.reservation("g") != nullptr);
  CHECK(yard.book.take_replanned() == std::vector<std::string>{"g"});
  CHECK(yard.book.reservation("h") == nullptr);  // nobody asked for it yet
}

TEST_CASE("members that begin to run make a gang that waits worth another try",
          "[scheduler][gang]") {
  Yard yard("a: r1[s1 s2 s3 s4]");
  GangState state = yard.ring("g", 4);
  yard.book.set(state, 0);
  // Two run already, which the one that asks knows and the book does not.
  const std::vector<ServerId> offered = {yard.server("s3"), yard.server("s4")};
  REQUIRE_FALSE(yard.book.server_for("g", {2, only(offered), true}, yard.at()));
  yard.book.retry(yard.at(1));
  REQUIRE(yard.book.reservation("g") == nullptr);
  for (const std::size_t member : {0u, 1u}) {
    state.gang.standing[member] = yard.eligible[member];
    --state.pending;
    yard.used[yard.eligible[member]] = 8;
  }
  yard.book.set(state, 2);
  yard.book.retry(yard.at(2));
  REQUIRE(yard.book.reservation("g") != nullptr);
  CHECK(yard.book.take_replanned() == std::vector<std::string>{"g"});
}

TEST_CASE("of many that wait some are tried at once, in turn, and the others by and by",
          "[scheduler][gang]") {
  BookOptions options;
  options.most_retried = 4;
  Yard yard(kThreeZones, options);
  for (const ServerId server : yard.eligible) yard.used[server] = 8;
  for (int i = 0; i < 30; ++i) {
    // All want the whole cluster but the last, which wants one server.
    GangState state = yard.ring("g" + std::to_string(i), i == 29 ? 1 : 12);
    state.since = i;
    yard.book.set(state, 0);
    CHECK(yard.book.plan(state.gang.name, yard.at()) == nullptr);
  }
  const auto is_placed = [&](int gang) {
    return yard.book.reservation("g" + std::to_string(gang)) != nullptr;
  };
  const auto tried = [&] {
    const std::uint64_t before = yard.book.attempts();
    const bool some_are_left = yard.book.retry(yard.at(1));
    CHECK(yard.book.attempts() - before <= 4);
    return some_are_left;
  };
  SECTION("when room is gained once") {
    yard.book.room_was_gained();
    const std::uint64_t before = yard.book.attempts();
    int looks = 1;
    for (; tried(); ++looks) {
    }
    CHECK(looks == 8);
    CHECK(yard.book.attempts() - before == 30);
  }
  SECTION("when room is gained again and again") {
    yard.used[yard.server("s1")] = 0;
    for (int look = 0; look < 14; ++look) {
      yard.book.room_was_gained();
      CHECK(tried());
      if (look < 13) CHECK_FALSE(is_placed(29));
    }
    CHECK(is_placed(29));
  }
  SECTION("when the first in turn can be placed while others are tried") {
    yard.book.room_was_gained();
    for (int look = 0; look < 3; ++look) CHECK(tried());
    for (const ServerId server : yard.eligible) yard.used[server] = 0;
    yard.book.room_was_gained();
    CHECK(tried());
    CHECK(is_placed(0));
  }
}
