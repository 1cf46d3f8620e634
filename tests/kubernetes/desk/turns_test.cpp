// Who is told when something changes that Kubernetes does not tell of: replicas that take over,
// reservations that end, sizes that become known.
#include "support/catch.hpp"
#include "yard.hpp"

using namespace zonecut;
using namespace zonecut::kubernetes;

namespace {

Pod of_job(int index) {
  Pod pod = a_plain_pod("job-" + std::to_string(index), 8);
  pod.labels = {{"batch.kubernetes.io/job-name", "job"},
                {"batch.kubernetes.io/job-completion-index", std::to_string(index)}};
  pod.owners = {{"batch/v1", "Job", "job", true}};
  return pod;
}

}  // namespace

TEST_CASE("a replica that lost the lead while it asked for a size answers nothing",
          "[kubernetes][desk][turns]") {
  Yard yard;
  yard.begin();
  yard.fetched.shape = GangShape{{{"", 1, 4, 0}}};
  yard.when_asked = [&] { yard.desk.lead(false); };
  CHECK_THROWS_AS(yard.ask(of_job(0)), NotReady);
  yard.desk.lead(true);
  yard.now += 60'000;  // its size is asked for once more
  CHECK(yard.desk.errands().empty());
  CHECK_FALSE(yard.desk.is_ready());
}

TEST_CASE("a replica that follows forgets what ends", "[kubernetes][desk][turns]") {
  Yard yard;
  yard.begin();
  yard.desk.lead(false);
  yard.desk.pod_changed(a_member("g", 0, 4));
  CHECK(yard.desk.errands().empty());
  CHECK(yard.desk.counts().gangs == 1);
  yard.desk.pod_gone("uid-g-0");
  CHECK(yard.desk.errands().empty());
  CHECK(yard.desk.counts().gangs == 0);
}
