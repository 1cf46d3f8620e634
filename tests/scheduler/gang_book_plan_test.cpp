// How gangs are planned, and planned anew around what runs of them.
#include <algorithm>
#include <set>

#include "gang_yard.hpp"
#include "support/catch.hpp"

using namespace zonecut;

TEST_CASE("a gang is planned whole, in as few zones as hold it", "[scheduler][gang]") {
  Yard yard;
  yard.book.set(yard.ring("g", 4), 0);
  const Reservation* plan = yard.book.plan("g", yard.at());
  REQUIRE(plan != nullptr);
  CHECK(yard.zones(plan->servers) == 1);
  CHECK(plan->cross_zone == Bytes{0});
  for (std::size_t member = 0; member < 4; ++member)
    CHECK(yard.book.server_for("g", {member, {}, true}, yard.at()) == plan->servers[member]);
}

TEST_CASE("what does not fit whole is not planned at all, and holds nothing", "[scheduler][gang]") {
  Yard yard;
  yard.book.set(yard.ring("g", 13), 0);
  CHECK(yard.book.plan("g", yard.at()) == nullptr);
  CHECK(yard.book.why_waiting("g") == "free GPUs: needs 13 places of 8 free GPUs; there are 12");
  CHECK_FALSE(yard.book.server_for("g", {0, {}, true}, yard.at()));
  CHECK(yard.book.counts().reserved_gpus == 0);
  CHECK(yard.book.counts().waiting == 1);
}

TEST_CASE("a gang at whose planning an internal error is met waits, and stops no other",
          "[scheduler][gang]") {
  Yard yard;
  GangState broken = yard.ring("a", 2);
  broken.gang.job.ranks_per_server.reset();  // a contract of plan_gang
  yard.book.set(broken, 0);
  yard.book.set(yard.ring("g", 13), 0);
  CHECK(yard.book.plan("a", yard.at()) == nullptr);
  CHECK(yard.book.why_waiting("a").starts_with("internal error: "));
  CHECK(yard.book.plan("g", yard.at()) == nullptr);
  yard.book.set(yard.ring("g", 4), 0);
  yard.book.note_refusal("g");
  yard.book.room_was_gained();
  yard.book.retry(yard.at());
  CHECK(yard.book.take_replanned() == std::vector<std::string>{"g"});
}

TEST_CASE("two gangs never share a GPU", "[scheduler][gang]") {
  Yard yard;
  yard.book.set(yard.ring("g", 8), 0);
  yard.book.set(yard.ring("h", 8, 4), 0);
  yard.book.set(yard.ring("i", 4), 0);
  REQUIRE(yard.book.plan("g", yard.at()) != nullptr);
  REQUIRE(yard.book.plan("h", yard.at()) != nullptr);
  CHECK(yard.book.plan("i", yard.at()) == nullptr);
  CHECK_FALSE(yard.overbooked());
  CHECK(yard.book.counts().reserved_gpus == 8 * 8 + 8 * 4);
}

TEST_CASE("members that run keep their servers, and the rest is planned around them",
          "[scheduler][gang]") {
  Yard yard;
  GangState state = yard.ring("g", 4);
  state.gang.standing[2] = yard.server("s7");
  state.pending = 3;
  yard.used[yard.server("s7")] = 8;
  yard.book.set(state, 0);
  const Reservation* plan = yard.book.plan("g", yard.at());
  REQUIRE(plan != nullptr);
  CHECK(plan->servers[2] == yard.server("s7"));
  CHECK(yard.zones(plan->servers) == 1);
  CHECK(std::set(plan->servers.begin(), plan->servers.end()).size() == 4);
}

TEST_CASE("a book made anew between two members comes to the same plan", "[scheduler][gang]") {
  Yard yard;
  GangState state = yard.ring("g", 6);
  yard.book.set(state, 0);
  const std::vector<ServerId> planned = yard.book.plan("g", yard.at())->servers;
  yard.start(state, 0);
  yard.start(state, 3);
  Yard fresh;
  fresh.used = yard.used;
  fresh.book.set(state, 0);
  CHECK(fresh.book.plan("g", fresh.at())->servers == planned);
}

