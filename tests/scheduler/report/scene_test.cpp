#include "report/scene.hpp"

#include "report/text.hpp"
#include "scheduler/report/sample.hpp"
#include "support/catch.hpp"
#include "zonecut/topology/cluster_file.hpp"

using namespace zonecut;
using namespace zonecut::report;

namespace {

constexpr std::int64_t kGB = 1'000'000'000;

/// 0 → 1: 40 GB, 1 → 2: 30 GB, 2 → 3: 20 GB, 3 → 0: 10 GB.
Job ring_of_four() {
  return job_of(4, {{0, 1, 40 * kGB}, {1, 2, 30 * kGB}, {2, 3, 20 * kGB}, {3, 0, 10 * kGB}});
}

Bytes sum(const std::vector<Bytes>& parts) {
  Bytes total;
  for (const Bytes part : parts) total += part;
  return total;
}

void check_totals(const ZoneMatrix& matrix, Bytes cut) {
  CHECK(matrix.across == cut);
  CHECK(sum(matrix.sent) == cut);
  CHECK(sum(matrix.received) == cut);
  for (std::size_t zone = 0; zone < matrix.bytes.size(); ++zone)
    CHECK(sum(matrix.bytes[zone]) - matrix.bytes[zone][zone] == matrix.sent[zone]);
}

}  // namespace

TEST_CASE("the matrices of a report add up to the cut it states", "[report]") {
  // Ours: a a | b b, so 1→2 and 3→0 cross: 40 GB. Before: a b a b, so everything does: 100 GB.
  const Sample sample(sketch(kFourServers), ring_of_four(), "a1 a2 b1 b2", "a1 b1 a2 b2");
  const Scene scene = build_scene(sample.report);
  CHECK(scene.ours.cross_zone == Bytes{40 * kGB});
  check_totals(scene.traffic.after, Bytes{40 * kGB});
  REQUIRE(scene.traffic.before);
  check_totals(*scene.traffic.before, Bytes{100 * kGB});
  CHECK(scene.traffic.zones == std::vector<std::string>{"a", "b"});
  CHECK(scene.traffic.quiet_zones == 1);
  CHECK(scene.traffic.largest == Bytes{60 * kGB});  // before, a to b: 0→1 and 2→3
  CHECK(scene.traffic.after.bytes[0][0] == Bytes{40 * kGB});
  CHECK(scene.traffic.after.bytes[1][1] == Bytes{20 * kGB});
}

TEST_CASE("the bytes of all tiers are the bytes of all phases", "[report]") {
  const Sample sample(sketch(kFourServers), ring_of_four(), "a1 a2 b1 b2", "a1 b1 a2 b2");
  const Scene scene = build_scene(sample.report);
  Bytes before;
  Bytes after;
  for (const TierBar& bar : scene.tiers) {
    REQUIRE(bar.before);
    before += *bar.before;
    after += bar.after;
  }
  CHECK(before == Bytes{100 * kGB});
  CHECK(after == Bytes{100 * kGB});
  REQUIRE(scene.tiers.size() == 4);
  CHECK(scene.tiers.front().label == "inside a server");
  CHECK(scene.tiers.back().label == "between zones, over ATSW");
  CHECK(scene.tiers.back().after == scene.ours.cross_zone);
}

TEST_CASE("tiers are called what they are in the fabric that carries the traffic", "[report]") {
  Sketch drawn = sketch(kFourServers);
  FabricSpec spec = drawn.cluster->backend();
  spec.tiers.front().switch_name = "core";
  drawn.fabric = std::make_unique<Fabric>(Fabric::build(*drawn.cluster, spec, drawn.view->health));
  const Sample sample(std::move(drawn), ring_of_four(), "a1 a2 b1 b2");
  const Scene scene = build_scene(sample.report);
  CHECK(scene.tiers.back().label == "between zones, over core");
  REQUIRE(scene.ours.binding);
  CHECK(scene.ours.binding->name.find(" uplinks to core ") != std::string::npos);
}

