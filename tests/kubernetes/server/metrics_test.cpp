#include "server/metrics.hpp"

#include <thread>
#include <vector>

#include "support/catch.hpp"

using namespace zonecut::kubernetes;

namespace {

bool has_line(const std::string& text, const std::string& line) {
  return ("\n" + text).find("\n" + line + "\n") != std::string::npos;
}

}  // namespace

TEST_CASE("what was counted stands in the text for Prometheus", "[kubernetes]") {
  Metrics metrics("1.2.3");
  metrics.count_request("filter", 200, 0.0004);
  metrics.count_request("filter", 200, 0.003);
  metrics.count_request("filter", 500, 7);
  metrics.count_plan("planned", 0.2);
  metrics.set_plan_attempts(5);
  metrics.set_plan_attempts(7);
  metrics.set_plan_attempts(6);  // said late by another thread
  metrics.count_expired_reservation();
  metrics.count_relist("pods");
  metrics.count_watch_failure("nodes");
  metrics.count_api_write("Event", "created");
  metrics.set_cut_bytes(1024);
  metrics.set_reservations(3, 24);
  metrics.set_waiting_gangs(2);
  metrics.set_watch_age("pods", 1.5);
  metrics.set_leader(true);
  const std::string text = metrics.text();
  INFO(text);
  for (const char* const line : {
           "# TYPE zonecut_requests_total counter",
           "zonecut_requests_total{code=\"200\",verb=\"filter\"} 2",
           "zonecut_requests_total{code=\"500\",verb=\"filter\"} 1",
           "zonecut_request_seconds_bucket{verb=\"filter\",le=\"0.0005\"} 1",
           "zonecut_request_seconds_bucket{verb=\"filter\",le=\"0.005\"} 2",
           "zonecut_request_seconds_bucket{verb=\"filter\",le=\"5\"} 2",
           "zonecut_request_seconds_bucket{verb=\"filter\",le=\"+Inf\"} 3",
           "zonecut_request_seconds_count{verb=\"filter\"} 3",
           "zonecut_plans_total{result=\"planned\"} 1",
           "zonecut_plan_seconds_count 1",
           "zonecut_plan_attempts_total 7",
           "zonecut_reservations_expired_total 1",
           "zonecut_relists_total{resource=\"pods\"} 1",
           "zonecut_watch_failures_total{resource=\"nodes\"} 1",
           "zonecut_api_writes_total{kind=\"Event\",result=\"created\"} 1",
           "zonecut_cut_bytes 1024",
           "zonecut_reservations 3",
           "zonecut_reserved_gpus 24",
           "zonecut_waiting_gangs 2",
           "zonecut_watch_age_seconds{resource=\"pods\"} 1.5",
           "zonecut_leader 1",
           "zonecut_build_info{version=\"1.2.3\"} 1",
       }) {
    INFO(line);
    CHECK(has_line(text, line));
  }
  metrics.set_leader(false);
  CHECK(has_line(metrics.text(), "zonecut_leader 0"));
}

TEST_CASE("what a fresh extender would be asked for stands there from the start", "[kubernetes]") {
  const std::string text = Metrics("1").text();
  for (const char* const line : {"zonecut_reservations 0", "zonecut_leader 0",
                                 "zonecut_reservations_expired_total 0", "zonecut_waiting_gangs 0"})
    CHECK(has_line(text, line));
}

TEST_CASE("many threads count without losing any", "[kubernetes]") {
  Metrics metrics("1");
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&] {
      for (int i = 0; i < 500; ++i) {
        metrics.count_request("filter", 200, 0.001);
        if (i % 100 == 0) (void)metrics.text();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(has_line(metrics.text(), "zonecut_requests_total{code=\"200\",verb=\"filter\"} 2000"));
}
