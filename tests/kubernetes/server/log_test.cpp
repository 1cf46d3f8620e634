#include "server/log.hpp"

#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>
#include <thread>
#include <vector>

#include "support/catch.hpp"
#include "support/log_file.hpp"

using namespace zonecut::kubernetes;
using nlohmann::json;
using zonecut::test::LogFile;

TEST_CASE("a line of the log is one JSON object with time, level, message and fields",
          "[kubernetes]") {
  const LogFile out;
  {
    Log log(out.descriptor());
    log.info("gang planned", {{"gang", std::string("ns/Job/w")},
                              {"pods", std::int64_t{8}},
                              {"seconds", 0.5},
                              {"moved", true}});
    log.warning("late");
    log.error("line\nbreak \"quoted\"");
  }
  std::istringstream lines(out.text());
  std::string line;
  REQUIRE(std::getline(lines, line));
  json first = json::parse(line);
  CHECK(std::regex_match(first["time"].get<std::string>(),
                         std::regex(R"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)")));
  first.erase("time");
  CHECK(first == json{{"level", "info"},
                      {"message", "gang planned"},
                      {"gang", "ns/Job/w"},
                      {"pods", 8},
                      {"seconds", 0.5},
                      {"moved", true}});
  REQUIRE(std::getline(lines, line));
  CHECK(json::parse(line)["level"] == "warning");
  REQUIRE(std::getline(lines, line));
  CHECK(json::parse(line)["message"] == "line\nbreak \"quoted\"");
  CHECK_FALSE(std::getline(lines, line));
}

TEST_CASE("bytes that are no UTF-8 do not break a line of the log", "[kubernetes]") {
  const LogFile out;
  Log(out.descriptor()).info("z\xff", {{"f\xfe", std::string("\xc3")}});
  const json line = json::parse(out.text());
  CHECK(line["message"] == "z\xef\xbf\xbd");
  CHECK(line["f\xef\xbf\xbd"] == "\xef\xbf\xbd");
}

TEST_CASE("lines of many threads come whole", "[kubernetes]") {
  const LogFile out;
  {
    Log log(out.descriptor());
    std::vector<std::thread> threads;
    for (int thread = 0; thread < 4; ++thread) {
      threads.emplace_back([&] {
        for (int i = 0; i < 200; ++i) log.info("something", {{"i", std::int64_t{i}}});
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
  std::istringstream lines(out.text());
  std::string line;
  int count = 0;
  while (std::getline(lines, line)) {
    CHECK(json::parse(line).size() == 4);
    ++count;
  }
  CHECK(count == 800);
}
