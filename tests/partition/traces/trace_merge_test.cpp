// The traces of all ranks put together.
#include <rapidcheck.h>

#include "partition/traces/trace_texts.hpp"
#include "support/catch.hpp"

using namespace zonecut;
using namespace zonecut::test;

namespace {

constexpr TraceFormat kPytorch = TraceFormat::PytorchEt;
using Lines = std::vector<std::string>;

bool says(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

/// An all-reduce of so many elements of 4 bytes in a group of all ranks.
std::string reduce(std::uint64_t elements, std::size_t ranks) {
  return record(tensor(elements, 4), tensor(elements, 4), "0", 0, "allreduce",
                fmt::format("[], [], 0, 1, {}", ranks));
}

std::string repeated(std::size_t times, std::uint64_t elements, std::size_t ranks) {
  return pytorch(std::vector<std::string>(times, reduce(elements, ranks)));
}

}  // namespace

TEST_CASE("members that recorded a call differently often are reported with both places",
          "[traces]") {
  CHECK(mistakes(kPytorch, {repeated(3, 8, 3), repeated(2, 8, 3), repeated(3, 8, 3)}) ==
        "t.1.json:4: rank 1 has 2 times all-reduce of 32B in a group of 3 ranks, rank 0 has it 3 "
        "times (t.0.json:4)\n");
  const std::string other = mistakes(kPytorch, {repeated(1, 8, 2), repeated(1, 9, 2)});
  CHECK(says(other, "t.1.json: rank 1 has 0 times all-reduce of 32B"));
  CHECK(says(other, "t.0.json: rank 0 has 0 times all-reduce of 36B"));
}

TEST_CASE("a rank that takes part in a group it is no member of is reported", "[traces]") {
  const std::string groups = groups_record({{"1", "tp", {0, 1}, 2}});
  const std::string call =
      record(tensor(4, 4), tensor(4, 4), "1", 0, "allreduce", "[], [], 0, 1, 2");
  const std::string text = pytorch({groups, call});
  CHECK(says(mistakes(kPytorch, {text, text, text}),
             "t.2.json:5: rank 2 takes part in the all-reduce of 16B in a group of 2 ranks (tp), "
             "but is no member"));
}

TEST_CASE("iterations divide what was recorded, or the import is refused", "[traces]") {
  TraceOptions options;
  options.iterations = 3;
  const std::string six = repeated(6, 8, 2);
  CHECK(lines_of(import(kPytorch, {six, six}, options)) == Lines{"world all-reduce [0,1] 32 x2"});
  const std::string seven = repeated(7, 8, 2);
  CHECK(mistakes(kPytorch, {seven, seven}, options) ==
        "t.0.json:4: 7 times all-reduce of 32B in a group of 2 ranks: 3 iterations do not divide "
        "that\n");
}

TEST_CASE("a rank without a trace is refused, or left to what the others say", "[traces]") {
  const std::string text = repeated(2, 8, 4);
  CHECK(says(mistakes(kPytorch, {text, text}), "of 4 ranks, 2 have no trace: 2, 3"));
  TraceOptions options;
  options.allow_missing = true;
  const ImportedJob job = import(kPytorch, {text, text}, options);
  CHECK(lines_of(job) == Lines{"world all-reduce [0,1,2,3] 32 x2"});
  REQUIRE(job.assumed.size() == 1);
  CHECK(says(job.assumed.front(), "ranks without a trace (2 of 4)"));
}

TEST_CASE("the ranks of the job may be more than the traces tell of, and never fewer", "[traces]") {
  const std::string text =
      pytorch({old_record(tensor(8, 4), tensor(8, 4), "9", 0, "allreduce", "[], []")});
  TraceOptions options;
  options.allow_missing = true;
  options.ranks = 3;
  CHECK(lines_of(import(kPytorch, {text}, options)) == Lines{"world all-reduce [0,1,2] 32 x1"});
  options.ranks = 1;
  CHECK(says(mistakes(kPytorch, {text, text}, options),
             "--ranks: is 1, but the traces tell of 2 ranks"));
}

TEST_CASE("two traces of one rank are refused", "[traces]") {
  TraceImport import(kPytorch, {});
  import.add(repeated(1, 8, 2), "a/t.1.json", 1);
  CHECK_THROWS_WITH(import.add(repeated(1, 8, 2), "b/t.1.json", 1),
                    "b/t.1.json: is of rank 1, and so is a/t.1.json");
}

TEST_CASE("all-to-alls of unequal parts keep their bytes and their number, whatever they are",
          "[traces]") {
  CHECK(rc::check("sums by pair", [] {
    const auto n = static_cast<std::size_t>(*rc::gen::inRange(2, 6));
    const auto calls = static_cast<std::size_t>(*rc::gen::inRange(1, 5));
    std::vector<std::uint64_t> sums(n * n, 0);
    std::vector<std::vector<std::string>> records(n);
    for (std::size_t call = 0; call < calls; ++call) {
      std::vector<std::uint64_t> parts(n * n);
      for (std::size_t i = 0; i < n * n; ++i) {
        parts[i] = static_cast<std::uint64_t>(*rc::gen::inRange(0, 5));
        sums[i] += parts[i];
      }
      for (std::size_t own = 0; own < n; ++own) {
        std::vector<std::uint64_t> sent;
        std::vector<std::uint64_t> received;
        for (std::size_t other = 0; other < n; ++other) {
          sent.push_back(parts[own * n + other]);
          received.push_back(parts[other * n + own]);
        }
        records[own].push_back(fmt::format(
            R"({{"comms": "all_to_allv", "in_msg_size": {}, "out_msg_size": {}, "dtype": "int8", "in_split": [{}], "out_split": [{}], "world_size": {}}})",
            99, 99, fmt::join(sent, ", "), fmt::join(received, ", "), n));
      }
    }
    std::uint64_t between = 0;
    for (std::size_t i = 0; i < n * n; ++i) between += i / n == i % n ? 0 : sums[i];
    if (between == 0) return;
    std::vector<std::string> texts;
    for (const auto& own : records) texts.push_back(fmt::format("[{}]", fmt::join(own, ",\n")));
    const ImportedJob job = import(TraceFormat::Param, texts);
    std::vector<std::uint64_t> found(n * n, 0);
    std::vector<std::size_t> times(n * n, 0);
    for (const ExplicitCollective& c : std::get<ExplicitTraffic>(job.job.work).collectives) {
      const auto bytes = static_cast<std::uint64_t>(c.bytes.count);
      const auto often = static_cast<std::size_t>(c.times);
      for (std::size_t i = 0; i < n * n; ++i) {
        const bool here = c.kind == Collective::AllToAll
                              ? i / n != i % n
                              : i == c.members.front().index() * n + c.members.back().index();
        if (!here) continue;
        const std::uint64_t part = c.kind == Collective::AllToAll ? bytes / n : bytes;
        if (c.kind == Collective::AllToAll) RC_ASSERT(part * n == bytes || calls > 1);
        found[i] += (c.kind == Collective::AllToAll ? bytes : part * n) * often;
        times[i] += often;
      }
    }
    for (std::size_t i = 0; i < n * n; ++i) {
      if (i / n == i % n) continue;
      RC_ASSERT(found[i] == sums[i] * n);
      RC_ASSERT(times[i] <= calls);
      RC_ASSERT(sums[i] < calls || times[i] == calls);
    }
  }));
}

TEST_CASE("all-to-alls of unequal parts may be written as equal ones of the same sum", "[traces]") {
  const auto call = [](std::string_view sent, std::string_view received) {
    return fmt::format(
        R"([{{"comms": "all_to_allv", "in_msg_size": 9, "out_msg_size": 9, "dtype": "int8", "in_split": {}, "out_split": {}}}])",
        sent, received);
  };
  TraceOptions options;
  options.even_all_to_all = true;
  // 1 + 2 + 3 + 4 + 5 + 9 bytes between three ranks: 4 from each to each other.
  const ImportedJob job = import(TraceFormat::Param,
                                 {call("[7, 1, 2]", "[7, 3, 5]"), call("[3, 0, 4]", "[1, 0, 9]"),
                                  call("[5, 9, 0]", "[2, 4, 0]")},
                                 options);
  CHECK(lines_of(job) == Lines{"world all-to-all [0,1,2] 12 x1"});
  CHECK(job.assumed.front().find("equal") != std::string::npos);
}

TEST_CASE("all-to-alls of unequal parts that do not fit together are refused", "[traces]") {
  const auto call = [](std::string_view sent, std::string_view received, std::string_view group) {
    return fmt::format(
        R"({{"comms": "all_to_allv", "in_msg_size": 9, "out_msg_size": 9, "dtype": "int8", "in_split": {}, "out_split": {}, "global_ranks": {}}})",
        sent, received, group);
  };
  const auto param = [](const std::vector<std::string>& calls) {
    return fmt::format("[{}]", fmt::join(calls, ", "));
  };
  const auto wrong = [](const std::vector<std::string>& texts) {
    return mistakes(TraceFormat::Param, texts);
  };
  const std::string of_two = call("[1, 2]", "[1, 3]", "[0, 1]");
  const std::string other_end = call("[3, 4]", "[2, 4]", "[0, 1]");
  CHECK(wrong({param({of_two}), param({other_end})}).empty());
  CHECK(says(wrong({param({of_two, of_two}), param({other_end})}),
             "rank 1 has 1 all-to-alls of unequal parts, rank 0 has 2"));
  CHECK(says(wrong({param({of_two}), param({})}),
             "t.1.json: rank 1 has no all-to-alls of unequal parts, rank 0 has 1"));
  CHECK(says(wrong({param({call("[1, 2, 3]", "[1, 3, 4]", "[0, 1]")}), param({other_end})}),
             "rank 0 has an all-to-all of 3 parts in a group of 2 ranks"));
  CHECK(says(wrong({param({of_two}), param({other_end}), param({of_two})}),
             "rank 2 takes part in an all-to-all of 2 ranks, but is no member"));
  CHECK(says(wrong({param({of_two, call("[1]", "[1]", "[0, 1]")}), param({other_end})}),
             "t.0.json:1: an all-to-all of another number of parts"));
}

TEST_CASE("what a rank without a trace sent in unequal all-to-alls is known from the others",
          "[traces]") {
  const std::string first =
      R"([{"comms": "all_to_allv", "in_msg_size": 9, "out_msg_size": 9, "dtype": "int8", "in_split": [1, 2, 3], "out_split": [1, 4, 5]}])";
  TraceOptions options;
  options.allow_missing = true;
  options.ranks = 3;
  const ImportedJob job = import(TraceFormat::Param, {first}, options);
  CHECK(lines_of(job) == Lines{"world send-receive [2,0] 5 x1", "world send-receive [1,0] 4 x1",
                               "world send-receive [0,2] 3 x1", "world send-receive [0,1] 2 x1"});
  CHECK(job.assumed.back().find("without a trace") != std::string::npos);
}

TEST_CASE("a compressed trace is refused as what it is", "[traces]") {
  CHECK(says(mistakes(kPytorch, {"\x1F\x8B\b"}), "t.0.json: is compressed"));
  CHECK(says(mistakes(kPytorch, {"\xFD"
                                 "7zXZ"}),
             "t.0.json: is compressed"));
}

TEST_CASE("more collectives than a job file holds are refused", "[traces]") {
  std::string text = "[";
  for (int i = 1; i <= 110'001; ++i) {
    text += fmt::format(
        R"({}{{"comms": "send", "in_msg_size": {}, "out_msg_size": 0, "dtype": "int8", "src_rank": 0, "dst_rank": 1}})",
        i == 1 ? "" : ",", i);
  }
  TraceOptions options;
  options.allow_missing = true;
  CHECK(says(mistakes(TraceFormat::Param, {text + "]"}, options),
             "they make more than 110000 collectives"));
}

TEST_CASE("the rank of a trace is the number at the end of its name", "[traces]") {
  CHECK(rank_in_name("all_reduce.12.et") == 12u);
  CHECK(rank_in_name("/a.7/megatron_et_3.json") == 3u);
  CHECK(rank_in_name("rank0.json") == 0u);
  CHECK(rank_in_name("15.json") == 15u);
  CHECK(rank_in_name("15") == 15u);
  CHECK(!rank_in_name("resnet_2gpu_et.json"));
  CHECK(!rank_in_name("dir.3/"));
  CHECK(!rank_in_name(""));
  CHECK(!rank_in_name("t.99999999999999999999999.et"));
}

TEST_CASE("members of groups are read from an object of lists", "[traces]") {
  const TraceGroups groups = parse_trace_groups(R"({"0": [2, 0], "tp": []})", "g.json");
  CHECK(groups.at("0") == std::vector<RankId>{RankId{2}, RankId{0}});
  CHECK(groups.at("tp").empty());
  const auto wrong = [](std::string_view text) {
    try {
      static_cast<void>(parse_trace_groups(text, "g.json"));
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK(says(wrong("[]"), "g.json: is no object"));
  CHECK(says(wrong("{"), "g.json: cannot be read as JSON"));
  CHECK(says(wrong(R"({"0": [1], "0": [2]})"), "the key \"0\" is given twice"));
  CHECK(says(wrong(R"({"0": [1, 1]})"), "g.json#/0: rank 1 stands twice"));
  CHECK(says(wrong(R"({"0": [-1]})"), "found -1 as a rank"));
  CHECK(says(wrong(R"({"0": [{}]})"), "nested too deep"));
  CHECK(says(wrong(R"({"0": 3})"), "no list"));
}
