// Chakra execution traces (.et): messages of protobuf, each after its length; first the header,
// then one for each node. protobuf is known here only.
#include <fmt/format.h>

#include <algorithm>

#include "traces/chakra_nodes.hpp"
#include "traces/chakra_trace.pb.h"
#include "traces/trace_record.hpp"

namespace zonecut::traces {
namespace {

namespace wire = chakra_wire;

/// A node with the texts of all its tensors stays far below.
constexpr std::uint64_t kLongestMessage = std::uint64_t{64} << 20;

/// The messages of a text, one after the other.
class Messages {
 public:
  Messages(std::string_view text, const std::string& source) : text_(text), source_(source) {}

  [[nodiscard]] bool more() const { return !text_.empty(); }
  [[nodiscard]] std::int64_t number() const { return number_; }

  std::string_view next() {
    ++number_;
    const std::uint64_t length = take_length();
    if (length > kLongestMessage)
      fail(fmt::format("a message of {} bytes, expected at most {}", length, kLongestMessage));
    if (length > text_.size())
      fail(fmt::format("a message of {} bytes, but only {} are left", length, text_.size()));
    const std::string_view message = text_.substr(0, length);
    text_.remove_prefix(length);
    return message;
  }

  [[noreturn]] void fail(std::string what) const {
    throw InputError(fmt::format("{}: record {}", source_, number_), std::move(what),
                     "expected a Chakra trace: protobuf messages, each after its length");
  }

 private:
  /// Seven bits in each byte, the lowest first.
  std::uint64_t take_length() {
    std::uint64_t length = 0;
    for (int shift = 0; shift < 35; shift += 7) {
      if (text_.empty()) fail("ends within a length");
      const auto byte = static_cast<unsigned char>(text_.front());
      text_.remove_prefix(1);
      length |= std::uint64_t{byte & 0x7FU} << shift;
      if ((byte & 0x80U) == 0) return length;
    }
    fail("a length of more than five bytes");
  }

  std::string_view text_;
  const std::string& source_;
  std::int64_t number_ = 0;
};

/// A whole number, whichever type it was given.
std::optional<std::int64_t> number_of(const wire::Attribute& attribute) {
  using Value = wire::Attribute;
  const auto of_unsigned = [](std::uint64_t number) {
    return static_cast<std::int64_t>(
        std::min<std::uint64_t>(number, std::numeric_limits<std::int64_t>::max()));
  };
  switch (attribute.value_case()) {
    case Value::kAsInt32:
      return attribute.as_int32();
    case Value::kAsInt64:
      return attribute.as_int64();
    case Value::kAsUint32:
      return attribute.as_uint32();
    case Value::kAsUint64:
      return of_unsigned(attribute.as_uint64());
    case Value::kAsSint32:
      return attribute.as_sint32();
    case Value::kAsSint64:
      return attribute.as_sint64();
    case Value::kAsFixed32:
      return attribute.as_fixed32();
    case Value::kAsFixed64:
      return of_unsigned(attribute.as_fixed64());
    case Value::kAsSfixed32:
      return attribute.as_sfixed32();
    case Value::kAsSfixed64:
      return attribute.as_sfixed64();
    case Value::kAsBool:
      return attribute.as_bool() ? 1 : 0;
    case Value::kAsFlags:
    case Value::kAsText:
    case Value::VALUE_NOT_SET:
      break;
  }
  return std::nullopt;
}

void take_attribute(const wire::Attribute& attribute, ChakraNode& node) {
  const std::string& name = attribute.name();
  const std::pair<std::string_view, std::optional<std::int64_t>*> numbers[] = {
      {"comm_type", &node.comm_type}, {"comm_size", &node.comm_size}, {"comm_src", &node.source},
      {"comm_dst", &node.target},     {"comm_root", &node.root},      {"root", &node.root},
  };
  for (const auto& [known, target] : numbers) {
    if (name == known) *target = number_of(attribute);
  }
  if (name == "is_cpu_op") node.on_host = number_of(attribute).value_or(0) != 0;
  if (name == "pg_desc") node.description = attribute.as_text();
  if (name == "pg_name") {
    const auto number = number_of(attribute);
    node.group = number ? std::to_string(*number) : attribute.as_text();
  }
  if (name == "involved_dim" && attribute.has_as_flags()) {
    const auto& flags = attribute.as_flags().of();
    node.some_dimensions = std::find(flags.begin(), flags.end(), false) != flags.end();
  }
}

ChakraNode node_of(const wire::Node& message) {
  ChakraNode node;
  node.name = message.name();
  node.type = message.type();
  node.inputs = message.inputs().values();
  for (const wire::Attribute& attribute : message.attributes()) take_attribute(attribute, node);
  return node;
}

template <class Message>
void parse(std::string_view text, Message& message, const Messages& messages) {
  if (!message.ParseFromArray(text.data(), static_cast<int>(text.size())))
    messages.fail("a message that protobuf cannot read");
}

/// Schemas before 0.0.4 have no text there, and other fields in nodes.
void check_version(const wire::Header& header, const Messages& messages) {
  const std::string& version = header.version();
  const bool plain =
      std::all_of(version.begin(), version.end(), [](char c) { return c >= ' ' && c <= '~'; });
  if (!plain || version.size() > 40)
    messages.fail("a header that is none of schema 0.0.4 or later");
}

}  // namespace

RankTrace read_chakra(std::string_view text, const std::string& source, std::size_t rank,
                      const TraceGroups& groups) {
  RankTrace trace;
  trace.source = source;
  trace.rank = rank;
  Messages messages(text, source);
  if (!messages.more()) messages.fail("is empty");
  wire::Header header;
  parse(messages.next(), header, messages);
  check_version(header, messages);
  trace.lines = false;
  ChakraGatherer gatherer(trace);
  wire::Node message;
  while (messages.more()) {
    parse(messages.next(), message, messages);
    gatherer.take(node_of(message), messages.number());
  }
  gatherer.finish(groups);
  return trace;
}

}  // namespace zonecut::traces
