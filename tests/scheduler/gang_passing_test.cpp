#include "zonecut/scheduler/gang_passing.hpp"

#include "gang_yard.hpp"
#include "support/catch.hpp"

using namespace zonecut;

TEST_CASE("what was let through counts on every server it may go to, until it starts or for a time",
          "[scheduler][gang]") {
  const Yard yard;
  const std::size_t count = yard.used.size();
  const ServerId s1 = yard.server("s1");
  const ServerId s2 = yard.server("s2");
  Passing passing;
  passing.let_through("p", {s1, s2}, 4, 0);
  passing.let_through("q", {s2}, 2, 5'000);
  CHECK(passing.gpus(count, "", 9'999)[s1] == 4);
  CHECK(passing.gpus(count, "", 9'999)[s2] == 6);
  CHECK(passing.gpus(count, "p", 9'999)[s2] == 2);
  CHECK(passing.gpus(count, "", 10'000)[s2] == 2);
  passing.let_through("q", {s1}, 2, 6'000);
  CHECK(passing.gpus(count, "p", 6'000)[s2] == 0);
  passing.forget("q");
  CHECK(passing.gpus(count, "p", 6'000)[s1] == 0);
}

TEST_CASE("what was let through follows its servers by name", "[scheduler][gang]") {
  const Yard yard;
  const Sketch fewer = sketch("a: r0[s0] r1[s2]");
  Passing passing;
  passing.let_through("p", {yard.server("s1"), yard.server("s2")}, 4, 0);
  passing.move_to(*yard.sketched.cluster, *fewer.cluster);
  const UsedGpus gpus = passing.gpus(fewer.cluster->server_count(), "", 1);
  CHECK(gpus[*fewer.cluster->find_server("s2")] == 4);
  CHECK(gpus[*fewer.cluster->find_server("s0")] == 0);
}
