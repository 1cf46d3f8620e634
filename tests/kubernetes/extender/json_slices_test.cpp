#include "extender/json_slices.hpp"

#include "support/catch.hpp"

using namespace zonecut::kubernetes;

TEST_CASE("a field's text is found where it lies, the last one of a name", "[kubernetes]") {
  CHECK(field_text(R"({"a":1,"b": [1, {"a":2}] })", "a") == "1");
  CHECK(field_text(R"( { "a" : 1 , "b" : [1, {"a":2}] } )", "b") == R"([1, {"a":2}])");
  CHECK(field_text(R"({"a":1,"a":"x,\"}\\"})", "a") == R"("x,\"}\\")");
  CHECK(field_text(R"({"a":true})", "a") == "true");
  CHECK_FALSE(field_text(R"({"a":true})", "b"));
  CHECK_FALSE(field_text("{}", "a"));
  CHECK_FALSE(field_text("[1]", "a"));
}

TEST_CASE("keys with escapes might mean the field, so none is found", "[kubernetes]") {
  CHECK_FALSE(field_text(R"({"a":1,"\u0061":2})", "a"));
}

TEST_CASE("a list's elements are its texts", "[kubernetes]") {
  using Texts = std::vector<std::string_view>;
  CHECK(element_texts(R"([ {"a":[1,2]} , "x]" ,-1.5e3,null ])") ==
        Texts{R"({"a":[1,2]})", R"("x]")", "-1.5e3", "null"});
  CHECK(element_texts("[]").empty());
  CHECK(element_texts("[ ]").empty());
  CHECK(element_texts(R"({"a":1})").empty());
  CHECK(element_texts(R"([["]\\"],[]])") == Texts{R"(["]\\"])", "[]"});
}
