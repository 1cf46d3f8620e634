#include "report/text.hpp"

#include <rapidcheck.h>

#include <array>

#include "report/markup.hpp"
#include "support/catch.hpp"
#include "zonecut/base/error.hpp"

using namespace zonecut;
using namespace zonecut::report;

TEST_CASE("text from outside loses control characters, turns of direction and broken UTF-8",
          "[report]") {
  CHECK(clean("zone-ä 東") == "zone-ä 東");
  CHECK(clean("a\x1b[31mb\n\tc") == "a\ufffd[31mb\ufffd\ufffdc");
  CHECK(clean("a\u202eb\u2066c") == "a\ufffdb\ufffdc");
  CHECK(clean("a\u009bb") == "a\ufffdb");                // the 8-bit form of ESC [
  CHECK(clean("\xff\xc0\xaf") == "\ufffd\ufffd\ufffd");  // never valid; overlong '/'
  CHECK(clean("\xe6\x9d") == "\ufffd\ufffd");            // cut off
  CHECK(clean("\xed\xa0\x80") == "\ufffd\ufffd\ufffd");  // a surrogate
}

TEST_CASE("cleaning is idempotent and leaves valid UTF-8 whatever the bytes", "[report]") {
  CHECK(rc::check("clean(clean(x)) == clean(x), all printable", [](const std::string& bytes) {
    const std::string once = clean(bytes);
    RC_ASSERT(clean(once) == once);
    for (const char c : once) RC_ASSERT(static_cast<unsigned char>(c) >= 0x20);
    for (const char c : to_ascii(once)) RC_ASSERT(static_cast<unsigned char>(c) < 0x80);
  }));
}

TEST_CASE("a text is cut to its columns, wide characters counting two", "[report]") {
  CHECK(display_width("rack") == 4);
  CHECK(display_width("東京") == 4);
  CHECK(display_width("e\u0301") == 1);
  CHECK(fitted("rack-12", 7, "…") == "rack-12");
  CHECK(fitted("rack-12", 6, "…") == "rack-…");
  CHECK(fitted("東京市", 5, "…") == "東京…");
  CHECK(fitted("東京市", 4, "…") == "東…");
  CHECK(fitted("rack", 0, "…").empty());
}

TEST_CASE("names that are too long for their place keep their ends, where they differ",
          "[report]") {
  CHECK(fitted_in_middle("gke-pool-h100-17", 16, "…") == "gke-pool-h100-17");
  CHECK(fitted_in_middle("gke-pool-h100-mega-17", 16, "…") == "gke-p…00-mega-17");
  CHECK(fitted_in_middle("gke-pool-h100-mega-18", 16, "…") == "gke-p…00-mega-18");
  CHECK(fitted_in_middle("東京市一二三四五", 8, "…") == "東…四五");
  CHECK(fitted_in_middle("rack", 1, "…") == "…");
}

TEST_CASE("ranks are written as ranges, and only so many of them", "[report]") {
  using Ranks = std::vector<std::uint32_t>;
  CHECK(ranges(Ranks{}, 4).empty());
  CHECK(ranges(Ranks{5}, 4) == "5");
  CHECK(ranges(Ranks{0, 1, 2, 3, 8, 10, 11}, 4) == "0–3, 8, 10–11");
  CHECK(ranges(Ranks{0, 2, 4, 6, 8}, 2) == "0, 2, … 3 more");
}

TEST_CASE("figures are written for people", "[report]") {
  CHECK(grouped(0) == "0");
  CHECK(grouped(16384) == "16,384");
  CHECK(grouped(-1234567) == "-1,234,567");
  CHECK(brief(999'999) == "999,999");
  CHECK(brief(20'476'101'697'536) == "2.05e13");
  CHECK(counted(1, "server") == "1 server");
  CHECK(counted(2, "server") == "2 servers");
  CHECK(to_plain(percent(0.384)) == "38 %");
  CHECK(to_plain(percent(0.0, 1)) == "0.0 %");
  CHECK(factor(1.614) == "1.61×");
  CHECK(factor(12345) == "12,345×");
  CHECK(to_plain(quantity(Seconds{7e-6})) == "7.00 µs");
  CHECK(to_ascii(quantity(Seconds{7e-6})) == "7.00 us");
}

TEST_CASE("figures that stand together share a unit, and none that is not zero looks like zero",
          "[report]") {
  const ByteUnit unit = unit_for(Bytes{2'410'000'000'000});
  CHECK(unit.name == "TB");
  CHECK(in_unit(Bytes{2'410'000'000'000}, unit) == "2.41");
  CHECK(in_unit(Bytes{38'400'000'000'000}, unit) == "38.4");
  CHECK(in_unit(Bytes{1'402'000'000'000'000}, unit) == "1,402");
  CHECK(in_unit(Bytes{1}, unit) == "<0.01");
  CHECK(in_unit(Bytes{0}, unit) == "0");
  CHECK(unit_for(Bytes{999}).name == "B");
  CHECK(unit_for(Bytes{999'600}).name == "MB");  // rather than "1,000 kB"
}

TEST_CASE("markup escapes everything and does not finish while something is open", "[report]") {
  CHECK(escaped(R"(<script>&"')") == "&lt;script&gt;&amp;&quot;&#39;");
  Markup out;
  out.open("p", {{"title", "a\"><b>"}}).text("1 < 2").close();
  CHECK(std::move(out).finish() == "<p title=\"a&quot;&gt;&lt;b&gt;\">1 &lt; 2</p>\n");
  Markup open;
  open.open("p");
  CHECK_THROWS_AS(std::move(open).finish(), InternalError);
  CHECK_THROWS_AS(Markup().close(), InternalError);
}
