// What a job of a trace holds and sends.
#include "zonecut/scheduler/workload.hpp"

#include "support/catch.hpp"
#include "support/drawn_cluster.hpp"
#include "zonecut/base/document.hpp"
#include "zonecut/base/error.hpp"
#include "zonecut/partition/job_file.hpp"

using namespace zonecut;

namespace {

Cluster cluster_of(int gpus = 8) {
  const std::vector<std::string> levels = {"cluster", "zone", "rack"};
  return even_cluster(2, 2, 4, FabricSpec::clos(levels, 1, 7), gpus);
}

Workload workload_in(const Cluster& cluster, const std::string& rows,
                     const WorkTable& table = WorkTable::usual()) {
  const JobTrace trace =
      parse_trace("submit,duration,gpus,work\n" + rows, "trace", {ArrivalFormat::Csv, 1});
  return workload_of(cluster, trace, table,
                     [](const TracedJob& job) { return parse_job_words(job.work, "work").job; });
}

std::string mistake_of(const std::string& rows) {
  const Cluster cluster = cluster_of();
  try {
    static_cast<void>(workload_in(cluster, rows));
  } catch (const InputError& error) {
    return to_text(error.problems().front());
  }
  return "none";
}

std::string table_mistakes(const std::string& text) {
  try {
    static_cast<void>(WorkTable::parse(text, "table"));
  } catch (const InputError& error) {
    std::string all;
    for (const Problem& problem : error.problems()) all += problem.what + "\n";
    return all;
  }
  return "none";
}

}  // namespace

TEST_CASE("a job up to a server's size shares one server and sends nothing", "[trace]") {
  const Cluster cluster = cluster_of();
  const Workload workload = workload_in(cluster, "0,1,3,\n0,1,8,\n");
  CHECK(workload.works.empty());
  CHECK(workload.jobs[0].gpus_each == 3);
  CHECK(workload.jobs[1].gpus_each == 8);
  CHECK(workload.jobs[1].vertices == 1);
}

TEST_CASE("a larger job gets whole servers, rounded up, and one work for each size", "[trace]") {
  const Cluster cluster = cluster_of();
  const Workload workload = workload_in(cluster, "0,1,12,\n0,1,16,\n0,1,32,\n");
  REQUIRE(workload.jobs.size() == 3);
  CHECK(workload.jobs[0].gpus() == 16);
  CHECK(workload.jobs[0].work == workload.jobs[1].work);
  CHECK(workload.jobs[2].vertices == 4);
  CHECK(workload.works.size() == 2);
  CHECK(workload.rounded_up == 1);
}

TEST_CASE("the size of servers is that of the cluster", "[trace]") {
  const Cluster cluster = cluster_of(4);
  const Workload workload = workload_in(cluster, "0,1,8,\n");
  CHECK(workload.jobs.front().gpus_each == 4);
  CHECK(workload.jobs.front().vertices == 2);
}

TEST_CASE("a server with room for two servers' worth counts as two", "[trace]") {
  const std::vector<std::string> levels = {"cluster", "zone", "rack"};
  ClusterBuilder builder("mixed", {"zone", "rack"});
  builder.backend(FabricSpec::clos(levels, 1, 7));
  builder.add_server(std::array<std::string, 2>{"a", "r"}, "s0", 8);
  for (const char* small : {"s1", "s2"})
    builder.add_server(std::array<std::string, 2>{"a", "r"}, small, 4);
  const Cluster cluster = builder.build();
  const Workload workload = workload_in(cluster, "0,1,16,\n0,1,20,\n");
  CHECK(workload.server_gpus == 4);
  CHECK(workload.jobs[0].vertices == 4);
  CHECK(workload.jobs[0].work.has_value());
  CHECK_FALSE(workload.jobs[1].work.has_value());
}

TEST_CASE("a job that says its work says its size, too", "[trace]") {
  const Cluster cluster = cluster_of();
  const Workload workload = workload_in(
      cluster, "0,1,,\"tp=8,dp=4\"\n0,1,32,\"tp=8,dp=4\"\n0,1,,\"tp=4,model=llama3-8b\"\n");
  CHECK(workload.works.size() == 1);
  CHECK(workload.jobs[1].vertices == 4);
  CHECK(workload.jobs[2].gpus() == 4);
  CHECK_FALSE(workload.jobs[2].work);
}