TEST_CASE("the verdict says the cut, the comparison, the bound and what binds", "[report]") {
  Sample sample(sketch(kFourServers), ring_of_four(), "a1 a2 b1 b2", "a1 b1 a2 b2");
  sample.report.placement.lower_bound = Bytes{32 * kGB};
  sample.report.placement.gap = 0.25;
  const Scene scene = build_scene(sample.report);
  const std::string verdict = to_plain(scene.verdict);
  INFO(verdict);
  CHECK(
      verdict.starts_with("This placement sends 40.0 GB across zones per iteration, 60 % less "
                          "than slurm-tree; 25.0 % above the proven bound; "));
  REQUIRE(scene.ours.binding);
  CHECK(verdict.find(to_plain(quantity(scene.ours.binding->time)) + ".") != std::string::npos);
}

TEST_CASE("a placement worse than the baseline is called worse", "[report]") {
  Sample sample(sketch(kFourServers), ring_of_four(), "a1 b1 a2 b2", "a1 a2 b1 b2");
  sample.report.placement.lower_bound.reset();
  sample.report.placement.gap.reset();
  const std::string verdict = to_plain(build_scene(sample.report).verdict);
  INFO(verdict);
  CHECK(verdict.find("100 GB across zones per iteration, 2.50× as much as slurm-tree") !=
        std::string::npos);
  CHECK(verdict.find("no bound is proven") != std::string::npos);
}

TEST_CASE("a placement inside one zone sends nothing, and none of the words divides by zero",
          "[report]") {
  const Sample sample(sketch(kFourServers), job_of(2, {{0, 1, kGB}}), "a1 a2", "a1 b1");
  const Scene scene = build_scene(sample.report);
  const std::string verdict = to_plain(scene.verdict);
  INFO(verdict);
  CHECK(verdict.starts_with(
      "This placement sends nothing across zones, where slurm-tree sends 1.00 GB; "));
  CHECK(verdict.find("inf") == std::string::npos);
  CHECK(verdict.find("nan") == std::string::npos);
}

TEST_CASE("of a phase that leaves its servers and waits for NVLink nobody says that it stays there",
          "[report]") {
  Sketch drawn = sketch(kFourServers);
  FabricSpec spec = drawn.cluster->backend();
  spec.scale_up_bandwidth = {kGB};  // NICs are faster
  drawn.fabric = std::make_unique<Fabric>(Fabric::build(*drawn.cluster, spec, drawn.view->health));
  const Sample sample(std::move(drawn), parse_job_text("dp=16,model=llama3-8b"), "a1 b1");
  const Scene scene = build_scene(sample.report);
  CHECK(scene.ours.cross_zone.count > 0);
  CHECK_FALSE(scene.ours.binding);
  CHECK(to_plain(scene.verdict).ends_with("; phase dp waits for NVLink."));
  const auto tile = std::ranges::find(scene.tiles, "Binding link", &Tile::title);
  REQUIRE(tile != scene.tiles.end());
  CHECK(tile->value == "none");
  CHECK(tile->note == "phase dp waits for NVLink");
  for (const std::string& text :
       {write_html(sample.report), write_terminal(sample.report, {.width = 120})})
    CHECK(text.find("the servers") == std::string::npos);
}

TEST_CASE("a report says that serving takes longer than what it serves", "[report]") {
  for (const auto& [requests, says] : {std::pair{"1", false}, std::pair{"5000", true}}) {
    const Sample sample(
        sketch(kFourServers),
        parse_job_text(std::string("model=llama3-70b,decode_replicas=1,rps=") + requests), "a1 b1");
    for (const std::string& text :
         {write_html(sample.report), write_terminal(sample.report, {.width = 120})})
      CHECK((text.find("Overload: more than a second for each second of service") !=
             std::string::npos) == says);
  }
}

