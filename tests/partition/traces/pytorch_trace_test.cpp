// PyTorch execution traces.
#include "partition/traces/trace_texts.hpp"
#include "support/catch.hpp"

using namespace zonecut;
using namespace zonecut::test;

namespace {

constexpr TraceFormat kPytorch = TraceFormat::PytorchEt;
using Lines = std::vector<std::string>;

/// The same trace for so many ranks.
std::vector<std::string> all(std::size_t ranks, const std::string& text) {
  return std::vector<std::string>(ranks, text);
}

}  // namespace

TEST_CASE("a collective that all members recorded is counted once", "[traces]") {
  const std::string call =
      record(tensor(64, 2), tensor(64, 2), "0", 0, "allreduce", "[], [], 0, 1, 4");
  const ImportedJob job = import(kPytorch, all(4, pytorch({call, call, call})));
  CHECK(lines_of(job) == Lines{"world all-reduce [0,1,2,3] 128 x3"});
  CHECK(job.traces == 4);
  CHECK(job.assumed.empty());
  CHECK(job.left_out.empty());
}

TEST_CASE("bytes are those of the larger buffer, whichever side it is on", "[traces]") {
  const auto both = [](std::string_view name, std::uint64_t in, std::uint64_t out) {
    const std::string call =
        record(tensor(in, 4), out == 0 ? "" : tensor(out, 4), "0", 0, name, "[], [], 0, 1, 2");
    return lines_of(import(kPytorch, all(2, pytorch({call})))).front();
  };
  CHECK(both("_allgather_base", 8, 16) == "world all-gather [0,1] 64 x1");
  CHECK(both("_reduce_scatter_base", 16, 8) == "world reduce-scatter [0,1] 64 x1");
  CHECK(both("broadcast", 16, 16) == "world broadcast [0,1] 64 x1");
  // Of an all-gather that recorded no output, a rank's part is known, and so the whole.
  CHECK(both("all_gather", 8, 0) == "world all-gather [0,1] 64 x1");
}

TEST_CASE("tensors in lists are added up, each with its own element type", "[traces]") {
  const std::string tensors = "[" + tensor(10, 2) + ", " + tensor(10, 8) + "]";
  const std::string call =
      record(tensors, tensors, "0", 0, "allreduce_coalesced", "[], [], 0, 1, 2");
  CHECK(lines_of(import(kPytorch, all(2, pytorch({call})))) ==
        Lines{"world all-reduce [0,1] 100 x1"});
  const std::string gathered =
      record("[" + tensor(1, 4) + "]", "[[" + tensor(1, 4) + ", " + tensor(1, 4) + "]]", "0", 0,
             "all_gather", "[], [], 0, 1, 2");
  CHECK(lines_of(import(kPytorch, all(2, pytorch({gathered})))) ==
        Lines{"world all-gather [0,1] 8 x1"});
}

TEST_CASE("described groups have their members and lend collectives their descriptions",
          "[traces]") {
  const auto of_rank = [](int rank) {
    const int other = rank ^ 1;
    const std::vector<int> tp = {std::min(rank, other), std::max(rank, other)};
    const std::vector<int> dp = {rank % 2, rank % 2 + 2};
    return pytorch({groups_record({{"0", "default_pg", {}, 4},
                                   {std::to_string(1 + rank / 2), "TENSOR_PARALLEL", tp, 2},
                                   {std::to_string(3 + rank % 2), "undefined", dp, 2}}),
                    record(tensor(1, 4), tensor(1, 4), "0", 0, "allreduce", "[], [], 0, 1, 4"),
                    record(tensor(2, 4), tensor(2, 4), std::to_string(1 + rank / 2), 0, "allreduce",
                           "[], [], -1, -1, 2"),
                    record(tensor(3, 4), tensor(3, 4), std::to_string(3 + rank % 2), 0, "allreduce",
                           "[], [], -1, -1, 2")});
  };
  const ImportedJob job = import(kPytorch, {of_rank(0), of_rank(1), of_rank(2), of_rank(3)});
  CHECK(lines_of(job) ==
        Lines{"2-ranks-by-2 all-reduce [0,2] 12 x1", "2-ranks-by-2 all-reduce [1,3] 12 x1",
              "TENSOR_PARALLEL all-reduce [0,1] 8 x1", "TENSOR_PARALLEL all-reduce [2,3] 8 x1",
              "world all-reduce [0,1,2,3] 4 x1"});
  CHECK(job.assumed.empty());
}