TEST_CASE("a size or work that cannot be is refused with its line", "[trace]") {
  CHECK(mistake_of("0,1,8,\"tp=8,dp=4\"\n") ==
        "trace:2:1: found 8 GPUs, but its work has 32 ranks");
  CHECK(mistake_of("0,1,1,\n0,1,,tp=x\n").starts_with("trace:3:1: work:1:"));
  CHECK(mistake_of("0,1,,\"tp=2,dp=5\"\n").starts_with("trace:2:1: "));
}

TEST_CASE("a job beyond the cluster is kept, so that it can be counted", "[trace]") {
  const Cluster cluster = cluster_of();
  const Workload workload = workload_in(cluster, "0,1,4000000,\n0,1,,\"tp=8,dp=4096\"\n");
  CHECK(workload.works.empty());
  CHECK(workload.jobs[0].vertices == 500'000);
  CHECK(workload.jobs[1].gpus() == 32'768);
}

TEST_CASE("the usual work fits every size", "[trace]") {
  for (std::int64_t gpus = 1; gpus <= 256; ++gpus)
    CHECK(WorkTable::usual().job_of(gpus).ranks() == gpus);
  const auto model = [](std::int64_t gpus) {
    return std::get<Training>(WorkTable::usual().job_of(gpus).work).model.name;
  };
  CHECK(model(16) == "llama3-8b");
  CHECK(model(64) == "llama3-70b");
  CHECK(model(1024) == "llama3-405b");
}

TEST_CASE("the format's page shows the usual work, and tables and traces that are read",
          "[trace]") {
  const std::string page =
      read_file(std::string(ZONECUT_TEST_SOURCE_DIR) + "/../docs/formats/arrivals.md");
  CHECK(page.find(WorkTable::usual_text()) != std::string::npos);
  const auto block = [&](const std::string& kind) {
    const std::size_t begin = page.find("```" + kind + "\n") + kind.size() + 4;
    return page.substr(begin, page.find("```", begin) - begin);
  };
  CHECK(WorkTable::parse(block("yaml"), "page").job_of(48).ranks() == 48);
  CHECK(parse_trace(block("csv"), "page", {}).jobs.size() == 3);
}

TEST_CASE("the first entry that holds the GPUs and divides them is taken", "[trace]") {
  const WorkTable table = WorkTable::parse(
      "format: work/v1\nwork:\n  - {gpus: 16-64, job: \"model=llama3-70b,tp=8,pp=4\"}\n"
      "  - {gpus: 48, job: \"model=llama3-8b,tp=8\"}\n",
      "table");
  CHECK(std::get<Training>(table.job_of(64).work).parallelism.dp == 2);
  CHECK(std::get<Training>(table.job_of(48).work).model.name == "llama3-8b");
  CHECK_THROWS_AS(table.job_of(72), InputError);
  CHECK_THROWS_AS(table.job_of(40), InputError);
}

TEST_CASE("expert groups spread over replicas that the size brings", "[trace]") {
  const WorkTable table =
      WorkTable::parse("work:\n  - {gpus: 16-, job: \"model=mixtral-8x22b,tp=2,ep=8\"}\n", "table");
  CHECK(std::get<Training>(table.job_of(32).work).parallelism.dp == 16);
  CHECK_THROWS_AS(table.job_of(20), InputError);
}

TEST_CASE("mistakes of a table are told together", "[trace]") {
  CHECK(table_mistakes("format: work/v1\nwork:\n  - {gpus: 8-4, job: \"tp=8,pp=2\"}\n"
                       "  - {gpus: 8, job: \"tp=8,dp=2\"}\n"
                       "  - {gpus: 8, job: \"kind=recommendation,gpus=8,embedding=1GB\"}\n"
                       "  - {gpus: 8, job: \"tp=x,pp=2\", name: a}\n") ==
        "gpus: found \"8-4\", expected 64, 16-63 or 64-\n"
        "job: found dp or gpus, but the trace says the size\n"
        "job: found no training job\n"
        "unknown key \"name\"\n"
        "job: found \"x\", expected a whole number from 1 to 4194304\n");
  CHECK(table_mistakes("work: []\n") == "found no entry\n");
  CHECK(table_mistakes("format: work/v2\nworks: []\n") == "found \"work/v2\", expected work/v1\n");
}
