#include "answer.hpp"

#include "support/catch.hpp"

using namespace zonecut::slurm;

namespace {

Step step() {
  Step step;
  step.allocation = {"n1", "n2", "n3", "n4"};
  step.servers = {"n1", "n2", "n3"};
  step.nodes = 2;
  step.tasks = 6;
  return step;
}

std::string answer(const std::string& nodelist, const std::string& more = "") {
  return "zonecut.slurm-order/v1\nchanged=1\ntasks_per_node=3\nnodelist=" + nodelist + "\n" + more +
         "end\n";
}

}  // namespace

TEST_CASE("a complete answer is taken", "[slurm]") {
  const auto taken =
      read_answer(answer("n3,n1", "summary=4 B\x1b[31m instead of 7 B\nunknown=later\n"), step());
  REQUIRE(taken.has_value());
  CHECK(taken->changed);
  CHECK(taken->servers == std::vector<std::string>{"n3", "n1"});
  CHECK(taken->gain == "4 B[31m instead of 7 B");
}

TEST_CASE("an answer that is not for this step is not taken", "[slurm]") {
  const std::string good = answer("n3,n1");
  for (const std::string& text :
       {std::string(), std::string("\n"), good.substr(0, good.size() - 4),
        good.substr(0, good.size() - 2), answer("n3,n4"), answer("n3,n3"), answer("n3"),
        answer("n3,n1,n2"), answer(""), answer("n3,"), answer("n3, n1"),
        answer("n3,n1", "rubbish\n"), "x" + good, std::string("zonecut.slurm-order/v1\nend\n"),
        std::string("zonecut.slurm-order/v1\nchanged=yes\ntasks_per_node=3\nnodelist=n1,n2\nend\n"),
        std::string(
            "zonecut.slurm-order/v1\nchanged=1\ntasks_per_node=2\nnodelist=n1,n2\nend\n")}) {
    INFO(text);
    CHECK_FALSE(read_answer(text, step()).has_value());
  }
}

TEST_CASE("any prefix of an answer is refused without harm", "[slurm]") {
  const std::string good = answer("n3,n1");
  for (std::size_t length = 0; length < good.size() - 1; ++length)
    CHECK_FALSE(read_answer(good.substr(0, length), step()).has_value());
  CHECK(read_answer(good, step()).has_value());
}
