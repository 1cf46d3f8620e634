#include <rapidcheck.h>

#include <algorithm>
#include <numeric>

#include "support/catch.hpp"
#include "zonecut/base/random.hpp"
#include "zonecut/partition/job.hpp"
#include "zonecut/partition/traffic.hpp"

using namespace zonecut;

namespace {

/// Edges of a ring between domains, when every domain is a run of `size` places.
std::size_t crossings(std::span<const std::size_t> places, std::size_t size) {
  std::size_t sum = 0;
  for (std::size_t i = 0; i < places.size(); ++i)
    sum += places[i] / size != places[(i + 1) % places.size()] / size;
  return sum;
}

std::vector<std::size_t> places_of(const Traffic& traffic, const Group& group,
                                   std::span<const std::size_t> place) {
  std::vector<std::size_t> places;
  for (const RankId rank : traffic.members_of(group))
    places.push_back(place[rank.index() / traffic.ranks_per_server]);
  return places;
}

}  // namespace

TEST_CASE("no order of a ring has fewer edges between domains than the arranged one", "[traffic]") {
  CHECK(rc::check([] {
    Random random(*rc::gen::arbitrary<std::uint64_t>());
    const int members = 4 + static_cast<int>(random.below(4));
    const Traffic traffic =
        traffic_of(parse_job_text("tp=2,zero=0,ring_order=any,dp=" + std::to_string(members)), 2);
    std::vector<std::size_t> place(40);
    std::iota(place.begin(), place.end(), std::size_t{0});
    random.shuffle(std::span(place));
    place.resize(traffic.vertices());
    const Traffic better = arranged(traffic, place);
    for (const Group& group : better.phases.back().groups) {
      const std::vector<std::size_t> ring = places_of(better, group, place);
      for (const std::size_t size : {2u, 6u, 12u}) {
        std::vector<std::size_t> any = ring;
        std::ranges::sort(any);
        do {
          RC_ASSERT(crossings(ring, size) <= crossings(any, size));
        } while (std::ranges::next_permutation(any).found);
      }
    }
  }));
}

TEST_CASE("rings keep their members, and only those that may change order do", "[traffic]") {
  const std::vector<std::size_t> backwards = {7, 6, 5, 4, 3, 2, 1, 0};
  const auto members = [](const Traffic& traffic) { return traffic.members; };
  for (const char* fixed : {"tp=8,dp=8", "tp=8,pp=8,ring_order=any", "tp=1,cp=64,ring_order=any",
                            "tp=8,dp=8,zero=0,algorithm=tree,ring_order=any"}) {
    INFO(fixed);
    const Traffic traffic = traffic_of(parse_job_text(fixed), 8);
    if (!has_free_rings(traffic)) CHECK(members(arranged(traffic, backwards)) == traffic.members);
  }
  for (const char* free : {"tp=8,dp=8,ring_order=any", "tp=2,dp=32,ring_order=any",
                           "tp=2,dp=32,zero=0,algorithm=hierarchical,ring_order=any"}) {
    INFO(free);
    const Traffic traffic = traffic_of(parse_job_text(free), 8);
    REQUIRE(has_free_rings(traffic));
    const Traffic turned = arranged(traffic, backwards);
    CHECK(turned.members != traffic.members);
    for (std::size_t p = 0; p < traffic.phases.size(); ++p) {
      for (std::size_t g = 0; g < traffic.phases[p].groups.size(); ++g) {
        const auto before = traffic.members_of(traffic.phases[p].groups[g]);
        const auto after = turned.members_of(turned.phases[p].groups[g]);
        CHECK(std::ranges::is_permutation(before, after));
        if (!turned.phases[p].groups[g].any_order) CHECK(std::ranges::equal(before, after));
      }
    }
  }
}

TEST_CASE("the order of rings is free only where the job says so", "[traffic]") {
  CHECK_FALSE(has_free_rings(traffic_of(parse_job_text("tp=8,dp=8"), 8)));
  CHECK_FALSE(has_free_rings(traffic_of(parse_job_text("tp=8,dp=8,ring_order=ranks"), 8)));
  CHECK_FALSE(has_free_rings(traffic_of(parse_job_text("tp=8,pp=8,ring_order=any"), 8)));
  CHECK_FALSE(has_free_rings(traffic_of(parse_job_text("tp=8,dp=3,ring_order=any"), 8)));
  CHECK_THROWS(parse_job_text("tp=8,dp=8,ring_order=some"));
}
