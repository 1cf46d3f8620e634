#include "files/flat_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "zonecut/base/text_check.hpp"
#include "zonecut/base/trim.hpp"

namespace zonecut {
namespace {

constexpr std::size_t kMostText = 64 << 10;

struct Alias {
  std::string_view flat;
  std::string_view section;  ///< empty: the top of the file
  std::string_view key;
};

/// Flat keys that do not stand in their section under their own name come first for each key; the
/// long names are those of Megatron-LM's options.
constexpr std::array kAliases = {
    Alias{"name", "", "name"},
    Alias{"kind", "", "kind"},
    Alias{"gpus", "", "gpus"},
    Alias{"ranks", "", "gpus"},
    Alias{"ranks_per_server", "", "ranks_per_server"},
    Alias{"all_to_all", "", "all_to_all"},

    Alias{"tp", "parallelism", "tp"},
    Alias{"tensor_model_parallel_size", "parallelism", "tp"},
    Alias{"cp", "parallelism", "cp"},
    Alias{"context_parallel_size", "parallelism", "cp"},
    Alias{"pp", "parallelism", "pp"},
    Alias{"pipeline_model_parallel_size", "parallelism", "pp"},
    Alias{"dp", "parallelism", "dp"},
    Alias{"data_parallel_size", "parallelism", "dp"},
    Alias{"ep", "parallelism", "ep"},
    Alias{"expert_model_parallel_size", "parallelism", "ep"},
    Alias{"etp", "parallelism", "etp"},
    Alias{"expert_tensor_parallel_size", "parallelism", "etp"},
    Alias{"vpp", "parallelism", "virtual_stages"},
    Alias{"virtual_stages", "parallelism", "virtual_stages"},
    Alias{"order", "parallelism", "order"},
    Alias{"sp", "parallelism", "sequence_parallel"},
    Alias{"sequence_parallel", "parallelism", "sequence_parallel"},

    Alias{"seq", "batch", "sequence"},
    Alias{"seq_length", "batch", "sequence"},
    Alias{"sequence", "batch", "sequence"},
    Alias{"mbs", "batch", "micro_batch"},
    Alias{"micro_batch", "batch", "micro_batch"},
    Alias{"micro_batch_size", "batch", "micro_batch"},
    Alias{"gbs", "batch", "global_batch"},
    Alias{"global_batch", "batch", "global_batch"},
    Alias{"global_batch_size", "batch", "global_batch"},
    Alias{"micro_batches", "batch", "micro_batches"},

    Alias{"zero", "data_parallel", "mode"},
    Alias{"data_parallel", "data_parallel", "mode"},
    Alias{"shard", "data_parallel", "shard"},
    Alias{"algorithm", "data_parallel", "algorithm"},
    Alias{"ring_order", "data_parallel", "ring_order"},
    Alias{"gradient_bytes", "data_parallel", "gradient_bytes"},
    Alias{"parameter_bytes", "data_parallel", "parameter_bytes"},
    Alias{"accumulation_steps", "data_parallel", "accumulation_steps"},
    Alias{"replica_all_reduce", "data_parallel", "replica_all_reduce"},

    Alias{"model", "model", "preset"},
    Alias{"parameters", "model", "parameters"},
    Alias{"layers", "model", "layers"},
    Alias{"hidden", "model", "hidden"},
    Alias{"heads", "model", "heads"},
    Alias{"kv_heads", "model", "kv_heads"},
    Alias{"head_size", "model", "head_size"},
    Alias{"attention_size", "model", "attention_size"},
    Alias{"experts", "model", "experts"},
    Alias{"experts_per_token", "model", "experts_per_token"},
    Alias{"moe_layers", "model", "moe_layers"},
    Alias{"expert_parameters", "model", "expert_parameters"},
    Alias{"expert_node_limit", "model", "expert_node_limit"},
    Alias{"dispatch_bytes", "model", "dispatch_bytes"},

    Alias{"encoder_parameters", "encoder", "parameters"},
    Alias{"encoder_layers", "encoder", "layers"},
    Alias{"encoder_hidden", "encoder", "hidden"},
    Alias{"encoder_heads", "encoder", "heads"},
    Alias{"encoder_tp", "encoder", "tp"},
    Alias{"encoder_tensor_model_parallel_size", "encoder", "tp"},
    Alias{"encoder_dp", "encoder", "dp"},
    Alias{"encoder_tokens", "encoder", "tokens"},
    Alias{"encoder_output_tokens", "encoder", "output_tokens"},
    Alias{"encoder_frozen", "encoder", "frozen"},

    Alias{"checkpoint", "storage", "checkpoint"},
    Alias{"checkpoint_interval", "storage", "checkpoint_interval"},
    Alias{"ingestion", "storage", "ingestion"},
    Alias{"storage_bandwidth", "storage", "bandwidth"},

    Alias{"embedding", "recommendation", "embedding"},
    Alias{"dense", "recommendation", "dense"},

    Alias{"prefill_replicas", "inference", "prefill_replicas"},
    Alias{"prefill_tp", "inference", "prefill_tp"},
    Alias{"decode_replicas", "inference", "decode_replicas"},
    Alias{"decode_tp", "inference", "decode_tp"},
    Alias{"rps", "inference", "requests_per_second"},
    Alias{"requests_per_second", "inference", "requests_per_second"},
    Alias{"prompt_tokens", "inference", "prompt_tokens"},
    Alias{"output_tokens", "inference", "output_tokens"},
    Alias{"cache_bytes", "inference", "cache_bytes"},
};

constexpr std::string_view kOverlap = "overlap.";

/// One "key=value" of a text.
struct Item {
  std::string key;  ///< with '_' for '-'
  std::string_view value;
  int column = 1;  ///< of the key
};

class FlatReader {
 public:
  /// `line` and `column` say where the text begins in `source`.
  FlatReader(const std::string& source, int line, int column, ProblemList& problems)
      : source_(source), line_(line), column_(column), problems_(problems) {}

