#include "zonecut/scheduler/gang_ranks.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

namespace zonecut {
namespace {

using Why = RankClash::Why;

RankClaim claim(std::string_view name, std::optional<std::size_t> said = {},
                std::optional<std::size_t> before = {}, std::optional<ServerId> server = {}) {
  return {counted_name(name), said, before, server};
}

/// "2 0 1", "-" for none, with what clashes behind it.
std::string places(const std::vector<RankClaim>& claims, std::size_t members,
                   const std::vector<ServerId>& planned = {}) {
  const Ranks ranks = ranks_of(claims, members, planned);
  std::string text;
  for (const auto& place : ranks.places)
    text += (text.empty() ? "" : " ") + (place ? std::to_string(*place) : "-");
  if (ranks.clash) {
    const char* const why = ranks.clash->why == Why::Taken    ? "taken"
                            : ranks.clash->why == Why::Beyond ? "beyond"
                                                              : "too many";
    text += std::string(" ") + why + " " + std::to_string(ranks.clash->claim);
  }
  return text;
}

}  // namespace

TEST_CASE("names are in the order that people count them", "[scheduler]") {
  std::vector<std::string> names{"w-10", "w-2", "w", "v-30", "w-02", "w-x"};
  std::sort(names.begin(), names.end(),
            [](const auto& a, const auto& b) { return counted_name(a) < counted_name(b); });
  CHECK(names == std::vector<std::string>{"v-30", "w", "w-02", "w-2", "w-10", "w-x"});
  CHECK(counted_name("w-10").number == 10);
  CHECK_FALSE(counted_name("w-").number.has_value());
  CHECK_FALSE(counted_name("w-99999999999999999999").number.has_value());
  CHECK(counted_name("7").stem.empty());
}

TEST_CASE("a place that is said is kept, whatever else speaks for another", "[scheduler]") {
  CHECK(places({claim("a-0", 2, 0), claim("a-1", 0, 1), claim("a-2", 1, 2)}, 3) == "2 0 1");
  CHECK(places({claim("a-0"), claim("a-1", 0)}, 2) == "1 0");
}

TEST_CASE(
    "parts without a place get, in turn, the one they had, the planned one, that of their name, "
    "the lowest",
    "[scheduler]") {
  const std::vector<ServerId> planned{ServerId{5u}, ServerId{6u}, ServerId{6u}, ServerId{8u}};
  SECTION("the one they had goes before the plan") {
    CHECK(places({claim("x", {}, 3, ServerId{5u}), claim("y", {}, {}, ServerId{5u})}, 4, planned) ==
          "3 0");
  }
  SECTION("the plan goes before the name, and two on one server have two places") {
    CHECK(places({claim("x-0", {}, {}, ServerId{6u}), claim("x-1", {}, {}, ServerId{6u}),
                  claim("x-2")},
                 4, planned) == "1 2 0");
  }
  SECTION("a plan of another size says nothing") {
    CHECK(places({claim("x-1", {}, {}, ServerId{5u}), claim("x-0")}, 2, planned) == "1 0");
  }
  SECTION("the name goes before the lowest") {
    CHECK(places({claim("x"), claim("y-0"), claim("z-2"), claim("w")}, 4) == "1 0 2 3");
  }
  SECTION("a number that is too high, or taken, says nothing") {
    CHECK(places({claim("x-7"), claim("y-1"), claim("z-1")}, 3) == "0 1 2");
  }
}

TEST_CASE("clashes name who is wrong, and leave the places given before", "[scheduler]") {
  CHECK(places({claim("a", 1), claim("b", 1), claim("c", 0)}, 3) == "1 - - taken 1");
  CHECK(places({claim("a", 0), claim("b", 2)}, 2) == "0 - beyond 1");
  CHECK(places({claim("a"), claim("b"), claim("c")}, 2) == "0 1 - too many 3");
}

}  // namespace zonecut
