#include "zonecut/base/document.hpp"

#include <array>
#include <cstdio>

#include "support/catch.hpp"

using namespace zonecut;

namespace {

/// All complaints about a text, one a line.
std::string complaints(std::string_view text, const DocumentLimits& limits = {}) {
  try {
    static_cast<void>(parse_document(text, "f", limits));
  } catch (const InputError& error) {
    return error.what();
  }
  return "none";
}

}  // namespace

TEST_CASE("a document keeps kinds, order and positions", "[base]") {
  const Document document = parse_document("b: [1, \"2\"]\na:\n  x: ~\n  y:\n", "f");
  const Value& root = document.root;
  REQUIRE(root.kind == Value::Kind::Mapping);
  REQUIRE(root.entries.size() == 2);
  CHECK(root.entries[0].key == "b");
  const Value& list = root.entries[0].value;
  REQUIRE(list.kind == Value::Kind::List);
  REQUIRE(list.items.size() == 2);
  CHECK_FALSE(list.items[0].quoted);
  CHECK(list.items[1].quoted);
  CHECK(list.items[1].scalar == "2");
  CHECK(document.where(list.items[1]) == "f:1:8");
  const Value& inner = root.entries[1].value;
  REQUIRE(inner.entries.size() == 2);
  CHECK(inner.entries[0].value.kind == Value::Kind::Null);
  CHECK(inner.entries[1].value.kind == Value::Kind::Null);
  CHECK(document.where(inner.entries[1].value) == "f:4:3");
}

TEST_CASE("JSON is read too", "[base]") {
  const Document document = parse_document("{\"a\": [1, {\"b\": null}],\n\t\"c\": \"d\"}", "f");
  REQUIRE(document.root.entries.size() == 2);
  CHECK(document.root.entries[1].key == "c");
}

TEST_CASE("an empty text is null", "[base]") {
  for (const char* text : {"", "# nothing\n", "---\n"}) {
    const Document document = parse_document(text, "f");
    CHECK(document.root.kind == Value::Kind::Null);
    CHECK(document.root.line >= 1);
  }
}

TEST_CASE("everything that is not read is refused, all at once", "[base]") {
  CHECK(complaints("a: 1\nb: 2\na: 3\nb: {x: 1}\n") ==
        "f:3:1: the key \"a\" is given twice, first in line 1\n"
        "f:4:1: the key \"b\" is given twice, first in line 2");
  CHECK(complaints("a: &x 1\nb: *x\n") ==
        "f:1:4: found the anchor \"&x\", anchors are not read (write the value out where it is "
        "used)\nf:2:4: found an alias (\"*\"), aliases are not read (write the value out here)");
  CHECK(complaints("a: {<<: {b: 1}}").find("merge key") != std::string::npos);
  CHECK(complaints("a: !!str 8").find("tags are not read") != std::string::npos);
  CHECK(complaints("a: !x [8]").find("tags are not read") != std::string::npos);
  CHECK(complaints("a: 1\n---\nb: 1\n").find("f:2:1: a second document") == 0);
  CHECK(complaints("[1]: 2").find("no plain text") != std::string::npos);
  CHECK(complaints("~: 2").find("no plain text") != std::string::npos);
  CHECK(complaints("a: \"\\x07\"").find("control character 0x07") != std::string::npos);
}

TEST_CASE("broken YAML is reported where it breaks", "[base]") {
  CHECK(complaints("a: [1, 2\nb: 3\n").find("f:2:") == 0);
  CHECK(complaints("a: 1\n\tb: 2\n").find("not valid YAML") != std::string::npos);
  CHECK(complaints("a: 1\n b: 2\n").find("f:2:") == 0);
  CHECK(complaints("!2") != "");  // once an assertion inside the parser
}

TEST_CASE("text that is not UTF-8 is refused at its byte", "[base]") {
  CHECK(complaints("ok: 1\nbad: \xC3\x28\n").find("f:2:6: found the byte 0xC3") == 0);
  CHECK(complaints(std::string_view("a\0b", 3)).find("f:1:2: found the byte 0x00") == 0);
  for (const char* text : {"\xED\xA0\x80", "\xC0\xAF", "\xF4\x90\x80\x80", "\xE2\x82", "\x80"})
    CHECK(complaints(text).find("expected UTF-8") != std::string::npos);
  CHECK(complaints("\xEF\xBB\xBF"
                   "a: \xE2\x82\xAC \xF0\x9F\x98\x80\n") == "none");
}

