#include "serve/errand_runner.hpp"

#include <atomic>
#include <thread>

#include "kubernetes/api/fake_api_server.hpp"
#include "support/catch.hpp"
#include "support/log_file.hpp"

using namespace zonecut::kubernetes;
using namespace zonecut::kubernetes::test;
using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

namespace {

std::shared_ptr<const KnownPod> pod(int i) {
  auto known = std::make_shared<KnownPod>();
  known->pod.name_space = "team";
  known->pod.name = "p" + std::to_string(i);
  known->pod.uid = "u" + std::to_string(i);
  return known;
}

std::vector<Errand> gates(int count) {
  std::vector<Errand> some;
  for (int i = 0; i < count; ++i) some.emplace_back(OpenGate{pod(i), "h", "n1", 0});
  return some;
}

bool comes_true(const std::function<bool()>& claim) {
  const auto end = Clock::now() + std::chrono::seconds(10);
  while (!claim()) {
    if (Clock::now() > end) return false;
    std::this_thread::sleep_for(milliseconds(1));
  }
  return true;
}

/// An API server that answers as told, and who writes to it.
struct Writing {
  explicit Writing(std::function<void(FakeApiServer&, httplib::Response&)> answers)
      : server([this, answers](const httplib::Request&, httplib::Response& response) {
          ++begun;
          answers(server, response);
          ++ended;
        }),
        client(server.access()),
        runner(client, "test", log, metrics) {}
  ~Writing() {
    server.release();
    client.shut();
  }

  std::atomic<int> begun = 0;
  std::atomic<int> ended = 0;
  zonecut::test::LogFile out;
  Log log{out.descriptor()};
  Metrics metrics{"test"};
  FakeApiServer server;
  ApiClient client;
  ErrandRunner runner;
};

}  // namespace

TEST_CASE("who has lost the lead writes nothing any more", "[kubernetes][serve]") {
  Writing writing([](FakeApiServer&, httplib::Response& response) {
    std::this_thread::sleep_for(milliseconds(100));
    say(response, 200, "{}");
  });
  writing.runner.add(gates(60));
  REQUIRE(comes_true([&] { return writing.begun > 0; }));
  writing.runner.lead(false);
  const int begun = writing.begun;
  CHECK(begun < 60);
  CHECK(writing.ended == begun);  // what was under way has come to its end
  writing.runner.add(gates(3));   // a look that was under way
  std::this_thread::sleep_for(milliseconds(300));
  CHECK(writing.begun == begun);
  writing.runner.lead(true);
  writing.runner.add(gates(1));
  CHECK(comes_true([&] { return writing.ended > begun; }));
  std::this_thread::sleep_for(milliseconds(100));
  CHECK(writing.begun == begun + 1);
}

TEST_CASE("a write that does not end when the lead is lost is cut off, and not tried again",
          "[kubernetes][serve]") {
  Writing writing([](FakeApiServer& server, httplib::Response& response) {
    server.hang();
    say(response, 200, "{}");
  });
  writing.runner.add({WakePod{pod(0)}});
  REQUIRE(comes_true([&] { return writing.begun > 0; }));
  const auto begin = Clock::now();
  writing.runner.lead(false);
  CHECK(Clock::now() - begin < milliseconds(4000));
  writing.runner.lead(true);
  std::this_thread::sleep_for(milliseconds(1500));  // a wake that failed comes again after a second
  CHECK(writing.begun == 1);
}
