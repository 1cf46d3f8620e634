#include "traces/chakra_nodes.hpp"

#include <fmt/format.h>

#include <array>

#include "traces/pytorch_groups.hpp"
#include "zonecut/base/text_check.hpp"

namespace zonecut::traces {
namespace {

constexpr std::int64_t kMostBytes = std::int64_t{1} << 50;
constexpr std::int64_t kBarrier = 9;
constexpr std::array<CallKind, 9> kCollectives = {
    CallKind::AllReduce, CallKind::Reduce,        CallKind::AllGather,
    CallKind::Gather,    CallKind::Scatter,       CallKind::Broadcast,
    CallKind::AllToAll,  CallKind::ReduceScatter, CallKind::ReduceScatter};

bool is(const ChakraNode& node, ChakraNodeType type) {
  return node.type == static_cast<std::int64_t>(type);
}

}  // namespace

void ChakraGatherer::fail(const ChakraNode& node, std::int64_t place, std::string_view what,
                          std::string hint) const {
  throw InputError(trace_.at(place), fmt::format("\"{}\": {}", excerpt(node.name), what),
                   std::move(hint));
}

void ChakraGatherer::take(const ChakraNode& node, std::int64_t place) {
  if (is(node, ChakraNodeType::Metadata)) {
    // Written by Python: ['[{"pg_name": "0", ...}]']
    const std::size_t begin = node.inputs.find("[{");
    const std::size_t end = node.inputs.rfind("}]");
    if (!describes_groups(node.name) || begin == std::string::npos || end == std::string::npos ||
        end < begin) {
      return;
    }
    return read_group_description(std::string_view(node.inputs).substr(begin, end + 2 - begin),
                                  trace_.at(place), trace_, gatherer_.groups);
  }
  const bool collective = is(node, ChakraNodeType::Collective);
  if (!collective && !is(node, ChakraNodeType::Send) && !is(node, ChakraNodeType::Receive)) return;
  if (node.on_host && !node.comm_size) {
    ++trace_.left_out["call on the host, which a node on the GPU carries out"];
    return;
  }
  if (collective && node.comm_type == kBarrier) {
    ++trace_.left_out["barrier"];
    return;
  }
  if (!node.comm_size) fail(node, place, "has no comm_size");
  if (*node.comm_size < 0 || *node.comm_size > kMostBytes)
    fail(node, place, fmt::format("comm_size is {}, which no buffer has", *node.comm_size));
  if (node.some_dimensions && node.group.empty()) {
    fail(node, place, "involved_dim leaves out dimensions of a network that the trace does not say",
         "give the group a pg_name, and its members with --groups");
  }
  GroupWords group;
  group.name = node.group;
  group.description = node.description;
  if (!group.name.empty()) named_.try_emplace(group.name, place);
  if (collective) return take_collective(node, place, group);
  take_message(node, place, group);
}

void ChakraGatherer::take_collective(const ChakraNode& node, std::int64_t place,
                                     const GroupWords& group) {
  if (!node.comm_type) fail(node, place, "has no comm_type");
  if (*node.comm_type < 0 || *node.comm_type >= static_cast<std::int64_t>(kCollectives.size())) {
    ++trace_.left_out[fmt::format("comm_type {}, which is not known", *node.comm_type)];
    return;
  }
  CallWords call;
  call.kind = kCollectives[static_cast<std::size_t>(*node.comm_type)];
  // comm_size is what a rank sends (converter/pytorch_node.py), of a scatter what it gets.
  const auto bytes = static_cast<std::uint64_t>(*node.comm_size);
  (call.kind == CallKind::Scatter ? call.out_bytes : call.in_bytes) = bytes;
  if (node.root && *node.root >= 0) call.peer = static_cast<std::uint64_t>(*node.root);
  gatherer_.add(group, call, place);
}

void ChakraGatherer::take_message(const ChakraNode& node, std::int64_t place,
                                  const GroupWords& group) {
  const bool send = is(node, ChakraNodeType::Send);
  const auto& other = send ? node.target : node.source;
  const auto& own = send ? node.source : node.target;
  if (!other) fail(node, place, fmt::format("has no {}", send ? "comm_dst" : "comm_src"));
  if (*other < 0 || *other >= static_cast<std::int64_t>(kMostTraceRanks))
    fail(node, place, fmt::format("{} is no rank", *other));
  if (own && *own != static_cast<std::int64_t>(trace_.rank)) {
    fail(node, place,
         fmt::format("{} is {} in the trace of rank {}", send ? "comm_src" : "comm_dst", *own,
                     trace_.rank));
  }
  CallWords call;
  call.kind = send ? CallKind::Send : CallKind::Receive;
  call.in_bytes = static_cast<std::uint64_t>(*node.comm_size);
  call.peer = static_cast<std::uint64_t>(*other);
  gatherer_.add(group, call, place);
}

void ChakraGatherer::finish(const TraceGroups& given) {
  ProblemList problems;
  for (const auto& [name, place] : named_) {
    if (gatherer_.groups.by_name.contains(name) || given.contains(name)) continue;
    problems.add(trace_.at(place),
                 fmt::format("the members of the group \"{}\" are not in the trace", excerpt(name)),
                 "give them with --groups");
  }
  problems.throw_if_any();
  gatherer_.finish(given);
}

}  // namespace zonecut::traces
