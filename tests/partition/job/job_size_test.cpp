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