  /// Calls visit(item) for every well-formed item.
  void read(std::string_view text, const auto& visit) {
    for (std::size_t at = 0; at <= text.size();) {
      const std::size_t end = std::min(text.find(',', at), text.size());
      const std::string_view item = text.substr(at, end - at);
      const int column = column_ + static_cast<int>(at);
      const std::size_t equals = item.find('=');
      if (const auto control = find_control_character(item)) {
        problems_.add(where(column),
                      fmt::format("found the control character {} in a text", *control));
      } else if (equals == std::string_view::npos || trimmed(item.substr(0, equals)).empty() ||
                 trimmed(item.substr(equals + 1)).empty()) {
        problems_.add(where(column), fmt::format("found \"{}\", expected key=value", item),
                      "such as tp=8,pp=16");
      } else {
        std::string key(trimmed(item.substr(0, equals)));
        std::replace(key.begin(), key.end(), '-', '_');
        if (key != "name" && item.find('=', equals + 1) != std::string_view::npos) {
          problems_.add(where(column),
                        fmt::format("found \"{}\", expected a comma between keys", trimmed(item)),
                        "such as tp=8,pp=16");
          at = end + 1;
          continue;
        }
        visit(Item{std::move(key), trimmed(item.substr(equals + 1)), column});
      }
      at = end + 1;
    }
  }

  void set(Value& mapping, std::string_view key, const Item& item) {
    for (const Value::Entry& entry : mapping.entries) {
      if (entry.key != key) continue;
      problems_.add(where(item.column), fmt::format("{} is given twice", item.key));
      return;
    }
    mapping.entries.push_back({std::string(key), line_, item.column, scalar(item)});
  }

  /// The mapping `key` of `root`, made when it is not there.
  Value& section(Value& root, std::string_view key, int column) {
    for (Value::Entry& entry : root.entries) {
      if (entry.key == key) return entry.value;
    }
    root.entries.push_back({std::string(key), line_, column, mapping_at(column)});
    return root.entries.back().value;
  }

  void report_unknown(const Item& item, std::string_view only_section) {
    std::vector<std::string> known;
    for (const Alias& alias : kAliases) {
      if (only_section.empty() || alias.section == only_section) known.emplace_back(alias.flat);
    }
    const auto near = nearest_word(item.key, known);
    problems_.add(
        where(item.column), fmt::format("unknown key \"{}\"", item.key),
        near ? fmt::format("did you mean \"{}\"?", *near)
        : only_section.empty()
            ? "such as tp, cp, pp, dp, ep, vpp, gbs, model; all are in docs/formats/job.md"
            : fmt::format("known here: {}", fmt::join(known, ", ")));
  }

  [[nodiscard]] Value mapping_at(int column) const {
    Value value;
    value.kind = Value::Kind::Mapping;
    value.line = line_;
    value.column = column;
    return value;
  }

 private:
  [[nodiscard]] std::string where(int column) const {
    return fmt::format("{}:{}:{}", source_, line_, column);
  }
  [[nodiscard]] Value scalar(const Item& item) const {
    Value value;
    value.kind = Value::Kind::Scalar;
    value.scalar = std::string(item.value);
    value.line = line_;
    value.column = item.column;
    return value;
  }

  const std::string& source_;
  int line_;
  int column_;
  ProblemList& problems_;
};

const Alias* find_alias(std::string_view flat) {
  const auto at = std::find_if(kAliases.begin(), kAliases.end(),
                               [&](const Alias& alias) { return alias.flat == flat; });
  return at == kAliases.end() ? nullptr : &*at;
}

}  // namespace

Document flat_document(std::string_view text, const std::string& where) {
  if (text.size() > kMostText) {
    throw InputError(where, fmt::format("the text has more than {} bytes", kMostText));
  }
  if (const auto bad = find_malformed_utf8(text))
    throw InputError(fmt::format("{}:{}:{}", where, bad->line, bad->column), bad->what);
  ProblemList problems;
  FlatReader reader(where, 1, 1, problems);
  Document document{where, reader.mapping_at(1)};
  reader.read(text, [&](const Item& item) {
    if (item.key.starts_with(kOverlap)) {
      reader.set(reader.section(document.root, "overlap", item.column),
                 std::string_view(item.key).substr(kOverlap.size()), item);
    } else if (const Alias* alias = find_alias(item.key)) {
      Value& mapping = alias->section.empty()
                           ? document.root
                           : reader.section(document.root, alias->section, item.column);
      reader.set(mapping, alias->key, item);
    } else {
      reader.report_unknown(item, {});
    }
  });
  problems.throw_if_any();
  return document;
}

void expand_flat_section(const Document& document, Value& value, std::string_view section,
                         ProblemList& problems) {
  FlatReader reader(document.source, value.line, value.column, problems);
  Value mapping = reader.mapping_at(value.column);
  if (value.scalar.size() > kMostText) {
    problems.add(document.where(value), fmt::format("the text has more than {} bytes", kMostText));
  } else {
    reader.read(value.scalar, [&](const Item& item) {
      const Alias* alias = find_alias(item.key);
      if (alias != nullptr && alias->section == section) {
        reader.set(mapping, alias->key, item);
      } else {
        reader.report_unknown(item, section);
      }
    });
  }
  value = std::move(mapping);
}

}  // namespace zonecut
