#include "zonecut/base/units.hpp"

#include "support/catch.hpp"

using namespace zonecut;

TEST_CASE("bandwidths are read in bits and in bytes", "[base]") {
  CHECK(parse_bandwidth("400Gbps") == BytesPerSecond{50'000'000'000});
  CHECK(parse_bandwidth("400 Gbit/s") == BytesPerSecond{50'000'000'000});
  CHECK(parse_bandwidth("50GB/s") == BytesPerSecond{50'000'000'000});
  CHECK(parse_bandwidth("1GiB/s") == BytesPerSecond{1 << 30});
}

TEST_CASE("a quantity without a unit, with a wrong one, negative or too large is no quantity",
          "[base]") {
  for (const char* text : {"", "400", "400Gb", "-1Gbps", "-0Gbps", "nanGbps", "infGB/s", "1e30GB/s",
                           "4 00Gbps", "Gbps"}) {
    INFO(text);
    CHECK_FALSE(parse_bandwidth(text));
  }
  CHECK_FALSE(parse_bytes("64Gbit"));
  CHECK_FALSE(parse_duration("6.2"));
}

TEST_CASE("a time has an end, before it becomes infinite", "[base]") {
  CHECK(parse_duration("1e9s") == Seconds{1e9});
  for (const char* text : {"1000000001s", "1e308h", "1e308min", "1e17min"}) {
    INFO(text);
    CHECK_FALSE(parse_duration(text));
  }
}

TEST_CASE("whole numbers are read exactly, up to the largest", "[base]") {
  for (const std::int64_t count : {9'007'199'254'740'993, 9'223'372'036'854'775'807}) {
    CHECK(parse_bytes(std::to_string(count) + "B") == Bytes{count});
    CHECK(parse_bandwidth(std::to_string(count) + "B/s") == BytesPerSecond{count});
  }
  CHECK_FALSE(parse_bytes("9223372036854775808B"));
  CHECK_FALSE(parse_bytes("8192PiB"));
}

TEST_CASE("quantities are written with three digits", "[base]") {
  CHECK(to_text(Bytes{512}) == "512 B");
  CHECK(to_text(Bytes{2'411'111'111'111}) == "2.41 TB");
  CHECK(to_text(Bytes{999'600}) == "1.00 MB");
  CHECK(to_text(BytesPerSecond{50'000'000'000}) == "400 Gbps");
  CHECK(to_text(Seconds{0.1099}) == "110 ms");
  CHECK(to_text(Seconds{1.314}) == "1.31 s");
}

TEST_CASE("an exact bandwidth reads back as it was", "[base]") {
  for (const std::int64_t count : {std::int64_t{0}, std::int64_t{1}, std::int64_t{125'000},
                                   std::int64_t{50'000'000'000}, std::int64_t{50'000'000'001}}) {
    CHECK(parse_bandwidth(to_exact_text(BytesPerSecond{count})) == BytesPerSecond{count});
  }
}

TEST_CASE("an exact size reads back as it was, in the largest unit that divides it", "[base]") {
  for (const char* text : {"0B", "1B", "999B", "1kB", "4KiB", "113MB", "64MiB", "2GB", "8GiB",
                           "1000001B", "9007199254740993B", "9223372036854775807B"}) {
    const auto size = parse_bytes(text);
    REQUIRE(size);
    CHECK(to_exact_text(*size) == text);
  }
}
