#pragma once
// Small traces, written as the programs write them that record real ones.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "zonecut/base/error.hpp"
#include "zonecut/partition/job.hpp"
#include "zonecut/partition/job_write.hpp"
#include "zonecut/partition/trace_import.hpp"

namespace zonecut::test {

/// Traces of ranks 0, 1, ..., in files called FORMAT.RANK.
inline ImportedJob import(TraceFormat format, const std::vector<std::string>& texts,
                          TraceOptions options = {}, const std::string& extension = "json") {
  TraceImport import(format, std::move(options));
  for (std::size_t rank = 0; rank < texts.size(); ++rank)
    import.add(texts[rank], fmt::format("t.{}.{}", rank, extension), rank);
  return std::move(import).finish();
}

/// What is wrong, one mistake a line; empty: nothing is.
inline std::string mistakes(TraceFormat format, const std::vector<std::string>& texts,
                            TraceOptions options = {}, const std::string& extension = "json") {
  try {
    static_cast<void>(import(format, texts, std::move(options), extension));
  } catch (const InputError& error) {
    std::string lines;
    for (const Problem& problem : error.problems()) lines += to_text(problem) + "\n";
    return lines;
  }
  return {};
}

/// "tp all-reduce [0,1] 64 x3", sorted.
inline std::vector<std::string> lines_of(const ImportedJob& imported) {
  std::vector<std::string> lines;
  for (const ExplicitCollective& c : std::get<ExplicitTraffic>(imported.job.work).collectives) {
    std::vector<std::size_t> members;
    for (const RankId member : c.members) members.push_back(member.index());
    lines.push_back(fmt::format("{} {} [{}] {} x{}", c.name, collective_name(c.kind),
                                fmt::join(members, ","), c.bytes.count, c.times));
  }
  return lines;
}

// ---- PyTorch ----

/// [elements, bytes of one]
inline std::string tensor(std::uint64_t elements, int size) {
  return fmt::format("[9, 10, 0, {}, {}, \"cuda:0\"]", elements, size);
}

/// A record of schema 1.0.1; `group` and `tail` are what stands there.
inline std::string old_record(std::string_view in, std::string_view out, std::string_view group,
                              std::int64_t rank, std::string_view name, std::string_view tail) {
  return fmt::format(
      R"({{"name": "record_param_comms", "id": 7, "inputs": [{}, 3, {}, {}, "{}", {}], "outputs": [{}]}})",
      in, group, rank, name, tail, out);
}

/// A record of schema 1.1.0: inputs in an object, groups by name and description.
inline std::string record(std::string_view in, std::string_view out, std::string_view group,
                          std::int64_t rank, std::string_view name, std::string_view tail) {
  return fmt::format(
      R"({{"id": 7, "name": "record_param_comms", "ctrl_deps": 5, "inputs": {{"values": [{}, 3, ["{}", "undefined"], {}, "{}", {}], "shapes": []}}, "outputs": {{"values": [{}]}}, "attrs": []}})",
      in, group, rank, name, tail, out);
}

/// The description of the groups: (name, description, ranks, size).
inline std::string groups_record(
    const std::vector<std::tuple<std::string, std::string, std::vector<int>, int>>& groups) {
  std::vector<std::string> described;
  for (const auto& [name, description, ranks, size] : groups) {
    described.push_back(fmt::format(
        R"({{\"pg_name\": \"{}\", \"pg_desc\": \"{}\", \"backend_config\": \"cuda:nccl\", \"ranks\": [{}], \"group_size\": {}, \"group_count\": 2}})",
        name, description, fmt::join(ranks, ", "), size));
  }
  return fmt::format(
      R"({{"id": 3, "name": "## process_group:init ##", "inputs": {{"values": ["[{}]"]}}}})",
      fmt::join(described, ", "));
}

inline std::string pytorch(const std::vector<std::string>& records) {
  return fmt::format(
      "{{\"schema\": \"1.1.0-chakra.0.0.4\", \"pid\": 1,\n\"nodes\": [\n{{\"id\": 2, \"name\": "
      "\"aten::mul\", \"inputs\": [[1]]}}{}{}],\n\"finish_ts\": 5}}\n",
      records.empty() ? "" : ",\n", fmt::join(records, ",\n"));
}

// ---- Chakra ----

inline std::string varint(std::uint64_t number) {
  std::string bytes;
  for (; number >= 0x80; number >>= 7) bytes += static_cast<char>(0x80U | (number & 0x7FU));
  return bytes + static_cast<char>(number);
}

inline std::string number_field(int field, std::uint64_t number) {
  return varint(static_cast<std::uint64_t>(field) << 3) + varint(number);
}

inline std::string text_field(int field, std::string_view text) {
  return varint((static_cast<std::uint64_t>(field) << 3) | 2) + varint(text.size()) +
         std::string(text);
}

/// An attribute whose value is a number of the wire type of `field`: 9 is int64_val.
inline std::string attribute(std::string_view name, std::uint64_t number, int field = 9) {
  return text_field(10, text_field(1, name) + number_field(field, number));
}

inline std::string text_attribute(std::string_view name, std::string_view text) {
  return text_field(10, text_field(1, name) + text_field(29, text));
}

inline std::string node(int type, std::string_view attributes, std::string_view name = "n") {
  return number_field(1, 4) + text_field(2, name) + number_field(3, static_cast<unsigned>(type)) +
         text_field(9, text_field(1, "[]")) + std::string(attributes);
}

/// The messages, each after its length, behind a header.
inline std::string chakra(const std::vector<std::string>& nodes) {
  const std::string header = text_field(1, "0.0.4");
  std::string text = varint(header.size()) + header;
  for (const std::string& one : nodes) text += varint(one.size()) + one;
  return text;
}

}  // namespace zonecut::test
