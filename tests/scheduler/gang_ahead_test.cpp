// For how many members that are not there yet servers are kept.
#include <map>
#include <numeric>

#include "gang_yard.hpp"
#include "support/catch.hpp"

using namespace zonecut;

namespace {

/// Of three zones of four servers.
struct Limited : Yard {
  explicit Limited(std::optional<std::size_t> ahead)
      : Yard(kThreeZones, [&] {
          BookOptions options;
          options.reserve = 100;
          options.ahead = ahead;
          return options;
        }()) {}

  /// Older gangs first, as they are told of.
  GangState tell(const std::string& name, const std::string& owner, std::size_t members,
                 std::size_t there, std::int64_t now = 0) {
    GangState state = ring(name, members);
    state.owner = owner;
    state.pending = there;
    state.absent = last_absent(members, members - there);
    state.since = since_.try_emplace(name, static_cast<std::int64_t>(since_.size())).first->second;
    book.set(state, now);
    return state;
  }
  [[nodiscard]] bool plans(const std::string& name, std::int64_t now = 0) {
    return book.plan(name, at(now)) != nullptr;
  }
  /// Members that servers are kept for from everybody.
  [[nodiscard]] int kept() const {
    const UsedGpus gpus = book.kept(used.size());
    return std::accumulate(gpus.begin(), gpus.end(), 0) / 8;
  }
  [[nodiscard]] int reserved() const {
    const UsedGpus gpus = book.reserved(used.size());
    return std::accumulate(gpus.begin(), gpus.end(), 0) / 8;
  }

 private:
  std::map<std::string, std::int64_t> since_;
};

}  // namespace

TEST_CASE("a gang is planned whole, and servers are kept for so many that are not there",
          "[scheduler][gang]") {
  Limited yard(3);
  yard.tell("large", "team", 12, 1);
  CHECK(yard.plans("large"));
  CHECK(yard.reserved() == 12);
  CHECK(yard.kept() == 1 + 3);
  yard.tell("large", "team", 12, 5);
  CHECK(yard.kept() == 5 + 3);
}

TEST_CASE("one that comes member by member is kept as many more as run", "[scheduler][gang]") {
  Limited yard(3);
  GangState large = yard.tell("large", "team", 12, 1);
  const Reservation* const plan = yard.book.plan("large", yard.at());
  REQUIRE(plan != nullptr);
  const std::vector<ServerId> servers = plan->servers;
  for (std::size_t member = 0; member < 12; ++member) {
    const auto now = static_cast<std::int64_t>(member);
    CHECK(yard.book.server_for("large", {member, {}, true}, yard.at(now)) == servers[member]);
    yard.start(large, member, now);
    const int absent = 11 - static_cast<int>(member);
    CHECK(yard.kept() == std::min(absent, 3 + static_cast<int>(member) + 1));
    if (absent == 0) break;
    large.pending = 1;
    large.absent[member + 1] = false;
    yard.book.set(large, now);
  }
  CHECK(yard.book.attempts() == 1);
}

TEST_CASE("what is not kept goes to others that find no room elsewhere", "[scheduler][gang]") {
  Limited yard(3);
  GangState large = yard.tell("large", "team", 11, 1);
  REQUIRE(yard.plans("large"));
  yard.start(large, 0);
  large.pending = 0;
  yard.book.set(large, 1);
  REQUIRE(yard.kept() == 4);  // 6 servers are reserved and not kept, 1 is free

  SECTION("the free one first") {
    yard.tell("single", "guests", 1, 1);
    CHECK(yard.plans("single", 1));
    CHECK(yard.book.reservation("large") != nullptr);
  }
  SECTION("all of them if need be; the rest of the gang waits then, and comes when there is room") {
    yard.tell("guests", "guests", 7, 7);
    CHECK(yard.plans("guests", 1));
    CHECK_FALSE(yard.overbooked());
    CHECK(yard.book.reservation("large") == nullptr);
    CHECK_THAT(yard.book.why_waiting("large"), Catch::Contains("there are 5"));
    large.pending = 1;
    large.absent[1] = false;
    yard.book.set(large, 2);
    CHECK_FALSE(yard.book.server_for("large", {1, {}, true}, yard.at(2)));
    yard.book.forget("guests");
    CHECK(yard.book.server_for("large", {1, {}, true}, yard.at(3)));
    CHECK(yard.book.reservation("large")->servers[0] == *large.gang.standing[0]);
  }
  SECTION("but no more") {
    yard.tell("guests", "guests", 8, 8);
    CHECK_FALSE(yard.plans("guests", 1));
    CHECK(yard.book.reservation("large") != nullptr);
  }
  SECTION("and neither to its owner's own, nor to those that are not kept whole themselves") {
    yard.tell("own", "team", 7, 7);
    CHECK_FALSE(yard.plans("own", 1));
    yard.tell("greedy", "guests", 7, 1);
    CHECK_FALSE(yard.plans("greedy", 1));
    CHECK(yard.book.reservation("large") != nullptr);
    SECTION("until more of these are there") {
      yard.tell("greedy", "guests", 7, 4);
      CHECK_FALSE(yard.book.retry(yard.at(2)));
      CHECK(yard.book.take_replanned() == std::vector<std::string>{"greedy"});
      CHECK_FALSE(yard.overbooked());
    }
  }
}

