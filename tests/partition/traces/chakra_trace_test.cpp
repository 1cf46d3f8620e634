// Chakra execution traces, as protobuf and as JSON.
#include "partition/traces/trace_texts.hpp"
#include "support/catch.hpp"

using namespace zonecut;
using namespace zonecut::test;

namespace {

constexpr TraceFormat kChakra = TraceFormat::Chakra;
constexpr int kComputation = 4;
constexpr int kSend = 5;
constexpr int kReceive = 6;
constexpr int kCollective = 7;
using Lines = std::vector<std::string>;

bool says(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

std::string collective(std::uint64_t type, std::uint64_t size, std::string_view more = "") {
  return node(kCollective, attribute("is_cpu_op", 0, 27) + attribute("comm_type", type) +
                               attribute("comm_size", size) + std::string(more));
}

Lines lines(const std::vector<std::string>& texts, TraceOptions options = {}) {
  return lines_of(import(kChakra, texts, std::move(options), "et"));
}

std::string wrong(const std::vector<std::string>& texts, TraceOptions options = {}) {
  return mistakes(kChakra, texts, std::move(options), "et");
}

}  // namespace

TEST_CASE("Chakra's collectives are of the kind and buffer that comm_type and comm_size say",
          "[traces]") {
  const auto one = [](std::uint64_t type) {
    const std::string text = chakra({collective(type, 100)});
    return lines({text, text, text, text}).front();
  };
  CHECK(one(0) == "world all-reduce [0,1,2,3] 100 x1");
  // comm_size is what a rank sends: of an all-gather a fourth of what it has afterwards.
  CHECK(one(2) == "world all-gather [0,1,2,3] 400 x1");
  CHECK(one(5) == "world broadcast [0,1,2,3] 100 x1");
  CHECK(one(6) == "world all-to-all [0,1,2,3] 100 x1");
  CHECK(one(7) == "world reduce-scatter [0,1,2,3] 100 x1");
  CHECK(one(8) == "world reduce-scatter [0,1,2,3] 100 x1");
  CHECK(one(1) == "world broadcast [0,1,2,3] 100 x1");
  CHECK(one(3) == "world send-receive [1,0] 100 x1");
  CHECK(one(4) == "world send-receive [0,1] 100 x1");
}

TEST_CASE("a Chakra attribute may be a number of any type", "[traces]") {
  for (const int field : {7, 9, 11, 13}) {
    const std::string text = chakra(
        {node(kCollective, attribute("comm_type", 0, field) + attribute("comm_size", 300, field))});
    CHECK(lines({text, text}) == Lines{"world all-reduce [0,1] 300 x1"});
  }
  const std::string zigzag =
      chakra({node(kCollective, attribute("comm_type", 0, 17) + attribute("comm_size", 600, 17))});
  CHECK(lines({zigzag, zigzag}) == Lines{"world all-reduce [0,1] 300 x1"});
}

TEST_CASE("what else a Chakra trace holds is passed over", "[traces]") {
  const std::string host = node(kCollective, attribute("is_cpu_op", 1, 27), "c10d::broadcast_(0)");
  const std::string text = chakra({node(kComputation, attribute("comm_size", 5)), host,
                                   collective(0, 8), collective(9, 0), collective(33, 8)});
  const ImportedJob job = import(kChakra, {text, text}, {}, "et");
  CHECK(lines_of(job) == Lines{"world all-reduce [0,1] 8 x1"});
  CHECK(job.left_out == std::vector<ImportedJob::LeftOut>{
                            {"barrier", 2},
                            {"call on the host, which a node on the GPU carries out", 2},
                            {"comm_type 33, which is not known", 2}});
}

TEST_CASE("Chakra's groups are described in metadata, as Python prints them, or by the options",
          "[traces]") {
  const std::string description =
      R"(['[{"pg_name": "0", "pg_desc": "default_pg", "ranks": [], "group_size": 3}, {"pg_name": "1", "pg_desc": "dp", "ranks": [0, 2], "group_size": 2}]'])";
  const std::string metadata = number_field(1, 1) + text_field(2, "## process_group:init ##") +
                               number_field(3, 1) + text_field(8, text_field(1, description));
  const std::string in_group = collective(0, 8, text_attribute("pg_name", "1"));
  const std::string in_all = collective(0, 9, text_attribute("pg_name", "0"));
  CHECK(lines({chakra({metadata, in_group, in_all}), chakra({metadata, in_all}),
               chakra({metadata, in_all, in_group})}) ==
        Lines{"dp all-reduce [0,2] 8 x1", "world all-reduce [0,1,2] 9 x1"});
  const std::vector<std::string> undescribed = {chakra({in_group}), chakra({}), chakra({in_group})};
  CHECK(says(wrong(undescribed),
             "t.0.et: record 2: the members of the group \"1\" are not in the trace"));
  TraceOptions options;
  options.groups["1"] = {RankId{0}, RankId{2}};
  CHECK(lines(undescribed, options) == Lines{"2-ranks-by-2 all-reduce [0,2] 8 x1"});
}

TEST_CASE("a group by dimensions of a simulated network is refused but where it has all",
          "[traces]") {
  const auto dimensions = [](std::string_view flags) {
    const std::string text = chakra({collective(
        0, 8,
        text_field(10, text_field(1, "involved_dim") + text_field(28, text_field(1, flags))))});
    return std::vector<std::string>{text, text};
  };
  CHECK(lines(dimensions(std::string_view("\1\1", 2))) == Lines{"world all-reduce [0,1] 8 x1"});
  CHECK(says(wrong(dimensions(std::string_view("\1\0", 2))), "record 2: \"n\": involved_dim"));
}

TEST_CASE("Chakra's messages name the other end", "[traces]") {
  const auto message = [](int type, std::uint64_t from, std::uint64_t to) {
    return node(type, attribute("comm_size", 64) + attribute("comm_src", from, 7) +
                          attribute("comm_dst", to, 7) + attribute("comm_tag", 0, 7));
  };
  CHECK(lines({chakra({message(kSend, 0, 1)}), chakra({message(kReceive, 0, 1)})}) ==
        Lines{"send-receive send-receive [0,1] 64 x1"});
  CHECK(says(wrong({chakra({message(kSend, 1, 0)})}), "comm_src is 1 in the trace of rank 0"));
  CHECK(says(wrong({chakra({node(kSend, attribute("comm_size", 64))})}), "has no comm_dst"));
}

TEST_CASE("Chakra messages that cannot be read are refused with their number", "[traces]") {
  const std::string good = chakra({collective(0, 8)});
  CHECK(says(wrong({""}), "t.0.et: record 0: is empty"));
  CHECK(says(wrong({good.substr(0, good.size() - 1)}), "t.0.et: record 2: a message of"));
  CHECK(says(wrong({good + "\xFF"}), "t.0.et: record 3: ends within a length"));
  CHECK(says(wrong({good + "\xFF\xFF\xFF\xFF\xFF\xFF"}), "a length of more than five bytes"));
  CHECK(says(wrong({good + "\xFF\xFF\xFF\xFF\x7F"}), "expected at most 67108864"));
  CHECK(says(wrong({good + "\x03xyz"}), "record 3: a message that protobuf cannot read"));
  // Schema 0.0.3 has an attribute where newer ones have the version.
  const std::string attribute_first = text_field(1, text_field(1, "schema") + number_field(2, 3));
  CHECK(says(wrong({varint(attribute_first.size()) + attribute_first}),
             "a header that is none of schema 0.0.4 or later"));
  CHECK(says(wrong({chakra({node(kCollective, attribute("comm_type", 0))})}), "has no comm_size"));
  CHECK(says(wrong({chakra({node(kCollective, attribute("comm_size", 0))})}), "has no comm_type"));
  CHECK(says(wrong({chakra({collective(0, ~std::uint64_t{0})})}), "which no buffer has"));
}

TEST_CASE("Chakra's JSON holds the same", "[traces]") {
  const std::string text = R"({"workload_graph": [
    {"Id": 1, "Name": "aten::mul", "NodeType": 4, "runtime": 3, "data_deps": [], "is_cpu_op": true},
    {"Id": 2, "Name": "c10d", "NodeType": 7, "data_deps": [1], "is_cpu_op": true},
    {"Id": 3, "Name": "nccl", "NodeType": 7, "is_cpu_op": false, "comm_type": 2, "comm_size": 32}],
    "ngpus": 2})";
  const ImportedJob job = import(kChakra, {text, text});
  CHECK(lines_of(job) == Lines{"world all-gather [0,1] 64 x1"});
  CHECK(job.left_out.size() == 1);
  const std::string lacking =
      "{\"workload_graph\": [\n{\"Id\": 3, \"Name\": \"nccl\", \"NodeType\": 7}]}";
  CHECK(mistakes(kChakra, {lacking}) == "t.0.json:2: \"nccl\": has no comm_size\n");
  const auto call = [](const std::string& attributes) {
    return R"({"workload_graph": [{"Id": 3, "Name": "nccl", "NodeType": 7, "comm_size": 32, )" +
           attributes + "}]}";
  };
  for (const std::string key : {"root", "comm_root"}) {
    const std::string from_1 = call("\"comm_type\": 5, \"" + key + "\": 1");
    CHECK(lines_of(import(kChakra, {from_1, from_1, from_1})) ==
          Lines{"world broadcast [1,2,0] 32 x1"});
  }
  const std::string all = call(R"("comm_type": 0, "involved_dim": [true, true])");
  CHECK(lines_of(import(kChakra, {all, all})) == Lines{"world all-reduce [0,1] 32 x1"});
  const std::string some = call(R"("comm_type": 0, "involved_dim": [true, false])");
  CHECK(says(mistakes(kChakra, {some, some}), "involved_dim leaves out dimensions"));
}