TEST_CASE("only a lost member moves", "[scheduler][gang]") {
  Yard yard;
  GangState state = yard.ring("g", 4);
  yard.book.set(state, 0);
  const std::vector<ServerId> planned = yard.book.plan("g", yard.at())->servers;
  for (std::size_t member = 0; member < 4; ++member) yard.start(state, member);
  // Its node is gone, and a pod of the same place waits.
  std::erase(yard.eligible, planned[1]);
  state.gang.eligible = yard.eligible;
  state.gang.standing[1].reset();
  state.pending = 1;
  yard.used[planned[1]] = 0;
  yard.book.set(state, 10);
  yard.book.room_was_gained();
  yard.book.retry(yard.at(10));
  const Reservation* plan = yard.book.reservation("g");
  REQUIRE(plan != nullptr);
  CHECK(plan->servers[1] != planned[1]);
  for (const std::size_t member : {0u, 2u, 3u}) CHECK(plan->servers[member] == planned[member]);
  CHECK(yard.book.take_replanned() == std::vector<std::string>{"g"});
}

TEST_CASE("a server that is not offered is replaced by one that is", "[scheduler][gang]") {
  Yard yard;
  yard.book.set(yard.ring("g", 3), 0);
  const std::vector<ServerId> planned = yard.book.plan("g", yard.at())->servers;
  std::vector<ServerId> offered = yard.eligible;
  std::erase(offered, planned[0]);
  const auto given = yard.book.server_for("g", {0, only(offered), true}, yard.at());
  REQUIRE(given.has_value());
  CHECK(*given != planned[0]);
  const std::vector<ServerId> one = {yard.server("s1")};
  const auto only_told = yard.book.server_for("g", {1, only(one), false}, yard.at());
  CHECK((!only_told || *only_told == yard.server("s1")));
  CHECK(yard.book.reservation("g")->servers[0] == *given);
}

TEST_CASE("a server that was named for a member stays its own though others are planned anew",
          "[scheduler][gang]") {
  Yard yard;
  yard.book.set(yard.ring("g", 4), 0);
  const ServerId first = *yard.book.server_for("g", {0, {}, true}, yard.at());
  std::vector<ServerId> offered = yard.eligible;
  std::erase(offered, yard.book.reservation("g")->servers[1]);
  REQUIRE(yard.book.server_for("g", {1, only(offered), true}, yard.at(5)));
  CHECK(yard.book.reservation("g")->servers[0] == first);
}

TEST_CASE("a member whose server is no longer offered gets another, soon after it was named",
          "[scheduler][gang]") {
  Yard yard;
  yard.book.set(yard.ring("g", 4), 0);
  const ServerId named = *yard.book.server_for("g", {0, {}, true}, yard.at());
  std::vector<ServerId> offered = yard.eligible;
  std::erase(offered, named);
  const auto again = yard.book.server_for("g", {0, only(offered), true}, yard.at(5));
  REQUIRE(again.has_value());
  CHECK(*again != named);
}

TEST_CASE("what was named for members stays theirs though a server of the plan is gone",
          "[scheduler][gang]") {
  Yard before("a: r1[s1 s2 s3 s4]");
  before.book.set(before.ring("g", 4), 0);
  std::vector<std::string> named;
  for (const std::size_t member : {0u, 1u}) {
    const ServerId server = *before.book.server_for("g", {member, {}, true}, before.at());
    named.push_back(before.sketched.cluster->server(server).name);
  }
  const std::string lost =
      before.sketched.cluster->server(before.book.reservation("g")->servers[3]).name;
  std::string drawing = "a: r0[new] r1[s1 s2 s3 s4]";
  drawing.erase(drawing.find(lost), lost.size());
  Yard after(drawing.c_str());
  before.book.move_to(*before.sketched.cluster, *after.sketched.cluster);
  before.book.set(after.ring("g", 4), 1);
  // Whoever asks next offers what the two on their way have left over.
  std::vector<ServerId> offered = after.eligible;
  for (const std::string& name : named) std::erase(offered, after.server(name));
  REQUIRE(before.book.server_for("g", {2, only(offered), true}, after.at(2)));
  for (const std::size_t member : {0u, 1u}) {
    CHECK(before.book.reservation("g")->servers[member] == after.server(named[member]));
  }
}

TEST_CASE("when nothing offered will do, a gang of which nobody was told a server waits",
          "[scheduler][gang]") {
  Yard yard;
  yard.book.set(yard.ring("g", 4), 0);
  REQUIRE(yard.book.plan("g", yard.at()) != nullptr);
  std::vector<ServerId> offered = yard.eligible;
  for (const ServerId planned : yard.book.reservation("g")->servers) std::erase(offered, planned);
  offered.resize(2, ServerId{0});
  CHECK_FALSE(yard.book.server_for("g", {0, only(offered), true}, yard.at()));
  CHECK(yard.book.reservation("g") == nullptr);
}

