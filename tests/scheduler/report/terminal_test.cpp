#include <sstream>

#include "report/terminal.hpp"
#include "report/text.hpp"
#include "scheduler/report/sample.hpp"
#include "support/catch.hpp"

using namespace zonecut;
using report::display_width;

namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::string without_escapes(const std::string& text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\x1b')
      i = text.find('m', i);
    else
      plain += text[i];
  }
  return plain;
}

Sample sample_report() {
  return Sample(sketch(kFourServers), training_of(2, 2), "a1 a2 b1 b2", "a1 b1 a2 b2");
}

}  // namespace

TEST_CASE("no line is wider than the terminal", "[report]") {
  const Sample sample = sample_report();
  for (const int width : {40, 53, 80, 120, 200}) {
    for (const bool unicode : {true, false}) {
      for (const std::string& line :
           lines_of(write_terminal(sample.report, {width, false, unicode}))) {
        INFO(width << ": " << line);
        CHECK(display_width(line) <= static_cast<std::size_t>(width));
      }
    }
  }
}

TEST_CASE("many zones of a large cluster that hold nothing of the job are counted only",
          "[report]") {
  for (const auto& [zones, says] : {std::pair{11, false}, std::pair{13, true}}) {
    const Sample sample(sketch(many_zones(zones)), training_of(2, 2), "z1s1 z1s2 z2s1 z4s1");
    const std::string text = write_terminal(sample.report, {80, false, true});
    INFO(text);
    CHECK((text.find("10 more zones  this job 0 · others 0 · free 640\n") != std::string::npos) ==
          says);
    const std::string map = text.substr(0, text.find("TRAFFIC"));
    CHECK((map.find("\nz3  this job 0") == std::string::npos) == says);
    CHECK(map.find("\nz4  B  this job 8") != std::string::npos);
  }
}

TEST_CASE("a width out of range is brought into it", "[report]") {
  const Sample sample = sample_report();
  CHECK(write_terminal(sample.report, {-5, false, true}) ==
        write_terminal(sample.report, {40, false, true}));
  CHECK(write_terminal(sample.report, {100000, false, true}) ==
        write_terminal(sample.report, {200, false, true}));
}

TEST_CASE("colour changes nothing but colour", "[report]") {
  const Sample sample = sample_report();
  const std::string plain = write_terminal(sample.report, {90, false, true});
  const std::string coloured = write_terminal(sample.report, {90, true, true});
  CHECK(plain.find('\x1b') == std::string::npos);
  CHECK(coloured.find('\x1b') != std::string::npos);
  CHECK(without_escapes(coloured) == plain);
}

TEST_CASE("a terminal without Unicode gets ASCII only", "[report]") {
  const Sample sample = sample_report();
  for (const char c : write_terminal(sample.report, {80, false, false}))
    REQUIRE(static_cast<unsigned char>(c) < 0x80);
}

TEST_CASE("the terminal map shows each GPU by the letter of its group", "[report]") {
  const Sample sample = sample_report();
  const std::string text = write_terminal(sample.report, {80, false, true});
  CHECK(text.find("r1 AAAAAAAA AAAAAAAA\n") != std::string::npos);
  CHECK(text.find("r2 ········ ▒▒▒▒▒▒▒▒\n") != std::string::npos);
  CHECK(text.find("r3 BBBBBBBB BBBBBBBB\n") != std::string::npos);
  CHECK(text.find("r4 ×××××××× ····▒▒▒▒\n") != std::string::npos);
}

TEST_CASE("a text that folds goes over several lines, and loses no word", "[report]") {
  report::TextTable table({{.head = "name", .number = false, .folds = true}, {"time"}});
  table.row({"the least cut over links that are whole", "1.61 s"});
  table.row({"another", "2 s"});
  report::Terminal terminal({40, false, true});
  table.write(terminal);
  CHECK(std::move(terminal).finish() ==
        "  name                              time\n"
        "  the least cut over links that   1.61 s\n"
        "  are whole\n"
        "  another                            2 s\n");
}

TEST_CASE("a table too wide loses its least needed columns first, then cuts texts", "[report]") {
  report::TextTable table({{"name", false}, {"bytes"}, {"extra", true, 1}, {"more", true, 2}});
  table.row({"a rather long name of a zone", "123456", "1", "22222222"});
  const auto written = [&](int width) {
    report::Terminal terminal({width, false, true});
    table.write(terminal);
    return std::move(terminal).finish();
  };
  CHECK(written(80) ==
        "  name                           bytes  extra      more\n"
        "  a rather long name of a zone  123456      1  22222222\n");
  CHECK(written(46) ==
        "  name                           bytes  extra\n"
        "  a rather long name of a zone  123456      1\n");
  CHECK(written(40) ==
        "  name                           bytes\n"
        "  a rather long name of a zone  123456\n");
  table.row({"a name that is longer than the one before", "7", "", ""});
  CHECK(written(40) ==
        "  name                             bytes\n"
        "  a rather long name of a zone    123456\n"
        "  a name that is longer than th…       7\n");
}
