#include <algorithm>
#include <limits>
#include <numeric>
#include <random>
#include <set>

#include "support/catch.hpp"
#include "support/sketch.hpp"
#include "zonecut/base/error.hpp"
#include "zonecut/scheduler/gang_book.hpp"

using namespace zonecut;

namespace {

constexpr const char* kThreeZones = R"(
  a: r1[s1 s2] r2[s3 s4]
  b: r3[s5 s6] r4[s7 s8]
  c: r5[s9 s10] r6[s11 s12]
)";

/// A cluster whose gangs a test tells of, and what runs on it.
struct Yard {
  explicit Yard(const char* drawing = kThreeZones, BookOptions options = {})
      : sketched(sketch(drawing)),
        used(sketched.cluster->server_count(), 0),
        eligible(sketched.cluster->server_count(), ServerId{0}),
        book(std::move(options)) {
    for (std::size_t i = 0; i < eligible.size(); ++i) eligible[i] = ServerId{i};
  }

  [[nodiscard]] ServerId server(std::string_view name) const {
    return *sketched.cluster->find_server(name);
  }
  [[nodiscard]] GangState ring(const std::string& name, std::size_t members, int gpus = 8) const {
    GangState state;
    state.gang.name = name;
    state.gang.job = parse_job_text("model=llama3-8b,gpus=" +
                                    std::to_string(members * static_cast<std::size_t>(gpus)));
    state.gang.job.ranks_per_server = gpus;
    state.gang.eligible = eligible;
    state.gang.standing.resize(members);
    state.wish = name + std::to_string(members);
    state.pending = members;
    return state;
  }
  [[nodiscard]] ClusterNow at(std::int64_t now = 0) const {
    return {*sketched.cluster, *sketched.fabric, used, now};
  }
  /// A member runs where it was told to.
  void start(GangState& state, std::size_t member, std::int64_t now = 0) {
    const ServerId server = book.reservation(state.gang.name)->servers[member];
    state.gang.standing[member] = server;
    --state.pending;
    used[server] += state.gang.gpus();
    book.set(state, now);
  }
  [[nodiscard]] std::size_t zones(const std::vector<ServerId>& servers) const {
    std::set<DomainId> zones;
    for (const ServerId s : servers)
      zones.insert(sketched.cluster->domain_of(s, sketched.cluster->zone_level()));
    return zones.size();
  }
  /// No server has more used and reserved than it has.
  [[nodiscard]] bool overbooked() const {
    const UsedGpus reserved = book.reserved(used.size());
    for (const ServerId server : eligible) {
      if (used[server] + reserved[server] > sketched.cluster->server(server).gpus) return true;
    }
    return false;
  }

  Sketch sketched;
  UsedGpus used;
  std::vector<ServerId> eligible;
  GangBook book;
};

Offer only(const std::vector<ServerId>& servers) {
  return {
      [=](ServerId server) { return std::binary_search(servers.begin(), servers.end(), server); },
      [=] { return servers; }};
}

}  // namespace

TEST_CASE("what is in no gang keeps off what is reserved, whatever it asks for",
          "[scheduler][gang]") {
  CHECK(spares_reserved(8, 4, 0, 8));  // others say that there is no room
  CHECK(spares_reserved(8, 2, 4, 2));
  CHECK_FALSE(spares_reserved(8, 2, 4, 3));
  constexpr int kAbsurd = std::numeric_limits<int>::max();
  CHECK_FALSE(spares_reserved(8, kAbsurd, 4, kAbsurd));
}

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

TEST_CASE("room that is gained goes to the gang that is first in turn", "[scheduler][gang]") {
  Yard yard;
  for (const ServerId server : yard.eligible) yard.used[server] = 8;
  GangState old = yard.ring("old", 4);
  GangState young = yard.ring("young", 4);
  GangState urgent = yard.ring("urgent", 4);
  old.since = 100;
  young.since = 200;
  urgent.since = 300;
  urgent.priority = 5;
  for (const GangState& state : {young, old, urgent}) {
    yard.book.set(state, 0);
    CHECK(yard.book.plan(state.gang.name, yard.at()) == nullptr);
  }
  for (const char* name : {"s1", "s2", "s3", "s4"}) yard.used[yard.server(name)] = 0;
  yard.book.room_was_gained();
  SECTION("when all are tried") { yard.book.retry(yard.at(1)); }
  SECTION("when another one asks") { CHECK(yard.book.plan("young", yard.at(1)) == nullptr); }
  CHECK(yard.book.reservation("urgent") != nullptr);
  CHECK(yard.book.take_replanned() == std::vector<std::string>{"urgent"});
  for (const char* name : {"s9", "s10", "s11", "s12"}) yard.used[yard.server(name)] = 0;
  yard.book.room_was_gained();
  CHECK(yard.book.plan("young", yard.at(2)) == nullptr);
  CHECK(yard.book.take_replanned() == std::vector<std::string>{"old"});
}

