// PyTorch execution traces: JSON, of the schemas 1.0.1 to 1.1.1. What is communicated stands in
// records "record_param_comms" (torch/csrc/distributed/c10d/ParamCommsUtils.hpp), as a list of
// inputs whose meaning follows from their positions, and in newer versions as attributes, too.
#include <fmt/format.h>

#include "traces/json_records.hpp"
#include "traces/pytorch_calls.hpp"
#include "traces/pytorch_groups.hpp"
#include "traces/trace_record.hpp"
#include "zonecut/base/text_check.hpp"

namespace zonecut::traces {
namespace {

constexpr std::string_view kCommunication = "record_param_comms";
/// "ProfilerStep#4", around each iteration that was profiled.
constexpr std::string_view kStep = "ProfilerStep#";
/// Beyond it no buffer is one.
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 50;

/// "inputs": [...] in older versions, "inputs": {"values": [...]} in newer ones; null: none.
const Json* values_of(const Json& record, const char* key) {
  const Json* side = member(record, key);
  if (side != nullptr && side->is_object()) side = member(*side, "values");
  return side != nullptr && side->is_array() ? side : nullptr;
}

const Json* attribute(const Json& record, std::string_view name) {
  const Json* list = member(record, "attrs");
  if (list == nullptr || !list->is_array()) return nullptr;
  for (const Json& item : *list) {
    const Json* own = member(item, "name");
    if (own != nullptr && own->is_string() && own->get_ref<const std::string&>() == name)
      return member(item, "value");
  }
  return nullptr;
}

/// A tensor is [id, storage, offset, elements, bytes of one, device].
bool is_tensor(const Json& value) {
  return value.is_array() && value.size() >= 6 && value[0].is_number() && value[3].is_number() &&
         value[4].is_number() && value[5].is_string();
}

class RecordReading {
 public:
  RecordReading(const Json& record, std::string where)
      : record_(record), where_(std::move(where)) {}

  [[noreturn]] void fail(std::string_view what) const {
    throw InputError(where_, fmt::format("{}{}: {}", kCommunication, id(), what));
  }

  /// Adds up the tensors within; `parts` gets those of the outermost list that has several.
  std::uint64_t bytes_of(const Json& value, std::vector<std::uint64_t>* parts) const {
    if (is_tensor(value)) {
      const auto elements = whole(value[3]);
      const auto size = whole(value[4]);
      if (!elements || !size || *size > 1024 || *elements > kMostBytes / 1024)
        fail("a tensor has no usable size");
      return *elements * *size;
    }
    if (!value.is_array()) return 0;
    std::uint64_t sum = 0;
    std::vector<std::uint64_t> own;
    for (const Json& item : value) {
      const std::uint64_t bytes = bytes_of(item, parts);
      if (is_tensor(item)) own.push_back(bytes);
      sum += bytes;
      if (sum > kMostBytes) fail("its tensors have no usable size");
    }
    if (parts != nullptr && own.size() > 1) *parts = std::move(own);
    return sum;
  }

  /// Splits are rows of a buffer; what a row has follows from the whole.
  std::vector<std::uint64_t> splits_of(const Json* list, std::uint64_t bytes) const {
    Json parsed;
    if (list != nullptr && list->is_string()) {
      parsed = Json::parse(list->get_ref<const std::string&>(), nullptr, false);
      list = &parsed;
    }
    if (list == nullptr || !list->is_array()) return {};
    std::vector<std::uint64_t> splits;
    std::uint64_t sum = 0;
    for (const Json& item : *list) {
      const auto rows = whole(item);
      if (!rows || *rows > kMostBytes) fail("a split is no whole number");
      splits.push_back(*rows);
      sum += *rows;
      if (sum > kMostBytes) fail("the splits have no usable size");
    }
    if (sum == 0 && bytes == 0) return splits;
    if (sum == 0 || bytes % sum != 0) {
      if (splits.empty()) return {};
      fail(fmt::format("splits of {} rows do not divide a buffer of {} bytes", sum, bytes));
    }
    for (std::uint64_t& rows : splits) rows *= bytes / sum;
    return splits;
  }

