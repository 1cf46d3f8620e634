#include "zonecut/base/hostlist.hpp"

#include <rapidcheck.h>

#include <algorithm>

#include "support/catch.hpp"
#include "zonecut/base/error.hpp"

using namespace zonecut;
using Names = std::vector<std::string>;

TEST_CASE("host lists expand in their order, with zeros and duplicates kept", "[base]") {
  CHECK(expand_hostlist("gpu[001-003,020],login1") ==
        Names{"gpu001", "gpu002", "gpu003", "gpu020", "login1"});
  CHECK(expand_hostlist("n[9-11]") == Names{"n9", "n10", "n11"});
  CHECK(expand_hostlist("n[098-101]") == Names{"n098", "n099", "n100", "n101"});
  CHECK(expand_hostlist("n[08-10]") == Names{"n08", "n09", "n10"});
  CHECK(expand_hostlist(" a, a\n") == Names{"a", "a"});
  CHECK(expand_hostlist("") == Names{});
  CHECK(expand_hostlist("  ") == Names{});
}

TEST_CASE("a name may stand in a host list or not", "[base]") {
  CHECK(is_host_name("gpu-01.example.org"));
  for (const char* name : {"", "a b", "a,b", "a[1]", "a\n", "a]"}) CHECK_FALSE(is_host_name(name));
  CHECK(is_host_name(std::string(255, 'n')));
  CHECK_FALSE(is_host_name(std::string(256, 'n')));
}

TEST_CASE("several brackets multiply out, the leftmost slowest", "[base]") {
  CHECK(expand_hostlist("r[1-2]-s[1,3].x") == Names{"r1-s1.x", "r1-s3.x", "r2-s1.x", "r2-s3.x"});
}

TEST_CASE("a malformed host list says where it breaks", "[base]") {
  const auto complaint = [](std::string_view list) -> std::string {
    try {
      static_cast<void>(expand_hostlist(list, "state.yaml:3:9"));
    } catch (const InputError& error) {
      CHECK(error.problems().front().where == "state.yaml:3:9");
      return error.problems().front().what;
    }
    return "none";
  };
  CHECK(complaint("gpu[1-") == "host list: at character 7, its end: expected a number");
  CHECK(complaint("gpu[5-3]") ==
        "host list: at character 5, \"5-3]\": this range ends before it begins");
  CHECK(complaint("gpu[1-010]") ==
        "host list: at character 5, \"1-010]\": the ends of this range have different leading "
        "zeros");
  CHECK(complaint("a,,b") == "host list: at character 3, \",b\": expected a name");
  CHECK(complaint("a b") == "host list: at character 3, \"b\": expected a comma between two names");
  CHECK(complaint("a]") == "host list: at character 2, \"]\": expected a comma between two names");
  for (const char* list :
       {",", "a,", "[", "a[]", "a[1,]", "a[x]", "a[1-2-3]", "a[[1]]", "a[1234567890123456789]"}) {
    INFO(list);
    CHECK(complaint(list).starts_with("host list: at character "));
  }
  CHECK(complaint(std::string(256, 'n')).find("longer than 255") != std::string::npos);
}

TEST_CASE("a short host list cannot ask for more names than allowed", "[base]") {
  CHECK_THROWS_AS(expand_hostlist("gpu[0-1000000]"), InputError);
  CHECK(expand_hostlist("gpu[1-1000000]").size() == 1'000'000);
  CHECK_THROWS_AS(
      expand_hostlist("x[1-999999999999999999][1-999999999999999999][1-999999999999999999]"),
      InputError);
  CHECK_THROWS_AS(expand_hostlist("a,b,c", "here", 2), InputError);
}

