#include "zonecut/scheduler/gang_pacing.hpp"

#include <catch2/catch.hpp>
#include <string>

namespace zonecut {
namespace {

using Names = std::set<std::string>;

Notice waiting(const std::string& text, bool warning = false) {
  return {"GangWaiting", text, warning, true};
}

Notice planned(const std::string& text) { return {"GangPlanned", text, false, false}; }

}  // namespace

TEST_CASE("a notice is said once, to each member", "[scheduler]") {
  Notices notices;
  CHECK(notices.is_due("a", planned("on n1"), 0));
  CHECK_FALSE(notices.is_due("a", planned("on n1"), 1'000'000));
  CHECK(notices.is_due("b", planned("on n1"), 0));
  CHECK(notices.is_due("a", planned("on n2"), 1));
  notices.forget("a");
  CHECK(notices.is_due("a", planned("on n2"), 2));
  notices.forget_if([](const std::string& member) { return member == "b"; });
  CHECK(notices.is_due("b", planned("on n1"), 3));
}

TEST_CASE("what changes all the time is said twice a minute at most", "[scheduler]") {
  Notices notices;
  CHECK(notices.is_due("a", waiting("needs 7"), 0));
  CHECK_FALSE(notices.is_due("a", waiting("needs 6"), Notices::kAgain - 1));
  CHECK(notices.is_due("a", waiting("needs 6"), Notices::kAgain));
  SECTION("unless it becomes a warning") {
    CHECK(notices.is_due("a", waiting("has no size", true), Notices::kAgain + 1));
    CHECK(notices.is_due("a", waiting("needs 5"), Notices::kAgain + 2));
  }
  SECTION("unless it is about another thing") {
    CHECK(notices.is_due("a", planned("on n1"), Notices::kAgain + 1));
    CHECK(notices.is_due("a", waiting("needs 8"), Notices::kAgain + 2));
  }
}

TEST_CASE("a refused member is woken once for every time it was refused", "[scheduler]") {
  Sleepers sleepers;
  CHECK_FALSE(sleepers.wake("a"));
  sleepers.refuse("a");
  sleepers.refuse("a");
  CHECK(sleepers.wake("a"));
  CHECK_FALSE(sleepers.wake("a"));
  sleepers.refuse("a");
  sleepers.accept("a");
  CHECK_FALSE(sleepers.wake("a"));
  sleepers.refuse("a");
  sleepers.forget("a");
  CHECK_FALSE(sleepers.wake("a"));
}

TEST_CASE("those kept off are woken when reservations were given up, and not too often",
          "[scheduler]") {
  Sleepers sleepers;
  const std::int64_t begin = Sleepers::kAgain;
  sleepers.keep_off("a");
  sleepers.keep_off("b");
  CHECK(sleepers.wake_kept_off(0, begin).empty());
  CHECK(sleepers.wake_kept_off(1, begin) == Names{"a", "b"});
  sleepers.keep_off("a");
  CHECK(sleepers.wake_kept_off(1, begin + Sleepers::kAgain).empty());
  CHECK(sleepers.wake_kept_off(2, begin + Sleepers::kAgain - 1).empty());
  sleepers.keep_off("c");
  sleepers.forget_if([](const std::string& member) { return member == "c"; });
  CHECK(sleepers.wake_kept_off(2, begin + Sleepers::kAgain) == Names{"a"});
  sleepers.keep_off("a");
  sleepers.expect_release();
  CHECK(sleepers.wake_kept_off(2, begin + 2 * Sleepers::kAgain) == Names{"a"});
  sleepers.keep_off("a");
  CHECK(sleepers.wake_kept_off(2, begin + 3 * Sleepers::kAgain).empty());
  sleepers.accept("a");  // of a gang: another matter
  sleepers.keep_off("a");
  CHECK_FALSE(sleepers.wake("a"));
}

TEST_CASE("gates are opened for whole gangs that nobody else holds back", "[scheduler]") {
  CHECK(Gates::may_open(0, false));
  CHECK_FALSE(Gates::may_open(1, false));
  CHECK_FALSE(Gates::may_open(0, true));
}

TEST_CASE("a gate is opened again only after some time", "[scheduler]") {
  Gates gates;
  CHECK(gates.is_due("a", 0));
  gates.open("a", 0);
  CHECK_FALSE(gates.is_due("a", Gates::kAgain - 1));
  CHECK(gates.is_due("a", Gates::kAgain));
  CHECK(gates.is_due("b", 0));
  gates.forget("a");
  CHECK(gates.is_due("a", 1));
}

}  // namespace zonecut