  [[nodiscard]] std::uint64_t message_bytes(const char* key) const {
    const Json* count = attribute(record_, key);
    const auto elements = count == nullptr ? std::nullopt : whole(*count);
    if (!elements || *elements == 0) return 0;
    const Json* type = attribute(record_, "dtype");
    const auto size = type != nullptr && type->is_string()
                          ? element_bytes(type->get_ref<const std::string&>())
                          : std::nullopt;
    if (!size) fail("its dtype is not known");
    if (*elements > kMostBytes / *size) fail("its buffer has no usable size");
    return *elements * *size;
  }

 private:
  [[nodiscard]] std::string id() const {
    const Json* id = member(record_, "id");
    const auto number = id == nullptr ? std::nullopt : whole(*id);
    return number ? fmt::format(" of id {}", *number) : std::string();
  }

  const Json& record_;
  std::string where_;
};

/// Whether an input is the sequence number: a number, or [number, whether it is point to point].
bool is_sequence(const Json& value) {
  return value.is_number() ||
         (value.is_array() && value.size() == 2 && value[0].is_number() && value[1].is_boolean());
}

/// [tensors,] sequence, group, rank, name, splits in, splits out[, start, stride][, size]
struct Positions {
  const Json* tensors = nullptr;
  const Json* group = nullptr;
  const Json* rank = nullptr;
  const Json* name = nullptr;
  const Json* in_splits = nullptr;
  const Json* out_splits = nullptr;
  std::vector<std::int64_t> numbers;  ///< what follows
};

Positions positions_of(const Json& inputs, const RecordReading& reading) {
  Positions found;
  const std::size_t base = !inputs.empty() && is_sequence(inputs[0]) ? 0 : 1;
  if (inputs.size() < base + 6)
    reading.fail(fmt::format("has {} inputs, expected at least {}", inputs.size(), base + 6));
  if (base == 1) found.tensors = &inputs[0];
  found.group = &inputs[base + 1];
  found.rank = &inputs[base + 2];
  found.name = &inputs[base + 3];
  found.in_splits = &inputs[base + 4];
  found.out_splits = &inputs[base + 5];
  if (!found.name->is_string()) reading.fail("names no collective where one is expected");
  for (std::size_t i = base + 6; i < inputs.size() && inputs[i].is_number_integer(); ++i)
    found.numbers.push_back(inputs[i].get<std::int64_t>());
  return found;
}

GroupWords group_of(const Json& record, const Positions& at) {
  GroupWords words;
  const Json& group = *at.group;
  if (group.is_array() && group.size() == 2 && group[0].is_string() && group[1].is_string()) {
    words.name = group[0].get<std::string>();
    words.description = group[1].get<std::string>();
  } else if (group.is_string()) {
    words.name = group.get<std::string>();
  } else if (const auto number = whole(group)) {
    words.name = std::to_string(*number);
  }
  if (const Json* name = attribute(record, "pg_name"); name != nullptr && name->is_string())
    words.name = name->get<std::string>();
  if (const Json* text = attribute(record, "pg_desc"); text != nullptr && text->is_string())
    words.description = text->get<std::string>();
  const auto known = [](std::int64_t number) {
    return number < 0 ? std::nullopt : std::optional(static_cast<std::uint64_t>(number));
  };
  if (at.numbers.size() >= 3) {
    words.start = known(at.numbers[0]);
    words.stride = known(at.numbers[1]);
    words.size = known(at.numbers[2]).value_or(0);
  } else if (at.numbers.size() == 1) {
    words.size = known(at.numbers[0]).value_or(0);
  }
  return words;
}

bool has_peer(CallKind kind) {
  return kind == CallKind::Broadcast || kind == CallKind::Reduce || kind == CallKind::Gather ||
         kind == CallKind::Scatter || kind == CallKind::Send || kind == CallKind::Receive;
}

class PytorchReader {
 public:
  explicit PytorchReader(RankTrace& trace) : trace_(trace), gatherer_(trace) {}