TEST_CASE("a plan whose room somebody else took is made again", "[scheduler][gang]") {
  Yard yard;
  yard.book.set(yard.ring("g", 4), 0);
  const std::vector<ServerId> planned = yard.book.plan("g", yard.at())->servers;
  yard.used[planned[3]] = 1;
  const Reservation* plan = yard.book.plan("g", yard.at());
  REQUIRE(plan != nullptr);
  CHECK(std::find(plan->servers.begin(), plan->servers.end(), planned[3]) == plan->servers.end());
}

TEST_CASE("a gang whose wish changes is planned anew", "[scheduler][gang]") {
  Yard yard;
  yard.book.set(yard.ring("g", 4), 0);
  REQUIRE(yard.book.plan("g", yard.at()) != nullptr);
  yard.book.set(yard.ring("g", 6), 0);
  CHECK(yard.book.reservation("g") == nullptr);
  CHECK(yard.book.plan("g", yard.at())->servers.size() == 6);
}

TEST_CASE("a job that does not come to one place a member waits and says why",
          "[scheduler][gang]") {
  Yard yard;
  GangState state = yard.ring("g", 4);
  state.gang.job.ranks_per_server = 4;
  yard.book.set(state, 0);
  CHECK(yard.book.plan("g", yard.at()) == nullptr);
  CHECK(yard.book.why_waiting("g").find("has 32 ranks, but 4 members of 4 GPUs have room for 16") !=
        std::string::npos);
}

TEST_CASE("a plan says whether its gang had another before", "[scheduler][gang]") {
  Yard yard;
  GangState state = yard.ring("g", 4);
  yard.book.set(state, 0);
  CHECK_FALSE(yard.book.plan("g", yard.at())->again);
  std::erase(yard.eligible, yard.book.reservation("g")->servers[0]);
  state.gang.eligible = yard.eligible;
  yard.book.set(state, 0);
  CHECK(yard.book.plan("g", yard.at())->again);
  state.wish = "another";
  yard.book.set(state, 0);
  CHECK(yard.book.plan("g", yard.at())->again);
  yard.book.forget("g");
  yard.book.set(state, 0);
  CHECK_FALSE(yard.book.plan("g", yard.at())->again);
}

TEST_CASE("a gang that was refused for the sake of a promise is tried again without it",
          "[scheduler][gang]") {
  Yard before("a: r1[s1 s2 s3 s4] \n b: r2[s5 s6 s7]");
  GangState state = before.ring("g", 4);
  state.gang.constraints.required_level = before.sketched.cluster->zone_level();
  before.book.set(state, 0);
  const ServerId named = *before.book.server_for("g", {0, {}, true}, before.at());
  // Another server of its zone is gone, and the other zone now has room for all.
  const std::string lost =
      before.sketched.cluster->server(before.book.reservation("g")->servers[1]).name;
  std::string drawing = "a: r1[s1 s2 s3 s4] \n b: r2[s5 s6 s7 s8]";
  drawing.erase(drawing.find(lost), lost.size());
  Yard after(drawing.c_str());
  const ServerId promised = after.server(before.sketched.cluster->server(named).name);
  before.book.move_to(*before.sketched.cluster, *after.sketched.cluster);
  state.gang.eligible = after.eligible;
  before.book.set(state, 1);
  before.book.retry(after.at(2));
  REQUIRE(before.book.reservation("g") == nullptr);
  SECTION("once it has lapsed") {
    before.book.retry(after.at(9'999));
    CHECK(before.book.reservation("g") == nullptr);
    before.book.retry(after.at(10'000));
    REQUIRE(before.book.reservation("g") != nullptr);
    CHECK(before.book.take_replanned() == std::vector<std::string>{"g"});
  }
  SECTION("once its member asks again, which is then not on its way") {
    CHECK(before.book.server_for("g", {0, {}, true}, after.at(3)));
    REQUIRE(before.book.reservation("g") != nullptr);
  }
  CHECK(after.zones(before.book.reservation("g")->servers) == 1);
  CHECK(before.book.reservation("g")->servers[0] != promised);
}
