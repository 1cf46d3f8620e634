#pragma once
// Nodes of a Chakra execution trace, whichever way they are written.
#include "traces/pytorch_calls.hpp"
#include "traces/trace_record.hpp"

namespace zonecut::traces {

/// Numbers of the public schema (mlcommons/chakra, schema/protobuf/et_def.proto, 0.0.4 and later).
enum class ChakraNodeType { Metadata = 1, Send = 5, Receive = 6, Collective = 7 };

struct ChakraNode {
  std::string name;
  std::int64_t type = 0;
  bool on_host = false;                   ///< is_cpu_op
  std::optional<std::int64_t> comm_type;  ///< CollectiveCommType
  std::optional<std::int64_t> comm_size;  ///< bytes
  std::optional<std::int64_t> source;     ///< comm_src
  std::optional<std::int64_t> target;     ///< comm_dst
  std::optional<std::int64_t> root;
  std::string group;             ///< pg_name
  std::string description;       ///< pg_desc
  bool some_dimensions = false;  ///< involved_dim leaves some out
  std::string inputs;            ///< of metadata: its values
};

class ChakraGatherer {
 public:
  explicit ChakraGatherer(RankTrace& trace) : trace_(trace), gatherer_(trace) {}

  /// Throws InputError at the node's place where it is communication and cannot be counted.
  void take(const ChakraNode& node, std::int64_t place);
  void finish(const TraceGroups& given);

 private:
  void take_collective(const ChakraNode& node, std::int64_t place, const GroupWords& group);
  void take_message(const ChakraNode& node, std::int64_t place, const GroupWords& group);
  [[noreturn]] void fail(const ChakraNode& node, std::int64_t place, std::string_view what,
                         std::string hint = {}) const;

  RankTrace& trace_;
  CallGatherer gatherer_;
  std::map<std::string, std::int64_t, std::less<>> named_;  ///< groups, where first named
};

}  // namespace zonecut::traces
