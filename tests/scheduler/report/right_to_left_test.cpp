#include "report/right_to_left.hpp"

#include <string>

#include "support/catch.hpp"

using namespace zonecut::report;

namespace {

/// The text with brackets around each name.
std::string marked(std::string_view text) {
  std::string out;
  std::size_t at = 0;
  for (const Stretch& name : right_to_left_names(text)) {
    out += std::string(text.substr(at, name.begin - at)) + "<" +
           std::string(text.substr(name.begin, name.end - name.begin)) + ">";
    at = name.end;
  }
  return out + std::string(text.substr(at));
}

}  // namespace

TEST_CASE("names written from right to left are found, and no figures beside them", "[report]") {
  CHECK(marked("אב 12 of 16") == "<אב> 12 of 16");
  CHECK(marked("8 of 16 · אב") == "8 of 16 · <אב>");
  CHECK(marked("אזור צפון: 3") == "<אזור צפון>: 3");
  CHECK(marked("אזור, צפון") == "<אזור>, <צפון>");
  CHECK(marked("3×אב") == "3×<אב>");
  CHECK(marked("אב[1-4]") == "<אב>[1-4]");
  CHECK(marked("(منطقة-2) → دلتا_7.") == "(<منطقة-2>) → <دلتا_7>.");
  CHECK(marked("rack אב-3-gpu7 holds 2") == "rack <אב-3-gpu7> holds 2");
  CHECK(marked("ארוך…סוף 5") == "<ארוך…סוף> 5");
  CHECK(marked("𞤀𞤁 1") == "<𞤀𞤁> 1");
}

TEST_CASE("other texts have none, whatever their bytes", "[report]") {
  for (const char* text : {"", "zone-1 12 of 16", "größe 3 · 4×", "机架 2", "🙂 8", "\xd7",
                           "\xd7\x28", "\xff\xfe 1", "a\xd6", "– → ≥ …"}) {
    INFO(text);
    CHECK(right_to_left_names(text).empty());
  }
}
