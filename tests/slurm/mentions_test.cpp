#include "mentions.hpp"

#include <algorithm>

#include "support/catch.hpp"

using namespace zonecut::slurm;

namespace {

std::string found(std::vector<std::string> entries, const std::vector<std::string>& words) {
  std::vector<char*> environment;
  for (std::string& entry : entries) environment.push_back(entry.data());
  environment.push_back(nullptr);
  return variable_that_mentions(environment.data(), words);
}

/// Asks again: on a busy machine getent takes longer than a step waits for it.
std::vector<std::string> addresses(const std::string& server, bool is_here) {
  for (int tries = 0; tries < 20; ++tries) {
    if (auto found = addresses_of(server, is_here)) return *std::move(found);
  }
  return {};
}

}  // namespace

TEST_CASE("a server is mentioned where its name stands as a word", "[slurm]") {
  for (const char* text : {"n01", "tcp://n01:29500", "n01.example.org", "n00,n01", "[n01]:1",
                           "n01-ib0", "n010 n01", "user@n01"}) {
    INFO(text);
    CHECK(mentions(text, "n01"));
  }
  for (const char* text : {"", "n0", "n010", "an01", "n[01-16]", "N01"}) {
    INFO(text);
    CHECK_FALSE(mentions(text, "n01"));
  }
  CHECK(mentions("tcp://10.0.0.1:29500", "10.0.0.1"));
  CHECK_FALSE(mentions("tcp://10.0.0.11:29500", "10.0.0.1"));
  CHECK_FALSE(mentions("n01", ""));
}

TEST_CASE("variables that mention a server are found", "[slurm]") {
  CHECK(found({"A=b", "INIT_METHOD=tcp://n01:29500"}, {"n01"}) == "INIT_METHOD");
  CHECK(found({"A=10.0.0.1"}, {"n01", "10.0.0.1"}) == "A");
  CHECK(found({"SLURM_JOB_NAME=n01"}, {"n01"}) == "SLURM_JOB_NAME");
  CHECK(found({"A=n02", "n01=b", "n01"}, {"n01"}).empty());
  CHECK(found({}, {"n01"}).empty());
  CHECK(variable_that_mentions(nullptr, {}).empty());
}

TEST_CASE("tasks have srun's value of what --export hands on to them", "[slurm]") {
  for (const char* list : {"", "ALL", "all", "A=b,ALL", "MASTER_ADDR", "PATH,MASTER_ADDR,A=1",
                           "ALL,MASTER_PORT=1", "MASTER_ADDR_OF=n01,ALL"}) {
    INFO(list);
    CHECK(exports(list, "MASTER_ADDR"));
  }
  for (const char* list : {"NONE", "NIL", "PATH", "MASTER_ADDR=n01", "ALL,MASTER_ADDR=n01",
                           "MASTER_ADDR=", "MASTER_ADDR_OF", "ALLES", "A='ALL,b'", ",", "A=ALL"}) {
    INFO(list);
    CHECK_FALSE(exports(list, "MASTER_ADDR"));
  }
}

TEST_CASE("variables in which every job's servers stand say nothing", "[slurm]") {
  CHECK(found({"MASTER_ADDR=n01", "SLURM_JOB_NODELIST=n01,n03", "SLURM_NODELIST=n01,n03",
               "SLURMD_NODENAME=n01", "HOSTNAME=n01", "SLURM_TOPOLOGY_ADDR=s1.n01",
               "SLURM_SUBMIT_HOST=n01"},
              {"n01"})
            .empty());
}

TEST_CASE("a server's addresses are those its name has", "[slurm]") {
  const std::vector<std::string> here = addresses("localhost", false);
  REQUIRE_FALSE(here.empty());
  CHECK(std::all_of(here.begin(), here.end(), [](const std::string& address) {
    return address == "::1" || address.starts_with("127.");
  }));
  CHECK(addresses("192.0.2.7", false) == std::vector<std::string>{"192.0.2.7"});
  const std::vector<std::string> both = addresses("192.0.2.7", true);
  REQUIRE_FALSE(both.empty());
  CHECK(both.front() == "192.0.2.7");
  CHECK(std::find(both.begin(), both.end(), "127.0.0.1") == both.end());
}