TEST_CASE("what NVLink carries from server to server is counted over no switch", "[report]") {
  // Two scale-up domains of two servers: tensor parallelism of 8 takes both servers of one.
  Sketch drawn;
  drawn.cluster = std::make_unique<Cluster>(
      parse_cluster("format: cluster/v1\nlevels: [zone, rack]\ngpus: 4\nscale_up: {servers: 2}\n"
                    "domains:\n  - {zone: a, rack: r1, servers: 's[1-4]'}\n",
                    "c.yaml"));
  drawn.view = std::make_unique<ClusterView>(*drawn.cluster);
  drawn.fabric = std::make_unique<Fabric>(
      Fabric::build(*drawn.cluster, drawn.cluster->backend(), drawn.view->health));
  const Sample sample(std::move(drawn), parse_job_text("tp=8,dp=2,model=llama3-8b"), "s1 s2 s3 s4",
                      "s1 s3 s2 s4");
  const Scene scene = build_scene(sample.report);
  REQUIRE(scene.tiers.size() == 5);
  const TierBar& over_nvlink = scene.tiers[1];
  const TierBar& over_leaves = scene.tiers[2];
  CHECK(over_nvlink.label == "between servers, over NVLink");
  CHECK(over_leaves.label == "inside a rack, over RTSW");
  // Of a ring over two servers two edges in eight pass from one to the other, and of those of dp
  // all; before, it is the other way round.
  const Bytes ring = scene.ours.phases[0].bytes;
  const Bytes replicas = scene.ours.phases[1].bytes;
  CHECK(scene.ours.phases[0].name == "tp");
  CHECK(over_nvlink.after == Bytes{ring.count / 4});
  CHECK(over_leaves.after == replicas);
  CHECK(over_nvlink.before == replicas);
  CHECK(over_leaves.before == Bytes{ring.count / 4});
  const std::string json =
      write_placement_json(sample.problem, sample.report.placement, sample.report.provenance);
  CHECK(json.find("\"scale_up_bytes\": " + std::to_string(ring.count / 4)) != std::string::npos);
}

TEST_CASE("without a baseline that finds room there is no before", "[report]") {
  const Sample sample(sketch(kFourServers), ring_of_four(), "a1 a2 b1 b2");
  const Scene scene = build_scene(sample.report);
  CHECK(scene.before.empty());
  CHECK_FALSE(scene.traffic.before);
  for (const TierBar& bar : scene.tiers) CHECK_FALSE(bar.before);
  for (const LinkBar& bar : scene.links) CHECK_FALSE(bar.before);
  REQUIRE(scene.baselines.size() == 1);
  CHECK_FALSE(scene.baselines.front().figures);
}

TEST_CASE("the map counts every GPU of the cluster once", "[report]") {
  const Sample sample(sketch(kFourServers), ring_of_four(), "a1 a2 b1 b2");
  const ClusterMap map = build_scene(sample.report).map;
  REQUIRE(map.zones.size() == 3);
  const auto total = [](const MapZone& zone) {
    return zone.gpus.ours + zone.gpus.others + zone.gpus.free + zone.gpus.unavailable;
  };
  CHECK(total(map.zones[0]) == 32);
  CHECK(map.zones[0].gpus.ours == 16);
  CHECK(map.zones[0].gpus.others == 8);
  CHECK(map.zones[0].gpus.free == 8);
  CHECK(map.zones[1].gpus.ours == 16);
  CHECK(map.zones[1].gpus.others == 4);
  CHECK(map.zones[1].gpus.free == 4);
  CHECK(map.zones[1].gpus.unavailable == 8);
  CHECK(map.zones[0].ranks == "0–15");
  CHECK(map.zones[0].servers_used == 2);
  CHECK(map.zones[0].racks_used == 1);
  CHECK(map.zones[2].ranks.empty());
  CHECK(map.zones[1].racks[1].servers[0].use == Use::Unavailable);
  CHECK(map.zones[1].racks[1].servers[0].note == "drained");
  CHECK(map.zones[1].racks[1].servers[1].use == Use::Partly);
  CHECK(map.is_small());
}

