#include "zonecut/partition/job_size.hpp"

#include "support/catch.hpp"
#include "zonecut/base/error.hpp"

using namespace zonecut;

namespace {

JobFile fitted(const std::string& text, const AllocationSize& allocation) {
  JobFile file = parse_job_words(text, "--job");
  fit_to(allocation, file);
  return file;
}

}  // namespace

TEST_CASE("replicas follow from the allocation", "[job]") {
  // A launcher on each server starts a rank for each GPU; several tasks are the ranks.
  CHECK(fitted("tp=8,pp=4", {16, 1, 8}).job.ranks() == 128);
  CHECK(fitted("tp=4,pp=4", {16, 4, 8}).job.ranks() == 64);
  CHECK(fitted("tp=4,pp=4", {16, 4, 8}).job.ranks_per_server == 4);
  CHECK(fitted("tp=8,dp=12", {12, 1, 8}).job.ranks() == 96);
  CHECK(fitted("tp=4,dp=12", {12, 1, 8}).job.ranks_per_server == 4);
}

TEST_CASE("replicas are what an encoder leaves of the allocation", "[job]") {
  const std::string encoder =
      "model=llama3-8b,tp=8,pp=2,mbs=4,encoder_parameters=1e9,encoder_layers=2,encoder_hidden=64,"
      "encoder_tokens=9,encoder_tp=4";
  const auto dp = [&](const std::string& more, std::size_t servers) {
    return std::get<Training>(fitted(encoder + more, {servers, 1, 8}).job.work).parallelism.dp;
  };
  CHECK(dp(",encoder_dp=4", 18) == 8);
  CHECK(dp("", 20) == 8);  // 16 + 4 ranks a replica
  CHECK_THROWS_WITH(dp(",encoder_dp=4", 19),
                    "--job: the allocation has 152 ranks, not the 16 of the encoder and a multiple "
                    "of tp*cp*pp = 16");
}

TEST_CASE("what only many replicas go with is left to the allocation, too", "[job]") {
  const auto dp = [](const std::string& text, std::size_t servers) {
    return std::get<Training>(fitted(text, {servers, 1, 8}).job.work).parallelism.dp;
  };
  CHECK(dp("ep=8,model=mixtral-8x7b", 4) == 32);
  CHECK(dp("ep=8,tp=2,etp=2,model=mixtral-8x7b,gbs=48", 6) == 24);
  CHECK(dp("zero=hsdp,shard=8,model=llama3-8b", 3) == 24);
  const std::string encoder =
      "tp=8,mbs=2,encoder_parameters=1e9,encoder_layers=2,encoder_hidden=64,encoder_tokens=9,";
  CHECK(dp(encoder + "gbs=8,encoder_dp=8", 5) == 4);  // each replica is fed by two
  CHECK(dp(encoder + "gbs=48,encoder_dp=8", 9) == 8);
  CHECK(dp(encoder + "encoder_dp=4,encoder_tp=2,zero=hsdp,shard=3", 13) == 12);
}

TEST_CASE("what does not go with the replicas of the allocation has its place", "[job]") {
  CHECK_THROWS_WITH(fitted("tp=8,gbs=16,mbs=2", {5, 1, 8}),
                    "--job:1:6: global_batch 16 is no multiple of micro_batch*dp = 10");
  CHECK_THROWS_WITH(fitted("ep=8,model=mixtral-8x7b", {3, 1, 4}),
                    "--job:1:1: etp*ep = 8 does not divide tp*cp*dp = 12");
  CHECK_THROWS_WITH(fitted("encoder_dp=4,encoder_parameters=1e9,encoder_layers=2,encoder_hidden=64,"
                           "encoder_tokens=9,mbs=4,tp=2",
                           {2, 1, 8}),
                    Catch::Matchers::Contains(
                        "--job:1:1: encoder.dp is 4, expected a divisor or a multiple of dp = 6"));
}

TEST_CASE("a job of no size has as few replicas as it goes with", "[job]") {
  const auto dp = [](const std::string& text) {
    return std::get<Training>(parse_job_text(text).work).parallelism.dp;
  };
  CHECK(dp("tp=8,pp=4") == 1);
  CHECK(dp("tp=4,ep=8,etp=2,model=mixtral-8x7b") == 4);
  CHECK(dp("cp=2,zero=hsdp,shard=12,model=llama3-8b") == 6);
  const std::string encoder =
      "tp=8,encoder_parameters=1e9,encoder_layers=2,encoder_hidden=64,encoder_tokens=9";
  CHECK(dp(encoder) == 1);
  CHECK(dp(encoder + ",encoder_dp=24") == 24);
  CHECK(dp(encoder + ",encoder_dp=24,mbs=16") == 3);
  CHECK(dp("tp=8,gbs=64,mbs=2,micro_batches=4") == 8);
  CHECK_THROWS_WITH(dp("etp=4194303,ep=4194301,model=mixtral-8x7b"),
                    Catch::Matchers::Contains("does not divide"));
  CHECK_THROWS_WITH(dp("zero=hsdp,shard=4194304,tp=2,model=llama3-8b"),
                    Catch::Matchers::Contains("more than 4194304 ranks"));
}

TEST_CASE("a job that does not come out even is refused", "[job]") {
  CHECK_THROWS_WITH(fitted("tp=8,pp=5", {12, 1, 8}),
                    "--job: the allocation has 96 ranks, no multiple of tp*cp*pp = 40");
  CHECK_THROWS_WITH(fitted("tp=8,dp=13", {12, 1, 8}),
                    "--job: 104 ranks do not spread evenly over 12 servers");
  CHECK_THROWS_WITH(fitted("tp=8,pp=4,dp=3", {16, 8, 8}),
                    "--job: 96 ranks are 6 on each of 16 servers, where there are 8 tasks");
  CHECK(fitted("tp=8,dp=4", {4, 2, 8}).job.ranks_per_server == 8);  // two tasks of four ranks
  CHECK_THROWS_AS(fitted("tp=8", {0, 1, 8}), InputError);
  CHECK_THROWS_AS(fitted("tp=8", {4, 1, 0}), InputError);
}

TEST_CASE("words of a stranger open no file", "[job]") {
  CHECK_THROWS_AS(parse_job_words("/etc/passwd", "comment"), InputError);
  CHECK_THROWS_AS(parse_job_words("job.yaml", "comment"), InputError);
  CHECK_THROWS_AS(parse_job_words("-", "comment"), InputError);
  CHECK(parse_job_words("tp=8,dp=2", "comment").job.ranks() == 16);
}
