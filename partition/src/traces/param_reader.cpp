// Basic traces of PARAM (facebookresearch/param, train/comms/pt/commsTraceParser.py): one JSON list
// for each rank, of records that name a collective ("comms") or a computation ("compute"). Sizes
// are numbers of elements; ranks are those of the job.
#include <fmt/format.h>

#include "traces/json_records.hpp"
#include "traces/pytorch_calls.hpp"
#include "traces/pytorch_groups.hpp"
#include "traces/trace_record.hpp"
#include "zonecut/base/text_check.hpp"

namespace zonecut::traces {
namespace {

constexpr std::uint64_t kMostElements = std::uint64_t{1} << 46;

class ParamReader {
 public:
  explicit ParamReader(RankTrace& trace) : trace_(trace), gatherer_(trace) {}

  void take(const Json& record, std::int64_t line) {
    where_ = trace_.at(line);
    const Json& name = record["comms"];
    if (!name.is_string()) throw InputError(where_, "comms is no text");
    const auto& word = name.get_ref<const std::string&>();
    const NamedKind kind = find_kind(word);
    if (word == "init") return take_init(record);
    if (kind.role == NamedKind::Role::Nothing) return;
    if (kind.role != NamedKind::Role::Traffic) {
      ++trace_.left_out[kind.role == NamedKind::Role::Barrier
                            ? std::string("barrier")
                            : fmt::format("\"{}\", of a kind that is not known", excerpt(word))];
      return;
    }
    take_call(record, kind.kind, line);
  }

  void finish(const TraceGroups& given) { gatherer_.finish(given); }

 private:
  [[nodiscard]] std::optional<std::uint64_t> number(const Json& record, const char* key) const {
    const Json* value = member(record, key);
    if (value == nullptr || value->is_null()) return std::nullopt;
    const auto found = whole(*value);
    if (!found || *found > kMostElements)
      throw InputError(where_, fmt::format("{} is no usable whole number", key));
    return found;
  }

  [[nodiscard]] std::uint64_t required(const Json& record, const char* key) const {
    const auto found = number(record, key);
    if (!found) throw InputError(where_, fmt::format("{} is missing", key));
    return *found;
  }

  [[nodiscard]] std::uint64_t element(const Json& record) const {
    const Json* type = member(record, "dtype");
    if (type == nullptr || !type->is_string()) throw InputError(where_, "dtype is missing");
    const auto& name = type->get_ref<const std::string&>();
    const auto bytes = element_bytes(name);
    if (!bytes) {
      throw InputError(where_,
                       fmt::format("found the dtype \"{}\", which is not known", excerpt(name)));
    }
    return *bytes;
  }

  [[nodiscard]] std::vector<std::uint64_t> splits(const Json& record, const char* key,
                                                  std::uint64_t size) const {
    const Json* list = member(record, key);
    if (list == nullptr || list->is_null()) return {};
    if (!list->is_array()) throw InputError(where_, fmt::format("{} is no list", key));
    std::vector<std::uint64_t> result;
    for (const Json& item : *list) {
      const auto elements = whole(item);
      if (!elements || *elements > kMostElements)
        throw InputError(where_, fmt::format("{} has what is no usable whole number", key));
      result.push_back(*elements * size);
    }
    return result;
  }

  [[nodiscard]] GroupWords group_of(const Json& record) const {
    GroupWords words;
    if (const auto id = number(record, "pg_id")) words.name = std::to_string(*id);
    if (const Json* text = member(record, "pg_desc"); text != nullptr && text->is_string())
      words.description = text->get<std::string>();
    if (const Json* ranks = member(record, "global_ranks"))
      words.members = read_members(*ranks, where_);
    words.size = number(record, "world_size").value_or(0);
    return words;
  }

  void take_init(const Json& record) {
    const GroupWords words = group_of(record);
    if (words.name.empty()) return;
    if (words.size > kMostTraceRanks) throw InputError(where_, "world_size is too large");
    gatherer_.groups.by_name[words.name] = {label_of(words.description), words.members, words.size};
  }

  void take_call(const Json& record, CallKind kind, std::int64_t line) {
    const std::uint64_t size = element(record);
    CallWords call;
    call.kind = kind;
    call.in_bytes = required(record, "in_msg_size") * size;
    call.out_bytes = required(record, "out_msg_size") * size;
    if (kind == CallKind::AllToAll) {
      call.in_splits = splits(record, "in_split", size);
      call.out_splits = splits(record, "out_split", size);
    }
    if (kind == CallKind::Send) call.peer = required(record, "dst_rank");
    if (kind == CallKind::Receive) call.peer = required(record, "src_rank");
    if (kind == CallKind::Broadcast || kind == CallKind::Reduce || kind == CallKind::Gather ||
        kind == CallKind::Scatter) {
      call.peer = number(record, "root");
    }
    gatherer_.add(group_of(record), call, line);
  }

  RankTrace& trace_;
  CallGatherer gatherer_;
  std::string where_;
};

/// The log of AICB (aliyun/aicb) is a table, as a rule below a line of ranks by stage. Its header
/// is looked for among the first lines.
bool is_aicb_log(std::string_view text) {
  constexpr int kLines = 8;
  for (int line = 0; line < kLines && !text.empty(); ++line) {
    if (text.starts_with("comm_type,comm_group")) return true;
    const std::size_t end = text.find('\n');
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  }
  return false;
}

}  // namespace

RankTrace read_param(std::string_view text, const std::string& source, std::size_t rank,
                     const TraceGroups& groups) {
  if (is_aicb_log(text)) {
    throw InputError(source,
                     "is a log of AICB, which does not say the ranks of a collective, expected a "
                     "basic trace of PARAM",
                     "a job file with the parallelism and the model says the same");
  }
  RankTrace trace;
  trace.source = source;
  trace.rank = rank;
  ParamReader reader(trace);
  const JsonRecordWish wish{
      .list_key = "",
      .name_key = "comms",
      .wanted = [](const std::string&) { return true; },
      .take = [&](const Json& record, std::int64_t line) { reader.take(record, line); }};
  static_cast<void>(read_json_records(text, source, wish));
  reader.finish(groups);
  return trace;
}

}  // namespace zonecut::traces
