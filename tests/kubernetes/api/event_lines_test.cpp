#include "api/event_lines.hpp"

#include <vector>

#include "api/backoff.hpp"
#include "api/micro_time.hpp"
#include "support/catch.hpp"
#include "zonecut/base/error.hpp"

using namespace zonecut;
using namespace zonecut::kubernetes;

TEST_CASE("lines come whole, wherever the stream is cut", "[kubernetes]") {
  const std::string stream = "first\n\nsecond line\nthird\nrest";
  for (std::size_t size = 1; size <= stream.size(); ++size) {
    EventLines lines(64);
    std::vector<std::string> seen;
    for (std::size_t at = 0; at < stream.size(); at += size) {
      CHECK(lines.take(std::string_view(stream).substr(at, size), [&](std::string_view line) {
        seen.emplace_back(line);
        return true;
      }));
    }
    CHECK(seen == std::vector<std::string>{"first", "second line", "third"});
    CHECK(lines.is_amid_line());
  }
}

TEST_CASE("a line that is too long is refused before its end", "[kubernetes]") {
  EventLines lines(8);
  const auto ignore = [](std::string_view) { return true; };
  CHECK(lines.take("12345678\n1234", ignore));
  CHECK_THROWS_AS(lines.take("56789", ignore), InputError);
}

TEST_CASE("no line follows one that ended the stream", "[kubernetes]") {
  EventLines lines(8);
  int seen = 0;
  CHECK_FALSE(lines.take("a\nb\nc\n", [&](std::string_view) { return ++seen < 2; }));
  CHECK(seen == 2);
}

TEST_CASE("waits double up to half a minute, and begin anew", "[kubernetes]") {
  Backoff backoff(7);
  long most = 500;
  for (int failure = 0; failure < 12; ++failure) {
    const long wait = backoff.next().count();
    CHECK(wait >= most / 2);
    CHECK(wait <= most);
    most = std::min(most * 2, 30'000L);
  }
  CHECK(most == 30'000);
  backoff.reset();
  CHECK(backoff.next().count() <= 500);
}

TEST_CASE("Kubernetes' times have six digits after the second", "[kubernetes]") {
  using namespace std::chrono;
  const system_clock::time_point time = sys_days(year(2031) / 2 / 3) + 4h + 5min + 6s + 7us;
  CHECK(micro_time(time) == "2031-02-03T04:05:06.000007Z");
  CHECK(micro_time(system_clock::time_point() - 1us) == "1969-12-31T23:59:59.999999Z");
}
