#include "zonecut/base/error.hpp"

#include <string>

#include "support/catch.hpp"

using namespace zonecut;

namespace {

std::string report(const ProblemList& problems) {
  try {
    problems.throw_if_any();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

std::string place(std::size_t line) { return "f:" + std::to_string(line); }

}  // namespace

TEST_CASE("every mistake of a file is listed, the same one in five places", "[base]") {
  ProblemList problems;
  CHECK(report(problems).empty());
  for (std::size_t line = 1; line <= 5; ++line) problems.add(place(line), "no NAME=VALUE");
  CHECK(report(problems) ==
        "f:1: no NAME=VALUE\nf:2: no NAME=VALUE\nf:3: no NAME=VALUE\nf:4: no NAME=VALUE\n"
        "f:5: no NAME=VALUE");
  problems.add(place(6), "no NAME=VALUE");
  problems.add(place(7), "no NAME=VALUE", "as in A=1");
  CHECK(
      report(problems).ends_with("f:5: no NAME=VALUE\nf:7: no NAME=VALUE (as in A=1)\n"
                                 "and in 1 more place: no NAME=VALUE"));
  problems.add(place(8), "no NAME=VALUE");
  CHECK(report(problems).ends_with("\nand in 2 more places: no NAME=VALUE"));
}

TEST_CASE("of many mistakes some are listed and all counted", "[base]") {
  ProblemList problems;
  for (std::size_t line = 1; line <= 60; ++line) {
    problems.add(place(line), "found " + std::to_string(line));
  }
  for (std::size_t line = 61; line <= 70; ++line) problems.add(place(line), "found 1");
  const std::string all = report(problems);
  CHECK_THAT(all, Catch::Contains("f:50: found 50\n"));
  CHECK_THAT(all, !Catch::Contains("found 51"));
  CHECK(all.ends_with("\nand 20 more"));
}