TEST_CASE("a reservation ends when nobody renews it, or when nothing comes of it",
          "[scheduler][gang]") {
  BookOptions options;
  options.reserve = 100;
  options.patience = 1000;
  Yard yard(kThreeZones, options);
  GangState state = yard.ring("g", 4);
  yard.book.set(state, 0);
  REQUIRE(yard.book.plan("g", yard.at(0)) != nullptr);
  SECTION("its pods are there") {
    for (std::int64_t now = 50; now < 1000; now += 50) CHECK(yard.book.expire(now).empty());
    CHECK(yard.book.expire(1000) == std::vector<std::string>{"g"});
    CHECK(yard.book.plan("g", yard.at(1001)) == nullptr);
    yard.book.room_was_gained();
    CHECK(yard.book.plan("g", yard.at(2001)) != nullptr);
  }
  SECTION("nobody is there") {
    state.pending = 0;
    yard.book.set(state, 50);
    CHECK(yard.book.expire(99).empty());
    CHECK(yard.book.expire(100) == std::vector<std::string>{"g"});
    CHECK(yard.book.counts().reserved_gpus == 0);
    CHECK(yard.book.plan("g", yard.at(101)) != nullptr);
  }
  SECTION("all run") {
    for (std::size_t member = 0; member < 4; ++member) yard.start(state, member, 50);
    CHECK(yard.book.expire(100'000).empty());
  }
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

TEST_CASE("reservations follow their servers by name when the cluster changes",
          "[scheduler][gang]") {
  Yard yard;
  yard.book.set(yard.ring("g", 2), 0);
  const ServerId planned = yard.book.plan("g", yard.at())->servers[0];
  const std::string name = yard.sketched.cluster->server(planned).name;
  Yard more(R"(
  x: r0[t1 t2 t3]
  a: r1[s1 s2] r2[s3 s4]
  b: r3[s5 s6] r4[s7 s8]
  c: r5[s9 s10] r6[s11 s12]
)");
  yard.book.move_to(*yard.sketched.cluster, *more.sketched.cluster);
  CHECK(yard.book.reservation("g")->servers[0] == more.server(name));
  Yard less("x: r0[t1 t2 t3]");
  yard.book.move_to(*more.sketched.cluster, *less.sketched.cluster);
  CHECK(yard.book.reservation("g") == nullptr);
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

TEST_CASE("whatever happens, no GPU is given twice and what runs stays", "[scheduler][gang]") {
  std::mt19937 chance(7);
  const auto below = [&](std::size_t n) { return chance() % n; };
  for (int round = 0; round < 20; ++round) {
    Yard yard;
    std::map<std::string, GangState> gangs;
    std::int64_t now = 0;
    for (int step = 0; step < 60; ++step, now += 7'000) {
      const std::string name = "g" + std::to_string(below(6));
      const auto found = gangs.find(name);
      if (found == gangs.end()) {
        gangs[name] = yard.ring(name, 1 + below(7), below(2) == 0 ? 8 : 4);
        gangs[name].since = now;
        yard.book.set(gangs[name], now);
      } else if (below(5) == 0) {
        const GangState& state = found->second;
        for (const auto& server : state.gang.standing) {
          if (server) yard.used[*server] -= state.gang.gpus();
        }
        gangs.erase(found);
        yard.book.forget(name);
      } else {
        GangState& state = found->second;
        const std::size_t member = below(state.gang.members());
        if (state.gang.standing[member]) continue;
        const auto server = yard.book.server_for(name, {member, {}, true}, yard.at(now));
        if (server) yard.start(state, member, now);
      }
      yard.book.retry(yard.at(now));
      (void)yard.book.expire(now);
      REQUIRE_FALSE(yard.overbooked());
      for (const auto& [gang, state] : gangs) {
        const Reservation* plan = yard.book.reservation(gang);
        for (std::size_t v = 0; plan != nullptr && v < state.gang.members(); ++v) {
          if (state.gang.standing[v]) REQUIRE(plan->servers[v] == *state.gang.standing[v]);
        }
      }
    }
  }
}

TEST_CASE("a gang that lost a member comes before those that it comes first of",
          "[scheduler][gang]") {
  Yard yard;
  GangState first = yard.ring("first", 2);
  first.priority = 9;
  yard.book.set(first, 0);
  REQUIRE(yard.book.plan("first", yard.at()) != nullptr);
  GangState other = yard.ring("a", 11);
  yard.book.set(other, 0);
  CHECK(yard.book.plan("a", yard.at()) == nullptr);
  GangState last = yard.ring("last", 2);
  yard.book.set(last, 0);
  for (const ServerId server : yard.eligible) yard.used[server] = 8;
  yard.book.room_was_gained();
  CHECK(yard.book.plan("last", yard.at()) == nullptr);
  // Room for two, when both want it.
  yard.used[yard.server("s9")] = 0;
  yard.used[yard.server("s10")] = 0;
  yard.book.room_was_gained();
  SECTION("when all are tried") { yard.book.retry(yard.at(1)); }
  SECTION("when it asks") { CHECK(yard.book.plan("first", yard.at(1)) != nullptr); }
  REQUIRE(yard.book.reservation("first") != nullptr);
  CHECK(yard.book.reservation("first")->servers[0] >= yard.server("s9"));
  CHECK(yard.book.reservation("last") == nullptr);
}

TEST_CASE("a gang whose reservation came to nothing is tried again in a quiet cluster",
          "[scheduler][gang]") {
  BookOptions options;
  options.patience = 1000;
  Yard yard(kThreeZones, options);
  yard.book.set(yard.ring("g", 4), 0);
  REQUIRE(yard.book.plan("g", yard.at(0)) != nullptr);
  CHECK(yard.book.expire(1000).size() == 1);
  yard.book.retry(yard.at(1500));
  CHECK(yard.book.reservation("g") == nullptr);
  yard.book.retry(yard.at(2001));
  CHECK(yard.book.reservation("g") != nullptr);
}

TEST_CASE("a plan that does not hold and that no member waits for is given up",
          "[scheduler][gang]") {
  Yard yard;
  GangState state = yard.ring("g", 3);
  yard.book.set(state, 0);
  const std::vector<ServerId> planned = yard.book.plan("g", yard.at())->servers;
  yard.start(state, 0);
  state.pending = 0;
  yard.book.set(state, 1);
  yard.used[planned[2]] = 8;
  yard.book.retry(yard.at(2));
  CHECK_FALSE(yard.overbooked());
  CHECK(yard.book.counts().reserved_gpus == 0);
}

TEST_CASE(
    "a gang whose other members do not come holds its servers no longer than one nobody asks for",
    "[scheduler][gang]") {
  BookOptions options;
  options.reserve = 100;
  options.patience = 10'000;
  Yard yard(kThreeZones, options);
  GangState whole = yard.ring("whole", 12);
  whole.pending = 1;
  whole.absent = 11;
  yard.book.set(whole, 0);
  REQUIRE(yard.book.plan("whole", yard.at()) != nullptr);
  GangState other = yard.ring("other", 4);
  yard.book.set(other, 0);
  CHECK(yard.book.plan("other", yard.at()) == nullptr);

  SECTION("it is given up, and others are planned") {
    yard.book.set(whole, 60);
    CHECK(yard.book.expire(99).empty());
    CHECK(yard.book.expire(100) == std::vector<std::string>{"whole"});
    yard.book.retry(yard.at(100));
    CHECK(yard.book.reservation("other") != nullptr);
    CHECK(yard.book.reservation("whole") == nullptr);
    CHECK(yard.book.why_waiting("whole") ==
          "servers are no longer kept for it, since its other members do not come");
  }
  SECTION("it is not planned again before a further member is there") {
    CHECK(yard.book.expire(100) == std::vector<std::string>{"whole"});
    yard.book.forget("other");
    yard.book.retry(yard.at(100));
    CHECK(yard.book.plan("whole", yard.at(5'000)) == nullptr);
    CHECK_FALSE(yard.book.server_for("whole", {0, {}, true}, yard.at(5'000)));
    whole.pending = 2;
    whole.absent = 10;
    yard.book.set(whole, 6'000);
    yard.book.retry(yard.at(6'000));
    CHECK(yard.book.reservation("whole") != nullptr);
    CHECK(yard.book.take_replanned() == std::vector<std::string>{"whole"});
  }
  SECTION("each member that comes gives the others as much time again") {
    for (std::int64_t now = 90; now <= 900; now += 90) {
      --whole.absent;
      ++whole.pending;
      yard.book.set(whole, now);
      CHECK(yard.book.expire(now + 89).empty());
    }
    whole.absent = 0;
    whole.pending = 12;
    yard.book.set(whole, 950);
    CHECK(yard.book.expire(9'999).empty());  // complete: patience is what counts
    CHECK(yard.book.expire(10'000) == std::vector<std::string>{"whole"});
  }
}

TEST_CASE("a gang that was refused before the book was made is tried like one refused by it",
          "[scheduler][gang]") {
  Yard yard;
  yard.book.set(yard.ring("g", 4), 0);
  yard.book.set(yard.ring("h", 4), 0);
  yard.book.was_refused("g");
  yard.book.retry(yard.at());
  CHECK(yard.book.reservation("g") != nullptr);
  CHECK(yard.book.take_replanned() == std::vector<std::string>{"g"});
  CHECK(yard.book.reservation("h") == nullptr);  // nobody asked for it yet
}

TEST_CASE("a plan says whether its gang had another before", "[scheduler][gang]") {
  Yard yard;
  GangState state = yard.ring("g", 4);
  yard.book.set(state, 0);
  CHECK_FALSE(yard.book.plan("g", yard.at())->again);
  std::erase(state.gang.eligible, yard.book.reservation("g")->servers[0]);
  yard.book.set(state, 0);
  CHECK(yard.book.plan("g", yard.at())->again);
  state.wish = "another";
  yard.book.set(state, 0);
  CHECK(yard.book.plan("g", yard.at())->again);
  yard.book.forget("g");
  yard.book.set(state, 0);
  CHECK_FALSE(yard.book.plan("g", yard.at())->again);
}