  void take(const Json& record, std::int64_t line) {
    if (!record["name"].is_string()) return;
    if (record["name"].get_ref<const std::string&>().starts_with(kStep)) {
      ++trace_.steps;
      return;
    }
    const std::string where = trace_.at(line);
    const Json* inputs = values_of(record, "inputs");
    if (record["name"] != kCommunication) {
      if (inputs != nullptr && !inputs->empty() && (*inputs)[0].is_string()) {
        read_group_description((*inputs)[0].get_ref<const std::string&>(), where, trace_,
                               gatherer_.groups);
      }
      return;
    }
    const RecordReading reading(record, where);
    if (inputs == nullptr) reading.fail("has no inputs");
    take_call(record, *inputs, reading, line);
  }

  void finish(const TraceGroups& given) { gatherer_.finish(given); }

 private:
  void take_call(const Json& record, const Json& inputs, const RecordReading& reading,
                 std::int64_t line) {
    const Positions at = positions_of(inputs, reading);
    const auto& name = at.name->get_ref<const std::string&>();
    const NamedKind kind = find_kind(name);
    if (kind.role == NamedKind::Role::Nothing) return;
    if (kind.role != NamedKind::Role::Traffic) {
      ++trace_.left_out[kind.role == NamedKind::Role::Barrier
                            ? std::string("barrier")
                            : fmt::format("\"{}\", of a kind that is not known", excerpt(name))];
      return;
    }
    CallWords call;
    call.kind = kind.kind;
    std::vector<std::uint64_t> in_parts;
    std::vector<std::uint64_t> out_parts;
    if (at.tensors != nullptr) call.in_bytes = reading.bytes_of(*at.tensors, &in_parts);
    if (const Json* outputs = values_of(record, "outputs"))
      call.out_bytes = reading.bytes_of(*outputs, &out_parts);
    if (call.in_bytes == 0 && call.out_bytes == 0) {
      call.in_bytes = reading.message_bytes("in_msg_nelems");
      call.out_bytes = reading.message_bytes("out_msg_nelems");
    }
    if (call.kind == CallKind::AllToAll) {
      call.in_splits = splits(reading, *at.in_splits, in_parts, call.in_bytes);
      call.out_splits = splits(reading, *at.out_splits, out_parts, call.out_bytes);
    }
    if (has_peer(call.kind)) {
      call.peer = whole(*at.rank);
      call.peer_in_group = true;
      if (!call.peer) reading.fail(fmt::format("the {} names no rank", kind_name(call.kind)));
    }
    gatherer_.add(group_of(record, at), call, line);
  }

  /// As given, else those of a list of tensors, else none.
  static std::vector<std::uint64_t> splits(const RecordReading& reading, const Json& given,
                                           std::vector<std::uint64_t>& parts, std::uint64_t bytes) {
    std::vector<std::uint64_t> result = reading.splits_of(&given, bytes);
    return result.empty() ? std::move(parts) : result;
  }

  RankTrace& trace_;
  CallGatherer gatherer_;
};

}  // namespace

RankTrace read_pytorch(std::string_view text, const std::string& source, std::size_t rank,
                       const TraceGroups& groups) {
  RankTrace trace;
  trace.source = source;
  trace.rank = rank;
  PytorchReader reader(trace);
  const JsonRecordWish wish{
      .list_key = "nodes",
      .name_key = "name",
      .wanted =
          [](const std::string& name) {
            return name == kCommunication || describes_groups(name) || name.starts_with(kStep);
          },
      .take = [&](const Json& record, std::int64_t line) { reader.take(record, line); },
      .stranger_key = "traceEvents",
      .stranger = "is a Kineto trace, expected an execution trace",
      .instead = "torch.profiler writes it where it is given an ExecutionTraceObserver"};
  static_cast<void>(read_json_records(text, source, wish));
  reader.finish(groups);
  return trace;
}

}  // namespace zonecut::traces