TEST_CASE("ranks are coloured by the axis that the zones divide", "[report]") {
  // Two stages of two replicas; rank order tp-dp-pp, so vertices are (stage 0: 0 1), (stage 1: 2
  // 3).
  SECTION("whole stages in zones: by stage") {
    const Sample sample(sketch(kFourServers), training_of(2, 2), "a1 a2 b1 b2");
    const RankGroups groups = build_scene(sample.report).map.groups;
    CHECK(groups.axis == "pipeline stage");
    REQUIRE(groups.entries.size() == 2);
    CHECK(groups.entries[1].letter == "B");
    CHECK(groups.entries[1].label == "stage 1");
    CHECK(groups.entries[1].ranks == 16);
    CHECK(groups.of_rank[15] == 0);
    CHECK(groups.of_rank[16] == 1);
    CHECK(groups.number_axis == "data-parallel replica");
    CHECK(groups.number_of_rank[8] == 1);
  }
  SECTION("whole replicas in zones: by replica") {
    const Sample sample(sketch(kFourServers), training_of(2, 2), "a1 b1 a2 b2");
    CHECK(build_scene(sample.report).map.groups.axis == "data-parallel replica");
  }
  SECTION("the framework's order of axes is honoured") {
    const Sample sample(sketch(kFourServers), training_of(2, 2, "tp-cp-ep-pp-dp"), "a1 a2 b1 b2");
    CHECK(build_scene(sample.report).map.groups.axis == "data-parallel replica");
  }
  SECTION("an encoder is a stage of its own, and goes with the replicas that it feeds") {
    Job job = training_of(1, 2);
    Training& training = std::get<Training>(job.work);
    training.encoder = Encoder{.parameters = 1'000'000'000, .layers = 8, .hidden = 1024};
    training.encoder->tp = 8;
    training.encoder->dp = 2;
    training.encoder->tokens = training.encoder->output_tokens = 64;
    const Sample by_stage(sketch(kFourServers), job, "a1 a2 b1 b2");
    const Scene scene = build_scene(by_stage.report);
    CHECK(scene.map.groups.axis == "pipeline stage, 1 the encoder");
    REQUIRE(scene.map.groups.entries.size() == 2);
    CHECK(scene.map.groups.entries[0].label == "stage 0");
    CHECK(scene.map.groups.entries[1].label == "encoder");
    CHECK(scene.map.groups.of_rank[15] == 1);
    CHECK(scene.map.groups.of_rank[16] == 0);
    CHECK(scene.map.groups.number_of_rank[8] == 1);
    CHECK(shape_of(job) == "TP 8 × DP 2, encoder TP 8 × DP 2");
    const Sample by_replica(sketch(kFourServers), job, "a1 b1 a2 b2");
    CHECK(build_scene(by_replica.report).map.groups.axis == "data-parallel replica");
  }
  SECTION("encoders in another order of axes go with the replicas that they feed, too") {
    Job job = training_of(1, 2, "dp-tp");
    Training& training = std::get<Training>(job.work);
    training.encoder = Encoder{.parameters = 1'000'000'000, .layers = 8, .hidden = 1024};
    training.encoder->tp = 8;
    training.encoder->dp = 2;
    training.encoder->tokens = training.encoder->output_tokens = 64;
    const Sample sample(sketch(kFourServers), job, "a1 a2 b1 b2");
    const RankGroups groups = build_scene(sample.report).map.groups;
    CHECK(groups.number_axis == "data-parallel replica");
    CHECK(groups.number_of_rank[14] == 0);
    CHECK(groups.number_of_rank[15] == 1);
    CHECK(groups.number_of_rank[16] == 0);
    CHECK(groups.number_of_rank[17] == 1);
  }
  SECTION("a single stage and its encoder say less than the replicas do") {
    Job job = training_of(1, 4);
    Training& training = std::get<Training>(job.work);
    training.micro_batch = 2;
    training.encoder = Encoder{.parameters = 1'000'000'000, .layers = 8, .hidden = 1024};
    training.encoder->tp = 8;
    training.encoder->dp = 2;
    training.encoder->tokens = training.encoder->output_tokens = 64;
    const Sample sample(sketch("a: r1[a1 a2] r2[a3]\n b: r3[b1 b2] r4[b3]"), job,
                        "a1 b1 a2 a3 b2 b3");
    const RankGroups groups = build_scene(sample.report).map.groups;
    CHECK(groups.axis == "data-parallel replica");
    CHECK(groups.number_axis == "pipeline stage, 1 the encoder");
  }
  SECTION("an encoder beside more stages than there are colours has a place in the last group") {
    Job job = training_of(17, 1);
    Training& training = std::get<Training>(job.work);
    training.encoder = Encoder{.parameters = 1'000'000'000, .layers = 8, .hidden = 1024};
    training.encoder->tp = 8;
    training.encoder->tokens = training.encoder->output_tokens = 64;
    const Sample sample(
        sketch("a: r1[a1 a2 a3 a4 a5 a6 a7 a8 a9]\n b: r2[b1 b2 b3 b4 b5 b6 b7 b8 b9]"), job,
        "a1 a2 a3 a4 a5 a6 a7 a8 a9 b1 b2 b3 b4 b5 b6 b7 b8 b9");
    const RankGroups groups = build_scene(sample.report).map.groups;
    REQUIRE(groups.entries.size() == 9);
    CHECK(groups.entries[0].label == "stages 0–1");
    CHECK(groups.entries[8].label == "stage 16, encoder");
  }
  SECTION("encoders go with the HSDP replicas that they feed") {
    Job job = training_of(1, 4);
    Training& training = std::get<Training>(job.work);
    training.data_parallel = DataParallelMode::Hsdp;
    training.shard = 2;
    training.micro_batch = 2;
    training.encoder = Encoder{.parameters = 1'000'000'000, .layers = 8, .hidden = 1024};
    training.encoder->tp = 8;
    training.encoder->dp = 8;
    training.encoder->tokens = training.encoder->output_tokens = 64;
    const Sample sample(
        sketch("a: r1[a1 a2] r2[a3 a4] r3[a5 a6]\n b: r4[b1 b2] r5[b3 b4] r6[b5 b6]"), job,
        "a1 a2 a3 a4 b1 b2 b3 b4 a5 a6 b5 b6");
    const RankGroups groups = build_scene(sample.report).map.groups;
    CHECK(groups.axis == "HSDP replica");
    REQUIRE(groups.entries.size() == 2);
    CHECK(groups.of_rank[31] == 0);
    CHECK(groups.of_rank[32] == 1);
    CHECK(groups.of_rank[63] == 1);
    CHECK(groups.of_rank[64] == 0);
  }
  SECTION("nothing known about the ranks: by rank") {
    const Sample sample(sketch(kFourServers), ring_of_four(), "a1 a2 b1 b2");
    const RankGroups groups = build_scene(sample.report).map.groups;
    CHECK(groups.axis == "rank");
    CHECK(groups.entries.size() == 8);
    CHECK(groups.entries[7].label == "ranks 28–31");
    CHECK(groups.number_axis.empty());
  }
}

TEST_CASE("more stages than colours share them in order", "[report]") {
  std::string names;
  std::string drawing = "a:";
  for (int i = 0; i < 32; ++i) {
    names += " s" + std::to_string(i);
    drawing += " r" + std::to_string(i) + "[s" + std::to_string(i) + "]";
  }
  const Sample sample(sketch(drawing), training_of(32, 1), names);
  const RankGroups groups = build_scene(sample.report).map.groups;
  REQUIRE(groups.entries.size() == RankGroups::kMost);
  CHECK(groups.entries[0].label == "stages 0–1");
  CHECK(groups.entries[15].label == "stages 30–31");
  CHECK(groups.entries[15].letter == "P");
}

TEST_CASE("a bundle equally loaded both ways is one bar, and exactly one bar binds", "[report]") {
  const Sample sample(sketch(kFourServers),
                      job_of(4, {{0, 2, 40 * kGB}, {2, 0, 40 * kGB}, {1, 3, 5 * kGB}}),
                      "a1 a2 b1 b2", "a1 b1 a2 b2");
  const Scene scene = build_scene(sample.report);
  int binding = 0;
  for (const LinkBar& bar : scene.links) binding += bar.binding ? 1 : 0;
  CHECK(binding == 1);
  for (std::size_t i = 1; i < scene.links.size(); ++i)
    CHECK(scene.links[i - 1].after >= scene.links[i].after);
}