TEST_CASE("groups may be described after their calls, and by the number of their backend",
          "[traces]") {
  const std::string call =
      old_record(tensor(4, 4), tensor(4, 4), "8214910", 0, "allreduce", "[], [], 2");
  const std::string groups =
      R"({"name": "## process_group:init ##", "id": 3, "inputs": ["[{\"pg_name\": \"5\", \"backend_id\": 8214910, \"ranks\": [1, 2], \"group_size\": 2}]"]})";
  const std::vector<std::string> traces = {
      pytorch({old_record(tensor(1, 4), tensor(1, 4), "11", 0, "allreduce", "[], [], 3")}),
      pytorch({old_record(tensor(1, 4), tensor(1, 4), "12", 1, "allreduce", "[], [], 3"), call,
               groups}),
      pytorch({old_record(tensor(1, 4), tensor(1, 4), "13", 2, "allreduce", "[], [], 3"), call,
               groups})};
  CHECK(lines_of(import(kPytorch, traces)) ==
        Lines{"2-ranks all-reduce [1,2] 16 x1", "world all-reduce [0,1,2] 4 x1"});
}

TEST_CASE("a group is known by its first member and stride where it is not described", "[traces]") {
  const auto of_rank = [](int rank) {
    return pytorch({record(tensor(4, 4), tensor(4, 4), std::to_string(rank % 2), 0, "allreduce",
                           fmt::format("[], [], {}, 2, 2", rank % 2))});
  };
  CHECK(lines_of(import(kPytorch, {of_rank(0), of_rank(1), of_rank(2), of_rank(3)})) ==
        Lines{"2-ranks-by-2 all-reduce [0,2] 16 x1", "2-ranks-by-2 all-reduce [1,3] 16 x1"});
}

TEST_CASE("a group that says nothing of its members is taken to be all ranks, which is said",
          "[traces]") {
  const std::string call = old_record(tensor(4, 4), tensor(4, 4), "999", 0, "allreduce", "[], []");
  const ImportedJob job = import(kPytorch, all(3, pytorch({call})));
  CHECK(lines_of(job) == Lines{"world all-reduce [0,1,2] 16 x1"});
  REQUIRE(job.assumed.size() == 1);
  CHECK(job.assumed.front().find("all ranks") != std::string::npos);
}

TEST_CASE("a group of some ranks that nobody names is refused", "[traces]") {
  const std::string call =
      old_record(tensor(4, 4), tensor(4, 4), "999", 0, "allreduce", "[], [], 2");
  CHECK(mistakes(kPytorch, all(4, pytorch({call}))).find("a group of 2 of 4 ranks") !=
        std::string::npos);
}

TEST_CASE("groups that the options name go before what the trace says", "[traces]") {
  const std::string call =
      record(tensor(4, 4), tensor(4, 4), "7", 0, "allreduce", "[], [], -1, -1, 2");
  TraceOptions options;
  options.groups["7"] = {RankId{1}, RankId{0}};
  CHECK(lines_of(import(kPytorch, all(2, pytorch({call})), options)) ==
        Lines{"world all-reduce [1,0] 16 x1"});
}

TEST_CASE("a group of one rank sends nothing, which is said", "[traces]") {
  const std::string alone =
      old_record(tensor(1, 4), tensor(1, 4), "5", 0, "allreduce", "[], [], 1");
  const std::string call = old_record(tensor(4, 4), tensor(4, 4), "6", 0, "allreduce", "[], [], 2");
  const ImportedJob job = import(kPytorch, all(2, pytorch({alone, call})));
  CHECK(lines_of(job) == Lines{"world all-reduce [0,1] 16 x1"});
  CHECK(job.left_out ==
        std::vector<ImportedJob::LeftOut>{{"all-reduce of 4B in a group of 1 rank", 2}});
}

TEST_CASE("barriers and unknown kinds are left out and said; waits are no communication",
          "[traces]") {
  const auto named = [](std::string_view name) {
    return record(tensor(4, 4), tensor(4, 4), "0", 0, name, "[], [], 0, 1, 2");
  };
  const std::string wait =
      R"({"id": 9, "name": "record_param_comms", "inputs": {"values": [33, ["", ""], 0, "wait", [], [], -1, -1, 1]}})";
  const ImportedJob job = import(
      kPytorch, all(2, pytorch({named("barrier"), named("teleport"), named("allreduce"), wait})));
  CHECK(lines_of(job) == Lines{"world all-reduce [0,1] 16 x1"});
  CHECK(job.left_out == std::vector<ImportedJob::LeftOut>{
                            {"\"teleport\", of a kind that is not known", 2}, {"barrier", 2}});
}

