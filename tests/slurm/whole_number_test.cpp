#include "whole_number.hpp"

#include <cstdint>

#include "support/catch.hpp"

using zonecut::slurm::whole_number;

TEST_CASE("a whole number is the whole text", "[slurm]") {
  CHECK(whole_number<int>("0") == 0);
  CHECK(whole_number<int>("1024") == 1024);
  CHECK(whole_number<std::uint32_t>("4294967295") == 4294967295U);
  for (const char* text : {"", " 1", "1 ", "+1", "1s", "0x1", "1.0", "4294967296"}) {
    INFO(text);
    CHECK_FALSE(whole_number<std::uint32_t>(text).has_value());
  }
}

TEST_CASE("a whole number keeps its bounds", "[slurm]") {
  CHECK(whole_number(std::string_view("1"), 1, 8) == 1);
  CHECK(whole_number(std::string_view("8"), 1, 8) == 8);
  CHECK_FALSE(whole_number(std::string_view("0"), 1, 8).has_value());
  CHECK_FALSE(whole_number(std::string_view("9"), 1, 8).has_value());
  CHECK_FALSE(whole_number<int>("-1").has_value());
}
