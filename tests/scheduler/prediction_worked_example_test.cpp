// Llama 3 405B on 16,384 GPUs in pods of 3,072 at 7:1 (docs/prediction.md works the same figures by
// hand).
#include <algorithm>

#include "support/catch.hpp"
#include "support/drawn_cluster.hpp"
#include "zonecut/base/random.hpp"
#include "zonecut/partition/traffic.hpp"
#include "zonecut/scheduler/prediction.hpp"

using namespace zonecut;

namespace {

constexpr std::size_t kReplicas = 128;
constexpr std::size_t kStages = 16;

Job llama3(int virtual_stages) {
  Training training;
  training.model = model_preset("llama3-405b").value();
  training.parallelism.tp = 8;
  training.parallelism.pp = kStages;
  training.parallelism.dp = kReplicas;
  training.parallelism.virtual_stages = virtual_stages;
  training.sequence = 8192;
  training.micro_batches = 16;
  return Job{"llama3", training, 8, {}};
}

struct Pods {
  Cluster cluster = even_cluster(
      6, 192, 2, FabricSpec::clos(std::vector<std::string>{"cluster", "zone", "rack"}, 1, 7));
  Fabric fabric = Fabric::build(cluster, cluster.backend(), Health(cluster));
};

Traffic only(std::string_view phase, Traffic traffic) {
  std::erase_if(traffic.phases, [&](const Phase& other) { return other.name != phase; });
  return traffic;
}

/// Vertex of the server of stage p of replica d, in Megatron's default order.
std::size_t vertex(std::size_t replica, std::size_t stage) { return replica + kReplicas * stage; }

std::vector<ServerId> whole_replicas() {
  std::vector<ServerId> servers(kReplicas * kStages, ServerId{0});
  for (std::size_t d = 0; d < kReplicas; ++d)
    for (std::size_t p = 0; p < kStages; ++p) servers[vertex(d, p)] = ServerId{d * kStages + p};
  return servers;
}

std::vector<ServerId> whole_stages() {
  std::vector<ServerId> servers;
  for (std::size_t v = 0; v < kReplicas * kStages; ++v) servers.emplace_back(v);
  return servers;
}

}  // namespace

TEST_CASE("whole replicas in zones send 2.41 TB out of each: 0.11 s", "[prediction]") {
  const Pods pods;
  const Prediction p = predict(pods.fabric, only("dp", traffic_of(llama3(1), 8)), whole_replicas());
  // φ = 405.9e9/(8·16) parameters; 127/128·φ·(4 + 2) bytes leave each GPU; a zone's border is
  // crossed by one edge of each of 8·16 rings.
  const auto zone = std::find_if(p.loads.begin(), p.loads.end(), [&](const BundleLoad& load) {
    return load.bundle == Bundle{pods.cluster.find_domain("z1").value(), true};
  });
  REQUIRE(zone != p.loads.end());
  CHECK(static_cast<double>(zone->bytes.count) == Approx(2.41e12).epsilon(0.01));
  CHECK(zone->time.count == Approx(0.11).epsilon(0.01));
  // So well placed the zones do not bind any more: each server has one edge of 8 rings to pass
  // through its own 8 NICs, 8 · 18.8 GB over 400 GB/s.
  REQUIRE(p.phases[0].binding);
  CHECK(p.phases[0].transfer.count == Approx(0.377).epsilon(0.01));
}

TEST_CASE("a random order sends about 47 TB out of each zone: 2.1 s", "[prediction]") {
  const Pods pods;
  std::vector<ServerId> servers = whole_replicas();
  Random random(1);
  random.shuffle(std::span(servers));
  const Prediction p = predict(pods.fabric, only("dp", traffic_of(llama3(1), 8)), servers);
  const PhasePrediction& dp = p.phases.at(0);
  REQUIRE(dp.binding);
  CHECK(static_cast<double>(dp.binding->bytes.count) == Approx(47e12).epsilon(0.05));
  CHECK(dp.transfer.count == Approx(2.14).epsilon(0.05));
}

TEST_CASE("a pipeline cut at a stage's border costs 0.55 TB, or 3.85 TB with V = 7",
          "[prediction]") {
  // 16 micro-batches · V · 2 · 8192 · 16384 / 8 bytes from each of 1,024 GPUs of a stage. Three
  // stages fill a zone of 384 servers, so every zone but the outer ones has a border on both sides:
  // what crosses one border in one direction is the matrix entry of two neighbours.
  const Pods pods;
  for (const auto& [chunks, terabytes] : {std::pair{1, 0.55}, std::pair{7, 3.85}}) {
    const Traffic all = traffic_of(llama3(chunks), 8);
    const Prediction p = predict(pods.fabric, only("pp", all), whole_stages());
    CHECK(static_cast<double>(p.zone_matrix[1][2].count) == Approx(terabytes * 1e12).epsilon(0.01));
    CHECK(p.zone_matrix[1][2] == p.zone_matrix[2][1]);
    // Data parallelism stays inside, so it never leaves the zone.
    const Prediction whole = predict(pods.fabric, all, whole_stages());
    CHECK(whole.cross_zone == p.cross_zone);
  }
}

TEST_CASE("the pipeline cut is the smaller one for V up to 4 and the larger one above",
          "[prediction]") {
  const Pods pods;
  const auto worst_zone = [&](int chunks, const std::vector<ServerId>& servers) {
    const Prediction p = predict(pods.fabric, traffic_of(llama3(chunks), 8), servers);
    Bytes most;
    for (std::size_t from = 0; from < p.zone_matrix.size(); ++from)
      for (std::size_t to = 0; to < p.zone_matrix.size(); ++to)
        if (from != to) most = std::max(most, p.zone_matrix[from][to]);
    return most;
  };
  for (const int chunks : {1, 2, 4})
    CHECK(worst_zone(chunks, whole_stages()) < worst_zone(chunks, whole_replicas()));
  CHECK(worst_zone(7, whole_stages()) > worst_zone(7, whole_replicas()));
}
