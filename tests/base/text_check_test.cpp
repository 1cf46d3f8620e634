#include "zonecut/base/text_check.hpp"

#include "support/catch.hpp"

using namespace zonecut;

TEST_CASE("control characters are found beyond ASCII, too", "[base]") {
  CHECK(find_control_character("a\x1b[31m") == "0x1B");
  CHECK(find_control_character("a\x7f") == "0x7F");
  CHECK(find_control_character("a\u009b31m") == "U+009B");
  CHECK(find_control_character("a\u2028b") == "U+2028");
  for (const char* turning : {"\u061c", "\u200e", "\u200f", "\u202a", "\u202e", "\u2066", "\u2069"})
    CHECK(find_control_character(turning));
  for (const char* text : {"é", "עברית", "\u00a0", "\u200b", "名", "😀", "\xff", "\xc2", ""}) {
    INFO(text);
    CHECK_FALSE(find_control_character(text));
  }
}

TEST_CASE("only a name has no tab", "[base]") {
  CHECK_FALSE(find_control_character("a\tb\n"));
  CHECK(find_control_character("a\tb", "") == "0x09");
}

TEST_CASE("what a terminal would obey, or could not show, is a question mark", "[base]") {
  CHECK(harmless("a\x1b[31m\nb") == "a?[31m?b");
  CHECK(harmless("a\u009b31m\u202eb") == "a?31m?b");
  CHECK(harmless("a\xe4-r1 \xe2\x82") == "a?-r1 ??");
  CHECK(harmless("zone–é名😀") == "zone–é名😀");
}