TEST_CASE(
    "gangs of one owner share what is kept ahead, the older ones first, and others have theirs",
    "[scheduler][gang]") {
  Limited yard(3);
  yard.tell("first", "team", 3, 1);
  REQUIRE(yard.plans("first"));
  yard.tell("second", "team", 3, 1);
  REQUIRE(yard.plans("second"));
  CHECK(yard.kept() == 3 + 2);
  yard.tell("other", "guests", 3, 1);
  REQUIRE(yard.plans("other"));
  CHECK(yard.kept() == 3 + 2 + 3);
  yard.tell("first", "team", 3, 2);
  CHECK(yard.kept() == 3 + 3 + 3);
}

TEST_CASE("a gang that loses a server which was not kept is planned anew where there is room",
          "[scheduler][gang]") {
  Limited yard(3);
  GangState large = yard.tell("large", "team", 6, 1);
  REQUIRE(yard.plans("large"));
  yard.start(large, 0);
  REQUIRE(yard.kept() == 4);
  const ServerId last = yard.book.reservation("large")->servers[5];
  GangState guest = yard.tell("guest", "guests", 1, 1);
  guest.gang.eligible = std::vector<ServerId>{last};
  yard.book.set(guest, 1);
  REQUIRE(yard.plans("guest", 1));
  CHECK_FALSE(yard.overbooked());
  CHECK(yard.book.take_replanned() == std::vector<std::string>{"large"});
  CHECK(yard.book.reservation("large")->servers[0] == *large.gang.standing[0]);
  const ServerId kept = yard.book.reservation("large")->servers[1];
  GangState other = yard.tell("other", "guests", 1, 1);
  other.gang.eligible = std::vector<ServerId>{kept};
  yard.book.set(other, 2);
  CHECK_FALSE(yard.plans("other", 2));
}

TEST_CASE("with none ahead a gang waits for all of its members, and keeps its plan when some go",
          "[scheduler][gang]") {
  Limited yard(0);
  yard.tell("g", "team", 4, 3);
  CHECK_FALSE(yard.plans("g"));
  CHECK(yard.book.why_waiting("g") ==
        "no servers are kept for members that are not there: all of them have to be first");
  CHECK(yard.book.attempts() == 0);
  yard.tell("small", "guests", 4, 4);
  CHECK(yard.plans("small"));
  for (std::int64_t now = 1; now < 50; ++now) {
    CHECK_FALSE(yard.book.retry(yard.at(now)));
    yard.book.room_was_gained();
  }
  CHECK(yard.book.attempts() == 1);
  yard.tell("g", "team", 4, 4, 50);
  CHECK_FALSE(yard.book.retry(yard.at(50)));
  CHECK(yard.book.take_replanned() == std::vector<std::string>{"g"});
  yard.tell("g", "team", 4, 1, 51);
  CHECK(yard.plans("g", 51));
}

TEST_CASE("unless it is said, servers are kept for half of a large cluster's",
          "[scheduler][gang]") {
  CHECK(default_ahead(8) == 64);
  CHECK(default_ahead(5000) == 2500);
  Limited yard(std::nullopt);
  yard.tell("g", "team", 12, 1);
  CHECK(yard.plans("g"));
  CHECK(yard.kept() == 12);
}

TEST_CASE("a member that is lost comes back to its server once that is left", "[scheduler][gang]") {
  Limited yard(3);
  GangState state = yard.tell("g", "team", 4, 4);
  REQUIRE(yard.plans("g"));
  for (std::size_t member = 0; member < 4; ++member) yard.start(state, member);
  const ServerId left = *state.gang.standing[2];
  state.gang.standing[2].reset();
  state.absent = {false, false, true, false};
  yard.book.set(state, 1);  // and has yet to end there
  yard.book.retry(yard.at(2));
  CHECK(yard.book.reservation("g") == nullptr);
  state.absent.clear();
  state.pending = 1;
  yard.used[left] = 0;
  yard.book.set(state, 3);
  CHECK(yard.book.server_for("g", {2, {}, true}, yard.at(4)) == left);
}

TEST_CASE("while a member that runs is not ready the next is waited for with patience",
          "[scheduler][gang]") {
  BookOptions options;
  options.reserve = 100;
  options.patience = 1'000;
  Yard yard(kThreeZones, options);
  GangState state = yard.ring("g", 4);
  state.pending = 1;
  state.absent = last_absent(4, 3);
  yard.book.set(state, 0);
  REQUIRE(yard.book.plan("g", yard.at()) != nullptr);
  state.unready = 1;
  yard.start(state, 0, 10);
  for (std::int64_t now = 50; now < 600; now += 50) CHECK(yard.book.expire(now).empty());
  SECTION("not for ever") {
    for (std::int64_t now = 600; now < 1'010; now += 50) CHECK(yard.book.expire(now).empty());
    CHECK(yard.book.expire(1'010) == std::vector<std::string>{"g"});
  }
  SECTION("from when it is ready it has the usual time to come") {
    state.unready = 0;
    yard.book.set(state, 600);
    CHECK(yard.book.expire(699).empty());
    SECTION("and does") {
      state.pending = 1;
      state.absent[1] = false;
      yard.book.set(state, 699);
      CHECK(yard.book.expire(750).empty());
      CHECK(yard.book.server_for("g", {1, {}, true}, yard.at(750)));
    }
    SECTION("and does not") { CHECK(yard.book.expire(700) == std::vector<std::string>{"g"}); }
  }
}
