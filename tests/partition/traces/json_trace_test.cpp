// What all JSON formats refuse, and PARAM's.
#include <rapidcheck.h>

#include <set>

#include "partition/traces/trace_texts.hpp"
#include "support/catch.hpp"

using namespace zonecut;
using namespace zonecut::test;

namespace {

constexpr TraceFormat kPytorch = TraceFormat::PytorchEt;
constexpr TraceFormat kParam = TraceFormat::Param;
using Lines = std::vector<std::string>;

bool says(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

std::string call(std::string_view name, std::uint64_t in, std::uint64_t out,
                 std::string_view more = "\"world_size\": 2", std::string_view type = "float") {
  return fmt::format(
      R"({{"comms": "{}", "in_msg_size": {}, "out_msg_size": {}, "dtype": "{}", {}}})", name, in,
      out, type, more);
}

std::string list(const std::vector<std::string>& records) {
  return fmt::format("[\n{}\n]\n", fmt::join(records, ",\n"));
}

Lines param(const std::vector<std::string>& texts) { return lines_of(import(kParam, texts)); }

}  // namespace

TEST_CASE("a text that is no trace is refused with the line", "[traces]") {
  CHECK(says(mistakes(kPytorch, {""}), "t.0.json:1: cannot be read as JSON"));
  CHECK(says(mistakes(kPytorch, {"{\"nodes\": [\n{\"name\": \"x\"},\n"}), "t.0.json:3:"));
  CHECK(says(mistakes(kPytorch, {"[]"}), "t.0.json:1: is no object"));
  CHECK(says(mistakes(kPytorch, {"7"}), "is no object"));
  CHECK(says(mistakes(kPytorch, {"{}"}), "has no list \"nodes\""));
  CHECK(says(mistakes(kPytorch, {"{\"nodes\": {}}"}), "nodes is no list"));
  CHECK(says(mistakes(kPytorch, {R"({"schemaVersion": 1, "traceEvents": [{"ph": "X"}]})"}),
             "t.0.json: is a Kineto trace"));
  CHECK_FALSE(says(mistakes(kPytorch, {R"({"traceEvents": [], "nodes": []})"}), "Kineto"));
  CHECK_FALSE(says(mistakes(kPytorch, {R"({"a": {"traceEvents": []}})"}), "Kineto"));
  CHECK(says(mistakes(kPytorch, {"{\"nodes\": [3]}"}), "an entry of the list is no object"));
  CHECK(says(mistakes(kPytorch, {"{\"nodes\": [[]]}"}), "an entry of the list is no object"));
  CHECK(says(mistakes(kPytorch, {"{\"nodes\": [], \"nodes\": []}"}), "nodes is given twice"));
  CHECK(says(mistakes(kParam, {"{}"}), "t.0.json:1: is no list"));
  const std::string table =
      "comm_type,comm_group,comm_group_size,msg_size,stage\nCommType.all_reduce,,8,8,init\n";
  CHECK(says(mistakes(kParam, {table}), "t.0.json: is a log of AICB"));
  CHECK(says(mistakes(kParam, {"[ pp_stage0: [rank0, rank1] ]\n" + table}), "is a log of AICB"));
  CHECK(
      says(mistakes(kPytorch,
                    {"{\"nodes\": [\n{\"name\": \"record_param_comms\",\n\"id\": 1, \"id\": 2}]}"}),
           "t.0.json:3: the key \"id\" is given twice"));
  CHECK(says(mistakes(kPytorch, {"{\"nodes\": [], \"a\": " + std::string(100'000, '[')}),
             "nested more than"));
  CHECK(says(mistakes(kPytorch, {pytorch({})}), "nothing is sent between ranks"));
}

TEST_CASE("other keys of a trace may hold anything", "[traces]") {
  const std::string body =
      record(tensor(1, 4), tensor(1, 4), "0", 0, "allreduce", "[], [], 0, 1, 2");
  const std::string text =
      "{\"a\": {\"nodes\": [1, [2]]}, \"b\": [{\"name\": \"record_param_comms\"}], "
      "\"nodes\": [" +
      body + "], \"c\": null}";
  CHECK(lines_of(import(kPytorch, {text, text})) == Lines{"world all-reduce [0,1] 4 x1"});
}

TEST_CASE("PARAM's sizes are elements of its types", "[traces]") {
  const auto bytes = [](std::string_view type) {
    const std::string text = list({call("all_reduce", 10, 10, "\"world_size\": 2", type)});
    return param({text, text}).front();
  };
  CHECK(bytes("float") == "world all-reduce [0,1] 40 x1");
  CHECK(bytes("torch.float16") == "world all-reduce [0,1] 20 x1");
  CHECK(bytes("bfloat16") == "world all-reduce [0,1] 20 x1");
  CHECK(bytes("double") == "world all-reduce [0,1] 80 x1");
  CHECK(bytes("Long") == "world all-reduce [0,1] 80 x1");
  CHECK(bytes("Float8_e4m3fn") == "world all-reduce [0,1] 10 x1");
  CHECK(bytes("ComplexDouble") == "world all-reduce [0,1] 160 x1");
  const std::string text = list({call("all_reduce", 10, 10, "\"world_size\": 2", "quad")});
  CHECK(says(mistakes(kParam, {text, text}), "t.0.json:2: found the dtype \"quad\""));
}

TEST_CASE("PARAM's groups are lists of ranks, numbers of inits, or all ranks", "[traces]") {
  const std::string init =
      R"({"comms": "init", "pg_id": 4, "pg_desc": "ep", "global_ranks": [1, 2], "world_size": 2})";
  const std::string by_init = call("all_gather", 1, 2, "\"pg_id\": 4, \"world_size\": 2");
  const std::string by_list =
      call("reduce_scatter", 3, 1, "\"global_ranks\": [0, 1, 2], \"world_size\": 3");
  const std::string compute = R"({"compute": "gemm", "mm_dim": 100, "dtype": "float"})";
  const std::string barrier = R"({"comms": "barrier"})";
  CHECK(param({list({by_list}), list({init, by_init, compute, by_list}),
               list({init, barrier, by_list, by_init})}) ==
        Lines{"ep all-gather [1,2] 8 x1", "world reduce-scatter [0,1,2] 12 x1"});
}

TEST_CASE("PARAM's roots and other ends are ranks of the job", "[traces]") {
  const std::string group = "\"global_ranks\": [2, 1], \"world_size\": 2";
  const std::string sent =
      call("isend", 4, 4, "\"src_rank\": 1, \"dst_rank\": 2, \"use_batch\": true, " + group);
  const std::string got =
      call("irecv", 4, 4, "\"src_rank\": 1, \"dst_rank\": 2, \"use_batch\": true, " + group);
  const std::string broadcast = call("broadcast", 2, 2, "\"root\": 1, " + group);
  CHECK(param({list({}), list({sent, broadcast}), list({broadcast, got})}) ==
        Lines{"2-ranks-unevenly broadcast [1,2] 8 x1", "send-receive send-receive [1,2] 16 x1"});
}

TEST_CASE("PARAM's splits are elements to and from each member", "[traces]") {
  const auto v = [](std::string_view in, std::string_view out) {
    return list(
        {call("alltoallv", 4, 4,
              fmt::format("\"in_split\": {}, \"out_split\": {}, \"world_size\": 2", in, out))});
  };
  CHECK(param({v("[1, 3]", "[1, 3]"), v("[3, 1]", "[3, 1]")}) ==
        Lines{"world all-to-all [0,1] 24 x1"});
  CHECK(param({v("[3, 1]", "[3, 1]"), v("[1, 3]", "[1, 3]")}) ==
        Lines{"world all-to-all [0,1] 8 x1"});
}

TEST_CASE("what PARAM's records lack is a mistake with its line", "[traces]") {
  const auto wrong = [](const std::string& record) {
    return mistakes(kParam, {list({call("all_reduce", 1, 1), record}), list({})});
  };
  CHECK(says(wrong(R"({"comms": "all_reduce", "dtype": "float", "in_msg_size": 3})"),
             "t.0.json:3: out_msg_size is missing"));
  CHECK(says(wrong(R"({"comms": 3})"), "t.0.json:3: comms is no text"));
  CHECK(says(wrong(call("all_reduce", 1, 1, "\"world_size\": -3")),
             "world_size is no usable whole number"));
  CHECK(says(wrong(call("all_reduce", 1, 1, "\"global_ranks\": [0, 0]")),
             "rank 0 stands twice in a group"));
  CHECK(
      says(wrong(call("all_reduce", 1, 1, "\"global_ranks\": [\"a\"]")), "found \"a\" as a rank"));
}

TEST_CASE("what ranks recorded of groups and calls is what comes out, whatever they were",
          "[traces]") {
  CHECK(rc::check("counts and bytes by group", [] {
    const int ranks = *rc::gen::inRange(2, 9);
    const int groups = *rc::gen::inRange(1, 6);
    std::map<std::pair<std::set<int>, std::pair<int, int>>, int> wanted;
    std::vector<std::vector<std::string>> records(static_cast<std::size_t>(ranks));
    for (int g = 0; g < groups; ++g) {
      std::set<int> members;
      for (int rank = 0; rank < ranks; ++rank) {
        if (*rc::gen::inRange(0, 2) == 1) members.insert(rank);
      }
      if (members.size() < 2) continue;
      const int kind = *rc::gen::inRange(0, 3);
      const int elements = *rc::gen::inRange(1, 4);
      const int times = *rc::gen::inRange(1, 4);
      wanted[{members, {kind, elements}}] += times;
      constexpr std::string_view kNames[] = {"all_reduce", "all_gather", "reduce_scatter"};
      for (const int rank : members) {
        for (int i = 0; i < times; ++i) {
          records[static_cast<std::size_t>(rank)].push_back(
              call(kNames[kind], static_cast<std::uint64_t>(elements),
                   static_cast<std::uint64_t>(elements),
                   fmt::format("\"global_ranks\": [{}]", fmt::join(members, ", "))));
        }
      }
    }
    if (wanted.empty()) return;
    std::vector<std::string> texts;
    for (const auto& own : records) texts.push_back(list(own));
    TraceOptions options;
    options.allow_missing = true;
    const ImportedJob job = import(kParam, texts, options);
    std::map<std::pair<std::set<int>, std::pair<int, int>>, int> found;
    for (const ExplicitCollective& c : std::get<ExplicitTraffic>(job.job.work).collectives) {
      std::set<int> members;
      for (const RankId member : c.members) members.insert(static_cast<int>(member.index()));
      const auto key = std::pair(
          members, std::pair(static_cast<int>(c.kind), static_cast<int>(c.bytes.count / 4)));
      RC_ASSERT(!found.contains(key));
      found[key] = c.times;
    }
    RC_ASSERT(found == wanted);
  }));
}
