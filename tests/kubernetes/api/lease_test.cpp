// Who leads, on an API server that keeps one Lease as the real one does, and fails as told.
#include "api/lease.hpp"

#include <chrono>
#include <thread>

#include "fake_api_server.hpp"
#include "support/catch.hpp"

using namespace zonecut;
using namespace zonecut::kubernetes;
using namespace zonecut::kubernetes::test;
using namespace std::chrono_literals;
using nlohmann::json;

namespace {

using Clock = std::chrono::steady_clock;

/// Keeps one Lease under optimistic locking.
class LeaseServer {
 public:
  enum class Mood { Works, Refuses, Hangs };

  LeaseServer()
      : server_([this](const httplib::Request& request, httplib::Response& response) {
          answer(request, response);
        }) {}
  [[nodiscard]] ApiAccess access() const { return server_.access(); }
  void be(Mood mood) { mood_ = mood; }
  void write(json spec) {
    const std::lock_guard lock(mutex_);
    store({{"metadata", {{"name", "zonecut"}}}, {"spec", std::move(spec)}});
  }
  json spec() {
    const std::lock_guard lock(mutex_);
    return lease_.is_null() ? json::object() : lease_["spec"];
  }
  std::string holder() { return spec().value("holderIdentity", std::string("nobody")); }

 private:
  void answer(const httplib::Request& request, httplib::Response& response) {
    if (mood_ == Mood::Hangs) return server_.hang();
    if (mood_ == Mood::Refuses) return say(response, 503, R"({"message":"no quorum"})");
    const std::string folder = "/apis/coordination.k8s.io/v1/namespaces/system/leases";
    const std::lock_guard lock(mutex_);
    if (request.method == "POST" && request.path == folder) {
      if (!lease_.is_null()) return say(response, 409, R"({"message":"already exists"})");
      store(json::parse(request.body));
      return say(response, 201, lease_.dump());
    }
    if (request.path != folder + "/zonecut" || lease_.is_null())
      return say(response, 404, R"({"message":"not found"})");
    if (request.method == "PUT") {
      json wanted = json::parse(request.body);
      if (wanted["metadata"]["resourceVersion"] != lease_["metadata"]["resourceVersion"])
        return say(response, 409, R"({"message":"the object has been modified"})");
      store(std::move(wanted));
    }
    say(response, 200, lease_.dump());
  }
  void store(json lease) {
    lease_ = std::move(lease);
    lease_["metadata"]["resourceVersion"] = std::to_string(++version_);
  }

  std::atomic<Mood> mood_ = Mood::Works;
  std::mutex mutex_;
  json lease_;
  int version_ = 0;
  FakeApiServer server_;
};

/// A replica that wants to lead.
class Replica {
 public:
  Replica(const LeaseServer& server, const std::string& identity,
          std::atomic<int>* leaders = nullptr)
      : client_(server.access()), leaders_(leaders) {
    options_.name_space = "system";
    options_.name = "zonecut";
    options_.identity = identity;
    options_.duration = 2000ms;
    options_.renew_deadline = 1200ms;
    options_.retry = 100ms;
    options_.failed = [this](const std::string&) { ++failures_; };
    thread_ = std::thread(
        [this] { keep_lease(client_, options_, [this](bool leads) { change(leads); }, stop_); });
  }
  Replica(const Replica&) = delete;
  Replica& operator=(const Replica&) = delete;
  ~Replica() {
    if (thread_.joinable()) stop();
  }

  [[nodiscard]] bool leads() const { return leads_; }
  [[nodiscard]] int failures() const { return failures_; }
  /// How long it took until it led, or no longer did; at most five seconds.
  Clock::duration until(bool leads) const {
    const auto begin = Clock::now();
    while (leads_ != leads && Clock::now() - begin < 5s) std::this_thread::sleep_for(1ms);
    return Clock::now() - begin;
  }
  void stop() {
    stop_ = true;
    thread_.join();
  }
  /// As a process that is killed: it gives nothing up.
  void die() {
    client_.shut();
    thread_.join();
  }

 private:
  void change(bool leads) {
    if (leaders_ != nullptr) *leaders_ += leads ? 1 : -1;
    leads_ = leads;
  }

  ApiClient client_;
  LeaseOptions options_;
  std::atomic<int>* leaders_;
  std::atomic<bool> stop_ = false;
  std::atomic<bool> leads_ = false;
  std::atomic<int> failures_ = 0;
  std::thread thread_;
};

}  // namespace

