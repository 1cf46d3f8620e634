// algorithm: auto, beside what NCCL's model says.
#include <fmt/format.h>

#include "partition/traffic/traffic_sums.hpp"
#include "support/catch.hpp"
#include "zonecut/partition/job_file.hpp"

using namespace zonecut;

namespace {

/// One collective of all ranks.
Phase collective(std::string_view kind, int ranks, const std::string& bytes,
                 std::string_view algorithm = "auto", int times = 1) {
  const std::string text = fmt::format(
      "gpus: {0}\ncollectives:\n  - {{name: c, kind: {1}, algorithm: {2}, ranks: \"0-{3}\", "
      "bytes: {4}, times: {5}}}\n",
      ranks, kind, algorithm, ranks - 1, bytes, times);
  return traffic_of(parse_job_file(text, "job.yaml").job, 8).phases.front();
}

Pattern pattern(const Phase& phase) { return phase.groups.front().pattern; }

Pattern of_gradients(const std::string& text) {
  return pattern(phase_of(traffic_of(parse_job_text(text), 8), "dp"));
}

}  // namespace

TEST_CASE("an all-reduce runs on trees up to the size at which NCCL's model prefers a ring",
          "[partition]") {
  // 8 servers of 8: a ring takes 1.4·(8.4 + 112·3.4 + 14·14) µs + S/400 GB/s · 126/64, a tree
  // 8.4 + 2·(7·4 + 3·14) µs + S/400 GB/s · 2/0.92: as much at 1.31 GB.
  CHECK(pattern(collective("all-reduce", 64, "1300MB")) == Pattern::Tree);
  CHECK(pattern(collective("all-reduce", 64, "1320MB")) == Pattern::Ring);
  CHECK(pattern(collective("all-reduce", 1024, "30GB")) == Pattern::Tree);
  CHECK(pattern(collective("all-reduce", 1024, "30.4GB")) == Pattern::Ring);
  CHECK(collective("all-reduce", 64, "1MB").steps ==
        collective("all-reduce", 64, "1MB", "tree").steps);
  CHECK(collective("all-reduce", 64, "9GB").steps ==
        collective("all-reduce", 64, "9GB", "ring").steps);
}

TEST_CASE("each repetition is chosen by its own size", "[partition]") {
  CHECK(pattern(collective("all-reduce", 64, "1GB", "auto", 100)) == Pattern::Tree);
  CHECK(pattern(collective("all-reduce", 64, "100GB")) == Pattern::Ring);
}

TEST_CASE("all but an all-reduce between servers runs on rings", "[partition]") {
  CHECK(pattern(collective("all-gather", 64, "1MB")) == Pattern::Ring);
  CHECK(pattern(collective("reduce-scatter", 64, "1MB")) == Pattern::Ring);
  CHECK(pattern(collective("all-reduce", 8, "1MB")) == Pattern::Ring);
}

TEST_CASE("gradients are reduced by the algorithm of their size where the job says auto",
          "[partition]") {
  const std::string ddp = "dp=64,layers=1,hidden=64,zero=0";
  CHECK(of_gradients(ddp + ",parameters=1e8,algorithm=auto") == Pattern::Tree);
  CHECK(of_gradients(ddp + ",parameters=1e9,algorithm=auto") == Pattern::Ring);
  CHECK(of_gradients("dp=64,layers=1,hidden=64,zero=1,parameters=1e8,algorithm=auto") ==
        Pattern::Ring);
  CHECK(of_gradients(ddp + ",parameters=1e8") == Pattern::Ring);  // as long as nothing is said
}
