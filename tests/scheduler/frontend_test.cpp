#include "zonecut/scheduler/frontend.hpp"

#include "support/catch.hpp"
#include "support/drawn_cluster.hpp"
#include "support/schema_keys.hpp"
#include "zonecut/base/error.hpp"
#include "zonecut/partition/job_file.hpp"

using namespace zonecut;

namespace {

constexpr std::int64_t kGB = 1'000'000'000;

/// Servers of 10 GB/s, racks of 15 GB/s and zones of 12 GB/s up.
FabricSpec frontend_spec() {
  FabricSpec spec;
  spec.nics_per_server = 1;
  spec.nic_bandwidth = {10 * kGB};
  spec.tiers = {{"core", 1, 0, {}, 0, {}},
                {"FSW", 1, 1, {12 * kGB}, 0, {}},
                {"RSW", 1, 1, {15 * kGB}, 0, {}}};
  return spec;
}

FrontendPrediction predicted(const StorageTraffic& storage, const std::vector<std::size_t>& order,
                             const FabricSpec& spec = frontend_spec()) {
  const Cluster cluster = drawn_cluster("a: r1[s0 s1] r2[s2] b: r1[s3]", frontend_spec());
  const Fabric fabric = Fabric::build(cluster, spec, Health(cluster));
  std::vector<ServerId> servers;
  for (const std::size_t server : order) servers.emplace_back(server);
  return predict_frontend(fabric, storage, servers);
}

StorageTraffic storage_of(const std::string& text) {
  const JobFile file = parse_job_file(text, "job.yaml");
  ProblemList problems;
  const StorageTraffic storage = read_storage(file.document, file.job, problems);
  problems.throw_if_any();
  return storage;
}

}  // namespace

TEST_CASE("a checkpoint takes as long as its busiest link up to storage", "[frontend]") {
  // Each of four servers 30 GB: 3 s. Rack a/r1 60 GB: 4 s. Zone a 90 GB: 7.5 s.
  const FrontendPrediction four =
      predicted({{120 * kGB}, Seconds{75}, {40 * kGB}, std::nullopt}, {0, 1, 2, 3});
  CHECK(four.checkpoint.time.count == Approx(7.5));
  REQUIRE(four.checkpoint.binding);
  CHECK(four.checkpoint.binding->bundle.outward);
  CHECK(four.checkpoint.binding->bytes == Bytes{90 * kGB});
  CHECK(four.checkpoint.binding->capacity == BytesPerSecond{12 * kGB});
  CHECK(four.share.value() == Approx(0.1));
  // The data of an iteration comes the other way.
  CHECK(four.ingestion.time.count == Approx(2.5));
  CHECK_FALSE(four.ingestion.binding->bundle.outward);
  SECTION("servers of one rack wait for it") {
    CHECK(predicted({{120 * kGB}, {}, {}, {}}, {0, 1}).checkpoint.time.count == Approx(10));
  }
  SECTION("a server that holds three parts of four waits for its NIC") {
    const StorageTime time = predicted({{120 * kGB}, {}, {}, {}}, {3, 3, 3, 0}).checkpoint;
    CHECK(time.time.count == Approx(9));
    CHECK(std::get<ServerId>(time.binding->bundle.below) == ServerId{3});
  }
}

TEST_CASE("storage that is slower than the network says how long it takes", "[frontend]") {
  const FrontendPrediction slow =
      predicted({{120 * kGB}, {}, {40 * kGB}, BytesPerSecond{10 * kGB}}, {0, 1, 2, 3});
  CHECK(slow.checkpoint.time.count == Approx(12));
  CHECK_FALSE(slow.checkpoint.binding);
  CHECK_FALSE(slow.share);
  CHECK(predicted({{120 * kGB}, {}, {}, BytesPerSecond{100 * kGB}}, {0, 1, 2, 3})
            .checkpoint.time.count == Approx(7.5));
}

TEST_CASE("parts are rounded up, and nothing takes no time", "[frontend]") {
  const FrontendPrediction odd = predicted({{10}, {}, {}, {}}, {3, 0, 2});
  CHECK(odd.checkpoint.binding->bytes == Bytes{7});  // two of three parts of 10 bytes leave zone a
  CHECK(odd.ingestion.time.count == 0);
  CHECK_FALSE(odd.ingestion.binding);
}

TEST_CASE("a tier without links up is refused by its name", "[frontend]") {
  FabricSpec spec = frontend_spec();
  spec.tiers[1].uplinks = 0;
  CHECK_THROWS_AS(predicted({{10}, {}, {}, {}}, {0}, spec), InputError);
  CHECK_NOTHROW(predicted({}, {0}, spec));
}

TEST_CASE("a training job saves parameters and optimizer state, and reads tokens", "[frontend]") {
  const std::string training =
      "model: {preset: llama3-8b, parameters: 8000000000}\nparallelism: {dp: 4}\n"
      "batch: {sequence: 1000, micro_batch: 2, micro_batches: 3}\n";
  CHECK(storage_of(training).checkpoint == Bytes{112 * kGB});  // 2 + 12 bytes
  CHECK(storage_of(training).ingestion == Bytes{4 * 3 * 2 * 1000 * 4});
  CHECK_FALSE(storage_of(training).interval);
  const std::string encoder = "encoder: {parameters: 1e9, layers: 2, hidden: 64, tokens: 8";
  CHECK(storage_of(training + encoder + "}\n").checkpoint == Bytes{126 * kGB});
  CHECK(storage_of(training + encoder + ", frozen: true}\n").checkpoint == Bytes{114 * kGB});
  const StorageTraffic said =
      storage_of(training +
                 "storage: {checkpoint: 1TB, checkpoint_interval: 10min, ingestion: 5MB, "
                 "bandwidth: 2TB/s}\n");
  CHECK(said.checkpoint == Bytes{1000 * kGB});
  CHECK(said.interval == Seconds{600});
  CHECK(said.ingestion == Bytes{5'000'000});
  CHECK(said.bandwidth == BytesPerSecond{2000 * kGB});
  // What only collectives are known of has nothing to save.
  CHECK(storage_of("gpus: 8\nmatrix: [[0, 1, 5MB]]\n").checkpoint == Bytes{0});
}

TEST_CASE("mistakes of the section storage are reported with their places", "[frontend]") {
  for (const std::string wrong : {"{checkpoints: 1TB}", "{checkpoint_interval: 0s}",
                                  "{bandwidth: 0Gbps}", "{ingestion: much}"}) {
    INFO(wrong);
    try {
      static_cast<void>(storage_of("model: llama3-8b\nstorage: " + wrong + "\n"));
      FAIL("accepted");
    } catch (const InputError& error) {
      CHECK(error.problems().front().where.starts_with("job.yaml:2:"));
    }
  }
}

TEST_CASE("the schema of job/v1 has the keys of storage", "[frontend]") {
  CHECK(keys_of_schema("job-v1.json", {"$defs", "storage"}) ==
        known_keys([] { static_cast<void>(storage_of("gpus: 8\nstorage: {qqqqqqqq: 1}")); }));
}