TEST_CASE("limits hold before stack, memory or time are at risk", "[base]") {
  const auto is_refused = [](const std::string& text, const char* reason) {
    INFO(text.substr(0, 20));
    CHECK(complaints(text).find(reason) != std::string::npos);
  };
  const auto repeat = [](std::string_view unit, int times) {
    std::string text;
    for (int i = 0; i < times; ++i) text += unit;
    return text;
  };
  is_refused(repeat("[", 100'000) + repeat("]", 100'000), "nested deeper than 32");
  is_refused(repeat("{a: ", 10'000) + repeat("}", 10'000), "nested deeper than 32");
  is_refused(repeat("- ", 100'000), "nested deeper than 32");
  is_refused(repeat("[", 100'000), "is a bracket or brace left open");
  is_refused(repeat("? ", 100'000), "where a key is expected");
  is_refused(repeat("[", 1'100'000), "more than 1000000 values");
  is_refused("[" + repeat("a,", 1'100'000) + "]", "more than 1000000 values");
  CHECK(complaints("[1, 2, 3]", {.bytes = 64, .depth = 4, .values = 3}).find("more than 3") !=
        std::string::npos);
  CHECK(complaints("[1, 2, 3]", {.bytes = 8, .depth = 4, .values = 30}).find("9 bytes") !=
        std::string::npos);
  CHECK(complaints(repeat("[", 32) + repeat("]", 32)) == "none");
}

TEST_CASE("fields give values, fall back on mistakes and report each", "[base]") {
  const Document document = parse_document(
      "name: x\ncount: 12\nshare: 0.5\nspeed: 400Gbps\nsize: 1GiB\ntime: 7us\nsure: true\n"
      "list: [a, b]\none: a\nkind: rail\nbad_count: \"8\"\nbad_speed: 400\nbad_kind: rial\n"
      "nmae: y\n",
      "f");
  ProblemList problems;
  Fields fields(document, document.root, problems);
  CHECK(fields.required_text("name") == "x");
  CHECK(fields.integer("count", 1, 1, 100) == 12);
  CHECK(fields.number("share", 0, 0, 1) == 0.5);
  CHECK(fields.bandwidth("speed", {}) == BytesPerSecond{50'000'000'000});
  CHECK(fields.bytes("size", {}) == Bytes{1 << 30});
  CHECK(fields.duration("time", {}).count == Approx(7e-6));
  CHECK(fields.boolean("sure", false));
  CHECK(fields.texts("list") == std::vector<std::string>{"a", "b"});
  CHECK(fields.texts("one") == std::vector<std::string>{"a"});
  constexpr std::array<std::string_view, 2> kKinds = {"rack", "rail"};
  CHECK(fields.choice("kind", kKinds, 0) == 1);
  CHECK(fields.text("absent", "fallback") == "fallback");
  CHECK(fields.has("nmae"));
  CHECK(problems.empty());

  CHECK(fields.integer("bad_count", 5, 1, 100) == 5);
  CHECK(fields.bandwidth("bad_speed", BytesPerSecond{1}) == BytesPerSecond{1});
  CHECK(fields.choice("bad_kind", kKinds, 0) == 0);
  CHECK(fields.require("missing") == nullptr);
  fields.finish();
  try {
    problems.throw_if_any();
    FAIL("nothing was reported");
  } catch (const InputError& error) {
    CHECK(std::string(error.what()) ==
          "f:11:12: found \"8\", expected a whole number from 1 to 100 (without quotes)\n"
          "f:12:12: found \"400\", expected a bandwidth with its unit (such as 400Gbps or 50GB/s)\n"
          "f:13:11: found \"rial\", expected one of: rack, rail (did you mean \"rail\"?)\n"
          "f:1:1: the key \"missing\" is missing\n"
          "f:14:1: unknown key \"nmae\" (did you mean \"name\"?)");
  }
}

TEST_CASE("numbers out of range, infinite or with letters are refused", "[base]") {
  const Document document = parse_document("[1e400, inf, nan, 0x10, 1_000, +5, '5', 5.5, ~]", "f");
  for (const Value& value : document.root.items) {
    ProblemList problems;
    CHECK_FALSE(as_integer(document, value, 0, 10, problems));
    CHECK_FALSE(problems.empty());
    if (value.scalar == "5.5") continue;
    ProblemList more;
    CHECK_FALSE(as_number(document, value, 0, 10, more));
    CHECK_FALSE(more.empty());
  }
}

TEST_CASE("the nearest word is a slip away, or none", "[base]") {
  const std::vector<std::string> known = {"oversubscription", "levels", "rack", "up"};
  CHECK(nearest_word("oversubscripton", known) == "oversubscription");
  CHECK(nearest_word("levles", known) == "levels");
  CHECK(nearest_word("rakc", known) == "rack");
  CHECK_FALSE(nearest_word("zone", known));
  CHECK_FALSE(nearest_word("xy", known));
  CHECK_FALSE(nearest_word("", known));
  CHECK_FALSE(nearest_word(std::string(100'000, 'r'), known));
}

TEST_CASE("a file is read whole or refused by name", "[base]") {
  const std::string path = std::string(std::tmpnam(nullptr)) + ".yaml";
  std::FILE* file = std::fopen(path.c_str(), "wb");
  REQUIRE(file != nullptr);
  std::fputs("a: 1\n", file);
  std::fclose(file);
  CHECK(read_file(path) == "a: 1\n");
  CHECK_THROWS_WITH(read_file(path, 4), Catch::Contains("larger than 4 bytes"));
  std::remove(path.c_str());
  CHECK_THROWS_WITH(read_file(path), Catch::StartsWith(path + ": cannot be opened"));
  CHECK_THROWS_AS(read_file("/"), InputError);
}

TEST_CASE("a quantity that is too large is said to be so", "[base]") {
  const Document document = parse_document(
      "rate: 1e30GB/s\nsize: 9223372036854775808B\ntime: 1e308h\nword: manyB\nnone: 5e99\n", "f");
  ProblemList problems;
  Fields fields(document, document.root, problems);
  static_cast<void>(fields.bandwidth("rate", {}));
  static_cast<void>(fields.bytes("size", {}));
  static_cast<void>(fields.duration("time", {}));
  static_cast<void>(fields.bytes("word", {}));
  static_cast<void>(fields.bytes("none", {}));
  try {
    problems.throw_if_any();
    FAIL("nothing was found wrong");
  } catch (const InputError& error) {
    CHECK(error.what() ==
          std::string(
              "f:1:7: found \"1e30GB/s\", which is too large (such as 400Gbps or 50GB/s)\n"
              "f:2:7: found \"9223372036854775808B\", which is too large (such as 64MiB or 2GB)\n"
              "f:3:7: found \"1e308h\", which is too large (such as 7us, 15ms or 2min)\n"
              "f:4:7: found \"manyB\", expected a size with its unit (such as 64MiB or 2GB)\n"
              "f:5:7: found \"5e99\", expected a size with its unit (such as 64MiB or 2GB)"));
  }
}
