#include <rapidcheck.h>

#include <map>
#include <numeric>
#include <set>

#include "partition/traffic/traffic_sums.hpp"
#include "support/catch.hpp"

using namespace zonecut;

namespace {

/// One group of ranks 0 to n-1, or of `members`.
Traffic one_group(Pattern pattern, std::vector<RankId> members, std::size_t ranks_per_server,
                  Bytes bytes, Bytes wrap = {}) {
  Traffic traffic;
  for (const RankId member : members) traffic.ranks = std::max(traffic.ranks, member.index() + 1);
  traffic.ranks_per_server = ranks_per_server;
  Group group;
  group.pattern = pattern;
  group.size = static_cast<std::uint32_t>(members.size());
  group.bytes = bytes;
  group.wrap_bytes = wrap;
  traffic.members = std::move(members);
  traffic.phases.push_back({.name = "x", .groups = {group}});
  return traffic;
}

std::vector<RankId> first_ranks(std::size_t n) {
  std::vector<RankId> ranks;
  for (std::size_t i = 0; i < n; ++i) ranks.emplace_back(i);
  return ranks;
}

bool connected(std::size_t n,
               const std::map<std::pair<std::size_t, std::size_t>, std::int64_t>& m) {
  std::vector<std::size_t> part(n);
  std::iota(part.begin(), part.end(), std::size_t{0});
  const auto root = [&](std::size_t v) {
    while (part[v] != v) v = part[v];
    return v;
  };
  for (const auto& [pair, bytes] : m) part[root(pair.first)] = root(pair.second);
  for (std::size_t v = 1; v < n; ++v) {
    if (root(v) != root(0)) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("a ring of two is two flows, of one is none", "[partition]") {
  const Traffic two = one_group(Pattern::Ring, first_ranks(2), 1, Bytes{5});
  const auto flows = flows_of(two, two.phases[0].groups[0]);
  REQUIRE(flows.size() == 2);
  CHECK(flows[0].from == RankId{0});
  CHECK(flows[1].from == RankId{1});
  const Traffic one = one_group(Pattern::Ring, first_ranks(1), 1, Bytes{5});
  CHECK(flows_of(one, one.phases[0].groups[0]).empty());
}

TEST_CASE("the double binary tree of eight servers is NCCL's", "[partition]") {
  // trees.cc: 0-4, 4-2, 4-6, 2-1, 2-3, 6-5, 6-7, and the mirror image, r -> 7 - r.
  const Traffic t = one_group(Pattern::Tree, first_ranks(8), 1, Bytes{1});
  std::map<std::pair<std::size_t, std::size_t>, std::int64_t> expected;
  for (const auto& [a, b] : std::vector<std::pair<std::size_t, std::size_t>>{
           {0, 4}, {4, 2}, {4, 6}, {2, 1}, {2, 3}, {6, 5}, {6, 7}}) {
    for (const auto& [x, y] : {std::pair{a, b}, std::pair{7 - a, 7 - b}}) {
      expected[{x, y}] += 1;
      expected[{y, x}] += 1;
    }
  }
  CHECK(matrix_of(t, t.phases[0]) == expected);
}

TEST_CASE("the second tree of an odd number of servers is shifted by one", "[partition]") {
  // First tree of five: 0-4, 4-2, 2-1, 2-3. Second: 1-0, 0-3, 3-2, 3-4.
  const Traffic t = one_group(Pattern::Tree, first_ranks(5), 1, Bytes{1});
  std::map<std::pair<std::size_t, std::size_t>, std::int64_t> expected;
  for (const auto& [a, b] : std::vector<std::pair<std::size_t, std::size_t>>{
           {0, 4}, {4, 2}, {2, 1}, {2, 3}, {1, 0}, {0, 3}, {3, 2}, {3, 4}}) {
    expected[{a, b}] += 1;
    expected[{b, a}] += 1;
  }
  CHECK(matrix_of(t, t.phases[0]) == expected);
}

TEST_CASE("the double binary tree has n-1 edges a tree, joins all, and no server is inner in both",
          "[partition][property]") {
  CHECK(rc::check("tree shape", [] {
    const auto servers = *rc::gen::inRange<std::size_t>(2, 70);
    const auto local = *rc::gen::inRange<std::size_t>(1, 5);
    const Traffic t = one_group(Pattern::Tree, first_ranks(servers * local), local, Bytes{10});
    std::int64_t between = 0, inside = 0;
    const auto matrix = matrix_of(t, t.phases[0]);
    for (const auto& [pair, bytes] : matrix) {
      (pair.first / local == pair.second / local ? inside : between) += bytes;
    }
    RC_ASSERT(between == static_cast<std::int64_t>(10 * 2 * 2 * (servers - 1)));
    RC_ASSERT(inside == static_cast<std::int64_t>(20 * 2 * servers * (local - 1)));
    RC_ASSERT(connected(servers * local, matrix));
    for (std::size_t s = 0; s < servers && servers > 2; ++s) {
      std::int64_t degree = 0;  // in edges of both trees: a leaf and an inner vertex, at most 1 + 3
      for (const auto& [pair, bytes] : matrix) {
        if (pair.first / local == s && pair.second / local != s) degree += bytes / 10;
      }
      RC_ASSERT(degree >= 2);
      RC_ASSERT(degree <= 4);
    }
  }));
}

TEST_CASE("a pipeline exchanges both ways and wraps from last to first", "[partition]") {
  const Traffic t = one_group(Pattern::Pipeline, first_ranks(3), 1, Bytes{7}, Bytes{2});
  const std::map<std::pair<std::size_t, std::size_t>, std::int64_t> expected = {
      {{0, 1}, 7}, {{1, 0}, 7}, {{1, 2}, 7}, {{2, 1}, 7}, {{2, 0}, 2}, {{0, 2}, 2}};
  CHECK(matrix_of(t, t.phases[0]) == expected);
}

TEST_CASE("relabelling the members relabels the flows", "[partition][property]") {
  CHECK(rc::check("flows follow their members", [] {
    const auto n = *rc::gen::inRange<std::size_t>(2, 20);
    const auto pattern = *rc::gen::element(Pattern::Ring, Pattern::AllToAll, Pattern::Pipeline);
    const auto offset = *rc::gen::inRange<std::size_t>(0, 100);
    std::vector<RankId> moved;
    for (std::size_t i = 0; i < n; ++i) moved.emplace_back((i * 7 + offset) % 1009);
    const Traffic plain = one_group(pattern, first_ranks(n), 4, Bytes{3}, Bytes{1});
    const Traffic relabelled = one_group(pattern, moved, 4, Bytes{3}, Bytes{1});
    std::map<std::pair<std::size_t, std::size_t>, std::int64_t> expected;
    for (const auto& [pair, bytes] : matrix_of(plain, plain.phases[0]))
      expected[{moved[pair.first].index(), moved[pair.second].index()}] = bytes;
    RC_ASSERT(matrix_of(relabelled, relabelled.phases[0]) == expected);
  }));
}