TEST_CASE("names are written as host lists", "[base]") {
  CHECK(compress_hostlist(Names{"gpu001", "gpu002", "gpu003", "gpu020", "login1"}) ==
        "gpu[001-003,020],login1");
  CHECK(compress_hostlist(Names{"n9", "n10", "n11"}) == "n[9-11]");
  CHECK(compress_hostlist(Names{"r1-s1", "r1-s2", "r2-s1", "r2-s2"}) == "r[1-2]-s[1-2]");
  CHECK(compress_hostlist(Names{"r1-s1", "r1-s2", "r2-s2"}) == "r1-s[1-2],r2-s2");
  CHECK(compress_hostlist(Names{"a1", "a1"}) == "a1,a1");
  CHECK(compress_hostlist(Names{"b2", "b1"}) == "b[2,1]");
  CHECK(compress_hostlist(Names{}).empty());
  CHECK_THROWS_AS(compress_hostlist(Names{"a,b"}), InputError);
  CHECK_THROWS_AS(compress_hostlist(Names{""}), InputError);
}

namespace {

/// Names that share texts and numbers often enough for brackets to form.
rc::Gen<std::string> any_name() {
  const auto number = rc::gen::map(
      rc::gen::pair(rc::gen::inRange(0, 13), rc::gen::inRange(1, 4)), [](std::pair<int, int> pick) {
        std::string digits = std::to_string(pick.first);
        if (digits.size() < static_cast<std::size_t>(pick.second))
          digits.insert(0, static_cast<std::size_t>(pick.second) - digits.size(), '0');
        return digits;
      });
  return rc::gen::map(
      rc::gen::tuple(rc::gen::element<std::string>("a", "rack"), number,
                     rc::gen::element<std::string>("", "-s", "."), number),
      [](const std::tuple<std::string, std::string, std::string, std::string>& parts) {
        return std::get<0>(parts) + std::get<1>(parts) + std::get<2>(parts) + std::get<3>(parts);
      });
}

}  // namespace

TEST_CASE("any names survive being written and read", "[base][property]") {
  CHECK(rc::check([] {
    Names names = *rc::gen::container<Names>(any_name());
    if (*rc::gen::arbitrary<bool>()) std::sort(names.begin(), names.end(), natural_less);
    RC_ASSERT(expand_hostlist(compress_hostlist(names)) == names);
  }));
}

TEST_CASE("names compare as people read them", "[base]") {
  CHECK(natural_less("gpu2", "gpu10"));
  CHECK_FALSE(natural_less("gpu10", "gpu2"));
  CHECK(natural_less("gpu09", "gpu10"));
  CHECK(natural_less("gpu", "gpu1"));
  CHECK(natural_less("r2s10", "r10s2"));
  CHECK(natural_less("n01", "n1") != natural_less("n1", "n01"));
  CHECK_FALSE(natural_less("n1", "n1"));
  CHECK(natural_less("n99999999999999999999998", "n99999999999999999999999"));
}

TEST_CASE("the order of names is a strict total order", "[base][property]") {
  CHECK(rc::check([] {
    const std::string a = *any_name();
    const std::string b = *any_name();
    const std::string c = *any_name();
    RC_ASSERT(natural_less(a, b) + natural_less(b, a) == (a == b ? 0 : 1));
    RC_ASSERT(!(natural_less(a, b) && natural_less(b, c)) || natural_less(a, c));
  }));
}

TEST_CASE("a list of too many names is refused before the rest of it is read", "[base]") {
  CHECK_THROWS_WITH(expand_hostlist("a,b,c,[", "list", 3),
                    "list: the host list has more than 3 names");
  CHECK_THROWS_WITH(expand_hostlist("a[1,2,3,4-", "list", 3),
                    "list: the host list has more than 3 names");
  CHECK(expand_hostlist("a,b[1,2]", "list", 3).size() == 3);
  CHECK_THROWS_WITH(expand_hostlist("a,b", "list", 1), "list: the host list has more than 1 name");
  CHECK_THROWS_WITH(expand_hostlist("a", "list", 0),
                    "list: the host list is one too many: those before it have as many names as "
                    "there may be");
}
