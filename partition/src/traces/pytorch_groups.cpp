#include "traces/pytorch_groups.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "zonecut/base/text_check.hpp"

namespace zonecut::traces {
namespace {

constexpr std::size_t kMostGroups = 1'000'000;

/// "0", 0 or absent.
std::string text_of(const Json* value) {
  if (value == nullptr) return {};
  if (value->is_string()) return value->get<std::string>();
  const auto number = whole(*value);
  return number ? std::to_string(*number) : std::string();
}

void read_group(const Json& described, const std::string& where, RankTrace& trace,
                KnownGroups& groups) {
  KnownGroups::Known known;
  known.label = label_of(text_of(member(described, "pg_desc")));
  if (const Json* ranks = member(described, "ranks")) known.members = read_members(*ranks, where);
  if (const Json* size = member(described, "group_size")) {
    known.size = whole(*size).value_or(0);
    if (known.size > kMostTraceRanks) {
      throw InputError(where, fmt::format("a process group of {} ranks, expected at most {}",
                                          known.size, kMostTraceRanks));
    }
  }
  if (known.members.empty()) trace.world = std::max(trace.world, known.size);
  if (!known.members.empty() && known.size != 0 && known.size != known.members.size()) {
    throw InputError(where, fmt::format("a process group of size {} has {} ranks", known.size,
                                        known.members.size()));
  }
  if (groups.by_name.size() > kMostGroups) {
    throw InputError(where, fmt::format("more than {} process groups", kMostGroups));
  }
  for (const char* key : {"backend_id", "uid", "pg_name"}) {
    const std::string name = text_of(member(described, key));
    if (!name.empty()) groups.by_name.insert_or_assign(name, known);
  }
}

}  // namespace

bool describes_groups(std::string_view name) {
  return name.find("process_group:init") != std::string_view::npos;
}

void read_group_description(std::string_view text, const std::string& where, RankTrace& trace,
                            KnownGroups& groups) {
  const JsonRecordWish wish{
      .list_key = "",
      .name_key = "pg_name",
      .wanted = [](const std::string&) { return true; },
      .take = [&](const Json& described,
                  std::int64_t) { read_group(described, where, trace, groups); }};
  try {
    static_cast<void>(read_json_records(text, where, wish));
  } catch (const InputError& error) {
    throw InputError(
        where,
        fmt::format("the description of the process groups: {}", error.problems().front().what),
        "PyTorch cuts long ones; --groups gives the members");
  }
}

void add_groups(const TraceGroups& given, KnownGroups& groups) {
  for (const auto& [name, members] : given) {
    KnownGroups::Known& known = groups.by_name[name];
    known.members.clear();
    known.size = 0;
    for (const RankId rank : members)
      known.members.push_back(static_cast<std::uint32_t>(rank.index()));
  }
}

TraceGroup as_trace_group(const KnownGroups::Known& known) {
  return {known.label, known.members, known.members.empty() ? known.size : known.members.size()};
}

std::vector<std::uint32_t> read_members(const Json& list, const std::string& where) {
  if (list.is_null()) return {};
  if (!list.is_array()) throw InputError(where, "the ranks of a group are no list");
  std::vector<std::uint32_t> members;
  members.reserve(list.size());
  for (const Json& item : list) {
    const auto rank = whole(item);
    if (!rank || *rank >= kMostTraceRanks) {
      throw InputError(
          where, fmt::format("found {} as a rank, expected a number below {}",
                             excerpt(item.dump(-1, ' ', true, Json::error_handler_t::replace)),
                             kMostTraceRanks));
    }
    members.push_back(static_cast<std::uint32_t>(*rank));
  }
  std::vector<std::uint32_t> sorted = members;
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice != sorted.end())
    throw InputError(where, fmt::format("rank {} stands twice in a group", *twice));
  return members;
}

}  // namespace zonecut::traces