TEST_CASE("roots and other ends are positions in the group", "[traces]") {
  const auto of_rank = [](int rank, std::string_view name, int peer, std::string_view in,
                          std::string_view out) {
    std::vector<std::string> records = {groups_record({{"1", "PP", {3, 1, 2}, 3}})};
    if (rank > 0) records.push_back(record(in, out, "1", peer, name, "[], [], -1, -1, 3"));
    return pytorch(records);
  };
  const auto lines = [&](std::string_view name, int peer, std::string_view in,
                         std::string_view out) {
    return lines_of(
        import(kPytorch, {of_rank(0, name, peer, in, out), of_rank(1, name, peer, in, out),
                          of_rank(2, name, peer, in, out), of_rank(3, name, peer, in, out)}));
  };
  const std::string t = tensor(4, 4);
  CHECK(lines("broadcast", 1, t, t) == Lines{"PP broadcast [1,2,3] 16 x1"});
  CHECK(lines("reduce", 2, t, t) == Lines{"PP broadcast [2,3,1] 16 x1"});
  CHECK(lines("gather", 0, t, "") ==
        Lines{"PP send-receive [1,3] 16 x1", "PP send-receive [2,3] 16 x1"});
  CHECK(lines("scatter", 0, "[]", t) ==
        Lines{"PP send-receive [3,1] 16 x1", "PP send-receive [3,2] 16 x1"});
}

TEST_CASE("a send and its receive are one message", "[traces]") {
  const std::string t = "[" + tensor(4, 4) + "]";
  const std::string to = record(t, t, "0", 1, "send", "[], [], 0, 1, 2");
  const std::string from = record(t, t, "0", 0, "recv", "[], [], 0, 1, 2");
  CHECK(lines_of(import(kPytorch, {pytorch({to, to}), pytorch({from, from})})) ==
        Lines{"send-receive send-receive [0,1] 16 x2"});
  const std::string wrong = mistakes(kPytorch, {pytorch({to, to}), pytorch({from})});
  CHECK(wrong == "t.0.json:4: 16B from rank 0 to rank 1: 2 sent, 1 received\n");
  // Point-to-point calls have sequence numbers of their own.
  std::string newer = to;
  newer.replace(newer.find(", 3,"), 4, ", [3, true],");
  CHECK(lines_of(import(kPytorch, {pytorch({newer}), pytorch({from})})) ==
        Lines{"send-receive send-receive [0,1] 16 x1"});
}

TEST_CASE("a receive from any rank is what the sender recorded", "[traces]") {
  const std::string t = tensor(4, 4);
  const std::string to = record(t, t, "0", 1, "send", "[], [], 0, 1, 2");
  const std::string any = record(t, t, "0", 1, "recvAnySource", "[], [], 0, 1, 2");
  const ImportedJob job = import(kPytorch, {pytorch({to}), pytorch({any})});
  CHECK(lines_of(job) == Lines{"send-receive send-receive [0,1] 16 x1"});
  CHECK(job.assumed.size() == 1);
}

TEST_CASE("an all-to-all of equal splits is one; of unequal ones it is messages", "[traces]") {
  const auto call = [](std::string_view in, std::string_view out) {
    return record(tensor(6, 4), tensor(6, 4), "0", 0, "all_to_allv",
                  fmt::format("{}, {}, 0, 1, 2", in, out));
  };
  CHECK(lines_of(import(kPytorch, all(2, pytorch({call("[3, 3]", "[3, 3]")})))) ==
        Lines{"world all-to-all [0,1] 24 x1"});
  CHECK(lines_of(import(kPytorch, all(2, pytorch({call("[]", "[]")})))) ==
        Lines{"world all-to-all [0,1] 24 x1"});
  // Rows of two elements; rank 0 sends 1 row to rank 1, which sends 2.
  CHECK(lines_of(import(kPytorch, {pytorch({call("[2, 1]", "[1, 2]")}),
                                   pytorch({call("[2, 1]", "[1, 2]")})})) ==
        Lines{"world send-receive [1,0] 16 x1", "world send-receive [0,1] 8 x1"});
  CHECK(
      mistakes(kPytorch, {pytorch({call("[2, 1]", "[1, 2]")}), pytorch({call("[2, 1]", "[2, 1]")})})
          .find("rank 0 sends 8 bytes to rank 1, which receives 16") != std::string::npos);
  CHECK(mistakes(kPytorch, all(2, pytorch({call("[2, 3]", "[2, 3]")})))
            .find("t.0.json:4: record_param_comms of id 7: splits of 5 rows do not divide a "
                  "buffer of 24 bytes") == 0);
}

