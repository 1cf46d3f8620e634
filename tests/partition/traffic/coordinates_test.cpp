#include <rapidcheck.h>

#include <set>

#include "support/catch.hpp"
#include "zonecut/partition/traffic.hpp"

using namespace zonecut;

namespace {

std::vector<Coordinates> coordinates(const std::string& text, int ranks_per_server = 8) {
  return vertex_coordinates(parse_job_text(text), ranks_per_server);
}

}  // namespace

TEST_CASE("servers of a dense job stand at (cp, dp, pp)", "[partition]") {
  const auto at = coordinates("tp=8,cp=2,pp=3,dp=4,model=llama3-8b,gbs=4");
  REQUIRE(at.size() == 24);
  CHECK(at[0] == Coordinates{0, 0, 0});
  CHECK(at[1] == Coordinates{1, 0, 0});
  CHECK(at[2] == Coordinates{0, 1, 0});
  CHECK(at[8] == Coordinates{0, 0, 1});
  CHECK(at[23] == Coordinates{1, 3, 2});
}

TEST_CASE("servers that hold several places of an axis shrink it", "[partition]") {
  const auto at = coordinates("tp=2,cp=2,dp=4,pp=2,model=llama3-8b");
  REQUIRE(at.size() == 4);  // two of four replicas a server
  CHECK(at[1] == Coordinates{0, 1, 0});
  CHECK(at[3] == Coordinates{0, 1, 1});
}

TEST_CASE("the order of the axes moves the servers", "[partition]") {
  const auto at = coordinates("tp=8,pp=2,dp=2,order=tp-pp-dp,model=llama3-8b");
  REQUIRE(at.size() == 4);
  CHECK(at[1] == Coordinates{0, 0, 1});
  CHECK(at[2] == Coordinates{0, 1, 0});
}

TEST_CASE("servers of a mixture of experts stand at (ep, replica, pp)", "[partition]") {
  const auto at = coordinates("pp=2,dp=128,ep=64,model=deepseek-v3");
  REQUIRE(at.size() == 32);
  CHECK(at[1] == Coordinates{1, 0, 0});
  CHECK(at[8] == Coordinates{0, 1, 0});
  CHECK(at[16] == Coordinates{0, 0, 1});
}

TEST_CASE("servers of a hybrid-sharded job stand at (shard, replica, 0)", "[partition]") {
  const auto at = coordinates("dp=128,data_parallel=hsdp,shard=32,model=llama3-8b");
  REQUIRE(at.size() == 16);
  CHECK(at[3] == Coordinates{3, 0, 0});
  CHECK(at[4] == Coordinates{0, 1, 0});
}

TEST_CASE("spread experts weigh more than shards", "[partition]") {
  const auto at = coordinates("dp=128,ep=64,data_parallel=hsdp,shard=32,model=deepseek-v3");
  REQUIRE(at.size() == 16);
  CHECK(at[7] == Coordinates{7, 0, 0});
  CHECK(at[8] == Coordinates{0, 1, 0});
}

TEST_CASE("servers that are no box of the grid have no coordinates", "[partition]") {
  CHECK(coordinates("tp=16,dp=4,model=llama3-8b").empty());  // tp leaves the server
  CHECK(coordinates("tp=3,dp=8").empty());                   // replicas straddle servers
  CHECK(coordinates("kind=recommendation,gpus=16,dense=1MB").empty());
}

TEST_CASE("every server has its own place, dense from zero on each axis", "[partition][property]") {
  CHECK(rc::check("coordinates are a grid", [] {
    const int tp = *rc::gen::element(1, 2, 4, 8), cp = *rc::gen::element(1, 2, 3);
    const int pp = *rc::gen::inRange(1, 4), dp = *rc::gen::inRange(1, 9);
    const int k = *rc::gen::element(1, 2, 4, 8);
    const auto at = coordinates("tp=" + std::to_string(tp) + ",cp=" + std::to_string(cp) +
                                    ",pp=" + std::to_string(pp) + ",dp=" + std::to_string(dp) +
                                    ",model=llama3-8b",
                                k);
    if (at.empty()) RC_DISCARD("no structure");
    Coordinates most{};
    for (const Coordinates& c : at) {
      for (std::size_t i = 0; i < 3; ++i) {
        RC_ASSERT(c[i] >= 0);
        most[i] = std::max(most[i], c[i]);
      }
    }
    RC_ASSERT(static_cast<int>(at.size()) == (most[0] + 1) * (most[1] + 1) * (most[2] + 1));
    RC_ASSERT(std::set<Coordinates>(at.begin(), at.end()).size() == at.size());
  }));
}

TEST_CASE("servers that stages share stand roughly in rows", "[partition]") {
  const auto rough = [](const std::string& text) {
    return rough_coordinates(parse_job_text(text), 8);
  };
  // Stages of two and a half servers.
  CHECK(coordinates("tp=4,pp=4,dp=5,model=llama3-8b").empty());
  CHECK(rough("tp=4,pp=4,dp=5,model=llama3-8b") == std::vector<Coordinates>{{0, 0, 0},
                                                                            {0, 1, 0},
                                                                            {0, 2, 0},
                                                                            {0, 0, 1},
                                                                            {0, 1, 1},
                                                                            {0, 0, 2},
                                                                            {0, 1, 2},
                                                                            {0, 2, 2},
                                                                            {0, 0, 3},
                                                                            {0, 1, 3}});
  // Rows go along the outermost axis that there is.
  const auto replicas = rough("tp=4,pp=6,dp=4,order=tp-pp-dp,model=llama3-8b");
  REQUIRE(replicas.size() == 12);
  CHECK(replicas[2] == Coordinates{0, 2, 0});
  CHECK(replicas[3] == Coordinates{0, 0, 1});
  CHECK(rough("tp=8,dp=4,model=llama3-8b").empty());  // a server a row
  CHECK(rough("tp=8,model=llama3-8b").empty());
  CHECK(rough("gpus=64,embedding=64MiB,dense=1GiB").empty());
}
