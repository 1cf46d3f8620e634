// Chakra execution traces as JSON: {"workload_graph": [{"Id", "Name", "NodeType", ...}]}, as
// Chakra's feeder reads them (mlcommons/chakra, src/feeder/json_node.cpp).
#include <fmt/format.h>

#include <algorithm>

#include "traces/chakra_nodes.hpp"
#include "traces/json_records.hpp"
#include "traces/trace_record.hpp"

namespace zonecut::traces {
namespace {

std::optional<std::int64_t> number(const Json& record, const char* key, const std::string& where) {
  const Json* value = member(record, key);
  if (value == nullptr || value->is_null()) return std::nullopt;
  const auto found = whole(*value);
  if (!found || *found > std::uint64_t{1} << 62)
    throw InputError(where, fmt::format("{} is no usable whole number", key));
  return static_cast<std::int64_t>(*found);
}

std::string text(const Json& record, const char* key) {
  const Json* value = member(record, key);
  if (value == nullptr) return {};
  if (value->is_string()) return value->get<std::string>();
  const auto found = whole(*value);
  return found ? std::to_string(*found) : std::string();
}

ChakraNode node_of(const Json& record, const std::string& where) {
  ChakraNode node;
  node.name = text(record, "Name");
  node.type = number(record, "NodeType", where).value_or(0);
  const Json* host = member(record, "is_cpu_op");
  node.on_host = host != nullptr && host->is_boolean() && host->get<bool>();
  node.comm_type = number(record, "comm_type", where);
  node.comm_size = number(record, "comm_size", where);
  node.source = number(record, "comm_src", where);
  node.target = number(record, "comm_dst", where);
  node.root = number(record, "comm_root", where);
  if (!node.root) node.root = number(record, "root", where);
  node.group = text(record, "pg_name");
  node.description = text(record, "pg_desc");
  node.inputs = text(record, "inputs_values");
  const Json* dimensions = member(record, "involved_dim");
  node.some_dimensions = dimensions != nullptr && dimensions->is_array() &&
                         std::ranges::find(*dimensions, Json(false)) != dimensions->end();
  return node;
}

}  // namespace

RankTrace read_chakra_json(std::string_view text, const std::string& source, std::size_t rank,
                           const TraceGroups& groups) {
  RankTrace trace;
  trace.source = source;
  trace.rank = rank;
  ChakraGatherer gatherer(trace);
  const JsonRecordWish wish{
      .list_key = "workload_graph",
      .name_key = "Name",
      .wanted = [](const std::string&) { return true; },
      .take = [&](const Json& record,
                  std::int64_t line) { gatherer.take(node_of(record, trace.at(line)), line); }};
  static_cast<void>(read_json_records(text, source, wish));
  gatherer.finish(groups);
  return trace;
}

}  // namespace zonecut::traces
