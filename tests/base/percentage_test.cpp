#include "zonecut/base/percentage.hpp"

#include "support/catch.hpp"

using namespace zonecut;

TEST_CASE("a percentage is a share from 0 to 1", "[base]") {
  CHECK(parse_percentage("0%") == 0.0);
  CHECK(parse_percentage("0.5%") == 0.005);
  CHECK(parse_percentage("100%") == 1.0);
  for (const char* text : {"", "%", "5", "5 %", " 5%", "-5%", "-0%", "+3%", "101%", "1e1%", "nan%",
                           "inf%", "0x5%", "5%%", "1,5%"}) {
    INFO(text);
    CHECK_FALSE(parse_percentage(text));
  }
}
