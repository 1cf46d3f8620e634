#include "traces/trace_record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace zonecut::traces {
namespace {

constexpr std::size_t kLongestLabel = 64;

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool is_letter_or_digit(char c) {
  return (lower(c) >= 'a' && lower(c) <= 'z') || (c >= '0' && c <= '9');
}

/// Letters and digits, in lower case: "_allgather_base" and "AllGatherBase" are one.
std::string bare(std::string_view name) {
  std::string result;
  for (const char c : name) {
    if (is_letter_or_digit(c)) result += lower(c);
  }
  return result;
}

}  // namespace

std::string_view kind_name(CallKind kind) {
  constexpr std::array<std::string_view, 11> kNames = {
      "all-reduce", "all-gather", "reduce-scatter", "broadcast", "reduce", "gather",
      "scatter",    "all-to-all", "send",           "receive",   "receive"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::string RankTrace::at(std::int64_t place) const {
  if (place == 0) return source;
  return fmt::format("{}:{}{}", source, lines ? "" : " record ", place);
}

std::string label_of(std::string_view description) {
  constexpr std::array<std::string_view, 4> kNothing = {"undefined", "default_pg", "none", "null"};
  if (std::find(kNothing.begin(), kNothing.end(), description) != kNothing.end()) return {};
  std::string label;
  for (const char c : description.substr(0, kLongestLabel)) {
    const bool plain = is_letter_or_digit(c) || c == '-' || c == '_' || c == '.';
    label += plain ? c : '-';
  }
  return label;
}

std::optional<std::uint64_t> element_bytes(std::string_view type) {
  struct Type {
    std::string_view name;
    std::uint64_t bytes;
  };
  constexpr std::array<Type, 38> kTypes = {{
      {"float", 4},          {"float32", 4},        {"half", 2},          {"float16", 2},
      {"bfloat16", 2},       {"double", 8},         {"float64", 8},       {"int", 4},
      {"int32", 4},          {"long", 8},           {"longint", 8},       {"int64", 8},
      {"short", 2},          {"int16", 2},          {"char", 1},          {"byte", 1},
      {"int8", 1},           {"uint8", 1},          {"bool", 1},          {"unsignedchar", 1},
      {"signedchar", 1},     {"uint16", 2},         {"uint32", 4},        {"uint64", 8},
      {"complexhalf", 4},    {"complexfloat", 8},   {"complex32", 4},     {"complex64", 8},
      {"complexdouble", 16}, {"complex128", 16},    {"float8e4m3fn", 1},  {"float8e5m2", 1},
      {"float8e4m3fnuz", 1}, {"float8e5m2fnuz", 1}, {"float8e8m0fnu", 1}, {"qint8", 1},
      {"quint8", 1},         {"qint32", 4},
  }};
  std::string name = bare(type);
  for (const std::string_view prefix : {"torch", "c10"}) {
    if (name.starts_with(prefix)) name.erase(0, prefix.size());
  }
  for (const Type& known : kTypes) {
    if (name == known.name) return known.bytes;
  }
  return std::nullopt;
}

NamedKind find_kind(std::string_view name) {
  using Role = NamedKind::Role;
  struct Kind {
    std::string_view name;
    Role role;
    CallKind kind;
  };
  constexpr std::array<Kind, 35> kKinds = {{
      {"allreduce", Role::Traffic, CallKind::AllReduce},
      {"allreducecoalesced", Role::Traffic, CallKind::AllReduce},
      {"broadcast", Role::Traffic, CallKind::Broadcast},
      {"broadcastoop", Role::Traffic, CallKind::Broadcast},
      {"reduce", Role::Traffic, CallKind::Reduce},
      {"reduceoop", Role::Traffic, CallKind::Reduce},
      {"allgather", Role::Traffic, CallKind::AllGather},
      {"allgatherv", Role::Traffic, CallKind::AllGather},
      {"allgatherbase", Role::Traffic, CallKind::AllGather},
      {"allgathercoalesced", Role::Traffic, CallKind::AllGather},
      {"allgatherintotensor", Role::Traffic, CallKind::AllGather},
      {"allgatherintotensorcoalesced", Role::Traffic, CallKind::AllGather},
      {"reducescatter", Role::Traffic, CallKind::ReduceScatter},
      {"reducescatterv", Role::Traffic, CallKind::ReduceScatter},
      {"reducescatterbase", Role::Traffic, CallKind::ReduceScatter},
      {"reducescattertensor", Role::Traffic, CallKind::ReduceScatter},
      {"reducescattertensorcoalesced", Role::Traffic, CallKind::ReduceScatter},
      {"alltoall", Role::Traffic, CallKind::AllToAll},
      {"alltoallv", Role::Traffic, CallKind::AllToAll},
      {"alltoallbase", Role::Traffic, CallKind::AllToAll},
      {"alltoallsingle", Role::Traffic, CallKind::AllToAll},
      {"gather", Role::Traffic, CallKind::Gather},
      {"scatter", Role::Traffic, CallKind::Scatter},
      {"send", Role::Traffic, CallKind::Send},
      {"isend", Role::Traffic, CallKind::Send},
      {"recv", Role::Traffic, CallKind::Receive},
      {"irecv", Role::Traffic, CallKind::Receive},
      {"recvanysource", Role::Traffic, CallKind::ReceiveAny},
      {"barrier", Role::Barrier, {}},
      {"monitoredbarrier", Role::Barrier, {}},
      {"wait", Role::Nothing, {}},
      {"init", Role::Nothing, {}},
      {"startcoalescing", Role::Nothing, {}},
      {"endcoalescing", Role::Nothing, {}},
      {"batchisendirecv", Role::Nothing, {}},
  }};
  const std::string plain = bare(name);
  for (const Kind& known : kKinds) {
    if (!plain.empty() && plain == known.name) return {known.role, known.kind};
  }
  return {};
}

Call call_of(CallKind kind, std::uint64_t in_bytes, std::uint64_t out_bytes) {
  Call call{.kind = kind, .bytes = std::max(in_bytes, out_bytes), .peer = std::nullopt};
  // Only one member has the buffer of all parts, and only sometimes both sides are recorded.
  if (kind == CallKind::Gather) call.bytes = in_bytes;
  if (kind == CallKind::Scatter) call.bytes = out_bytes;
  if (kind == CallKind::AllGather) call.per_member = out_bytes == 0;
  if (kind == CallKind::ReduceScatter) call.per_member = in_bytes == 0;
  return call;
}

}  // namespace zonecut::traces
