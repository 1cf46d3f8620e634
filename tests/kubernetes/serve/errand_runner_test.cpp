#include "serve/errand_runner.hpp"

#include <algorithm>
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

TEST_CASE("where a right is missing the log says so once for many writes", "[kubernetes][serve]") {
  Writing writing([](FakeApiServer&, httplib::Response& response) {
    say(response, 403, R"({"kind":"Status","message":"pods is forbidden"})");
  });
  writing.runner.add(gates(40));
  const auto failed = [&] {
    const std::string text = writing.metrics.text();
    return text.find("zonecut_api_writes_total{kind=\"gate\",result=\"failed\"} 40") !=
           std::string::npos;
  };
  REQUIRE(comes_true(failed));
  REQUIRE(comes_true([&] { return !writing.out.text().empty(); }));
  const std::string said = writing.out.text();
  CHECK_THAT(said, Catch::Contains("a write was refused") && Catch::Contains("is forbidden"));
  CHECK(std::count(said.begin(), said.end(), '\n') == 1);
}

TEST_CASE("a line says how many of its kind were not written since the last",
          "[kubernetes][serve]") {
  LinePace pace;
  const LinePace::Clock::time_point begin{};
  CHECK(pace.is_due("wake", begin) == 0);
  for (int i = 0; i < 3; ++i) CHECK_FALSE(pace.is_due("wake", begin + milliseconds(9999)));
  CHECK(pace.is_due("gate", begin + milliseconds(1)) == 0);
  CHECK(pace.is_due("wake", begin + LinePace::kAgain) == 3);
  CHECK_FALSE(pace.is_due("wake", begin + LinePace::kAgain));
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