TEST_CASE("lists of tensors are the splits of an all-to-all", "[traces]") {
  const auto of_rank = [](int to_other) {
    const std::string own = tensor(4, 4);
    const std::string sent = tensor(static_cast<std::uint64_t>(to_other), 4);
    const std::string got = tensor(static_cast<std::uint64_t>(3 - to_other), 4);
    const bool first = to_other == 1;
    return pytorch({record("[" + (first ? own + ", " + sent : sent + ", " + own) + "]",
                           "[" + (first ? own + ", " + got : got + ", " + own) + "]", "0", 0,
                           "all_to_all", "[], [], 0, 1, 2")});
  };
  CHECK(lines_of(import(kPytorch, {of_rank(1), of_rank(2)})) ==
        Lines{"world send-receive [1,0] 8 x1", "world send-receive [0,1] 4 x1"});
}

TEST_CASE("where no tensor was recorded, the attributes say how much", "[traces]") {
  const std::string call =
      R"({"id": 7, "name": "record_param_comms", "inputs": {"values": [3, ["0", "default_pg"], 0, "allreduce", [], [], 0, 1, 2]}, "attrs": [{"name": "dtype", "type": "string", "value": "BFloat16"}, {"name": "in_msg_nelems", "type": "uint64", "value": 5}, {"name": "out_msg_nelems", "type": "uint64", "value": 5}, {"name": "pg_desc", "type": "string", "value": "mesh_dp"}]})";
  CHECK(lines_of(import(kPytorch, all(2, pytorch({call})))) ==
        Lines{"mesh_dp all-reduce [0,1] 10 x1"});
}

TEST_CASE("iterations that the trace marks but the import does not divide by are said",
          "[traces]") {
  const std::string call =
      record(tensor(4, 4), tensor(4, 4), "0", 0, "allreduce", "[], [], 0, 1, 2");
  const std::string step = R"({"id": 4, "name": "ProfilerStep#3", "inputs": {"values": []}})";
  const std::vector<std::string> texts = all(2, pytorch({step, call, step, call}));
  const ImportedJob once = import(kPytorch, texts);
  REQUIRE(once.assumed.size() == 1);
  CHECK(once.assumed.front().find("the traces mark 2 iterations") == 0);
  TraceOptions options;
  options.iterations = 2;
  const ImportedJob each = import(kPytorch, texts, options);
  CHECK(lines_of(each) == Lines{"world all-reduce [0,1] 16 x1"});
  CHECK(each.assumed.empty());
}

TEST_CASE("a name that is no text is no record", "[traces]") {
  CHECK(mistakes(kPytorch, {"{\"nodes\": [{\"name\": 3}, {\"id\": 4}]}"}).find("nothing is sent") !=
        std::string::npos);
}

TEST_CASE("a record that cannot be read is reported with its line and id", "[traces]") {
  const auto wrong = [](const std::string& text) { return mistakes(kPytorch, {text}); };
  const std::string head = "{\"nodes\": [\n";
  CHECK(wrong(head + R"({"name": "record_param_comms", "id": 8}]})") ==
        "t.0.json:2: record_param_comms of id 8: has no inputs\n");
  CHECK(wrong(head + R"({"name": "record_param_comms", "inputs": [1, 2]}]})")
            .find("t.0.json:2: record_param_comms: has 2 inputs, expected at least 6") == 0);
  CHECK(wrong(head + "\n" +
              record("[[1, 2, 0, -3, 4, \"cpu\"]]", "", "0", 0, "allreduce", "[], [], 0, 1, 2") +
              "]}")
            .find("t.0.json:3: record_param_comms of id 7: a tensor has no usable size") == 0);
  CHECK(wrong(head + groups_record({{"0", "", {1, 1}, 2}}) + "]}")
            .find("t.0.json:2: the description of the process groups: rank 1 stands twice") == 0);
  CHECK(wrong(head + groups_record({{"0", "", {1, 2}, 3}}) + "]}")
            .find("a process group of size 3 has 2 ranks") != std::string::npos);
}
