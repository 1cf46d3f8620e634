// For how many members that are not there yet servers are kept.
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

  GangState tell(const std::string& name, const std::string& owner, std::size_t members,
                 std::size_t there, std::int64_t now = 0) {
    GangState state = ring(name, members);
    state.owner = owner;
    state.pending = there;
    state.absent = members - there;
    book.set(state, now);
    return state;
  }
};

constexpr const char* kWhy =
    "more of its members have to be there first: servers are kept for at most 3 members that are "
    "not, of all gangs of team";

}  // namespace

TEST_CASE("a gang most of whose members are not there waits until more of them are",
          "[scheduler][gang]") {
  Limited yard(3);
  yard.tell("large", "team", 12, 1);
  CHECK(yard.book.server_for("large", {0, {}, true}, yard.at()) == std::nullopt);
  CHECK(yard.book.why_waiting("large") == kWhy);
  CHECK(yard.book.attempts() == 0);
  yard.tell("large", "team", 12, 8);
  CHECK_FALSE(yard.book.retry(yard.at(1)));
  CHECK(yard.book.take_replanned().empty());
  yard.tell("large", "team", 12, 9);
  CHECK_FALSE(yard.book.retry(yard.at(2)));
  CHECK(yard.book.take_replanned() == std::vector<std::string>{"large"});
}

TEST_CASE("gangs of one owner share what is planned ahead, and others have their own",
          "[scheduler][gang]") {
  Limited yard(3);
  yard.tell("first", "team", 3, 1);
  REQUIRE(yard.book.plan("first", yard.at()) != nullptr);
  yard.tell("second", "team", 3, 1);
  CHECK(yard.book.plan("second", yard.at()) == nullptr);
  CHECK(yard.book.why_waiting("second") == kWhy);
  yard.tell("other", "guests", 3, 1);
  CHECK(yard.book.plan("other", yard.at()) != nullptr);
  yard.tell("whole", "team", 3, 3);
  CHECK(yard.book.plan("whole", yard.at()) != nullptr);
  SECTION("until the members of the first are there") {
    yard.tell("first", "team", 3, 2);
    CHECK_FALSE(yard.book.retry(yard.at(1)));
    CHECK(yard.book.reservation("second") != nullptr);
  }
  SECTION("until nothing is kept for the first any more") {
    yard.book.forget("first");
    CHECK_FALSE(yard.book.retry(yard.at(1)));
    CHECK(yard.book.reservation("second") != nullptr);
  }
}

TEST_CASE("one that waits for members of its own holds no others up", "[scheduler][gang]") {
  Limited yard(3);
  GangState large = yard.tell("large", "team", 12, 1);
  large.priority = 9;
  yard.book.set(large, 0);
  CHECK(yard.book.plan("large", yard.at()) == nullptr);
  yard.tell("small", "guests", 4, 4);
  CHECK(yard.book.plan("small", yard.at()) != nullptr);
  for (std::int64_t now = 1; now < 50; ++now) {
    CHECK_FALSE(yard.book.retry(yard.at(now)));
    yard.book.room_was_gained();
  }
  CHECK(yard.book.attempts() == 1);
}

TEST_CASE("a gang that had all of its members keeps its plan when some go", "[scheduler][gang]") {
  Limited yard(0);
  yard.tell("g", "team", 4, 3);
  CHECK(yard.book.plan("g", yard.at()) == nullptr);
  yard.tell("g", "team", 4, 4);
  REQUIRE(yard.book.plan("g", yard.at()) != nullptr);
  yard.tell("g", "team", 4, 1);
  CHECK(yard.book.plan("g", yard.at()) != nullptr);
}

TEST_CASE("unless it is said, half of a large cluster is kept for members that are not there",
          "[scheduler][gang]") {
  CHECK(default_ahead(8) == 64);
  CHECK(default_ahead(5000) == 2500);
  Limited yard(std::nullopt);
  yard.tell("g", "team", 12, 1);
  CHECK(yard.book.plan("g", yard.at()) != nullptr);
}