TEST_CASE("a lone replica makes the lease, renews it and gives it up", "[kubernetes]") {
  LeaseServer server;
  Replica replica(server, "a");
  CHECK(replica.until(true) < 2s);
  const json first = server.spec();
  CHECK(first["holderIdentity"] == "a");
  CHECK(first["leaseDurationSeconds"] == 2);
  CHECK(first["leaseTransitions"] == 0);
  json later = server.spec();
  for (int i = 0; i < 500 && later["renewTime"] == first["renewTime"]; ++i) {
    std::this_thread::sleep_for(20ms);
    later = server.spec();
  }
  CHECK(later["renewTime"] > first["renewTime"]);
  CHECK(later["acquireTime"] == first["acquireTime"]);
  CHECK(replica.leads());
  replica.stop();
  CHECK_FALSE(replica.leads());
  CHECK(server.holder().empty());
}

TEST_CASE("a lease that another holds is waited for by our own clock", "[kubernetes]") {
  LeaseServer server;
  // Long over by its holder's clock, or in the far future: neither counts.
  const std::string renewed =
      GENERATE("1999-01-01T00:00:00.000000Z", "2999-01-01T00:00:00.000000Z");
  server.write({{"holderIdentity", "other"},
                {"leaseDurationSeconds", 1},
                {"leaseTransitions", 4},
                {"renewTime", renewed},
                {"strategy", "OldestEmulationVersion"}});
  Replica replica(server, "a");
  const auto waited = replica.until(true);
  CHECK(waited >= 900ms);
  CHECK(waited < 3s);
  CHECK(server.spec()["leaseTransitions"] == 5);
  CHECK(server.spec()["strategy"] == "OldestEmulationVersion");
}

TEST_CASE("a lease that was given up is taken at once", "[kubernetes]") {
  LeaseServer server;
  server.write({{"holderIdentity", ""}, {"leaseDurationSeconds", 1}});
  Replica replica(server, "a");
  CHECK(replica.until(true) < 900ms);
}

TEST_CASE("never do two replicas lead", "[kubernetes]") {
  LeaseServer server;
  std::atomic<int> leaders = 0;
  std::atomic<bool> ends = false;
  std::atomic<int> most = 0;
  std::thread looks([&] {
    while (!ends) most = std::max(most.load(), leaders.load());
  });
  {
    Replica a(server, "a", &leaders);
    REQUIRE(a.until(true) < 2s);
    Replica b(server, "b", &leaders);
    Replica c(server, "c", &leaders);
    std::this_thread::sleep_for(1500ms);
    CHECK(a.leads());

    SECTION("when the leader stops, another leads soon") {
      a.stop();
      const auto begin = Clock::now();
      while (leaders == 0 && Clock::now() - begin < 5s) std::this_thread::sleep_for(1ms);
      CHECK(Clock::now() - begin < 1500ms);
    }
    SECTION("when the leader dies, another leads once the lease has run out") {
      a.die();
      const auto begin = Clock::now();
      while (leaders == 0 && Clock::now() - begin < 5s) std::this_thread::sleep_for(1ms);
      CHECK(Clock::now() - begin >= 1500ms);
      CHECK(Clock::now() - begin < 4s);
    }
    CHECK(b.leads() != c.leads());
    CHECK(server.holder() == (b.leads() ? "b" : "c"));
  }
  ends = true;
  looks.join();
  CHECK(most == 1);
}

TEST_CASE("a leader that cannot renew stops before the lease runs out", "[kubernetes]") {
  LeaseServer server;
  Replica replica(server, "a");
  REQUIRE(replica.until(true) < 2s);
  server.be(GENERATE(LeaseServer::Mood::Refuses, LeaseServer::Mood::Hangs));
  const auto took = replica.until(false);
  CHECK(took >= 800ms);
  CHECK(took < 1900ms);
  CHECK(replica.failures() > 0);
}

TEST_CASE("a leader comes back when the API server does", "[kubernetes]") {
  LeaseServer server;
  Replica replica(server, "a");
  REQUIRE(replica.until(true) < 2s);
  server.be(LeaseServer::Mood::Refuses);
  REQUIRE(replica.until(false) < 4s);
  server.be(LeaseServer::Mood::Works);
  CHECK(replica.until(true) < 2s);
  CHECK(server.spec()["leaseTransitions"] == 0);
}

TEST_CASE("a leader whose lease another took stops at once", "[kubernetes]") {
  LeaseServer server;
  Replica replica(server, "a");
  REQUIRE(replica.until(true) < 2s);
  server.write({{"holderIdentity", "other"}, {"leaseDurationSeconds", 60}});
  CHECK(replica.until(false) < 800ms);
  CHECK(server.holder() == "other");
}
