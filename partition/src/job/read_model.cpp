#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <cmath>

#include "job/job_presets.hpp"
#include "job/job_reader.hpp"

namespace zonecut {
namespace {

constexpr double kMostParameters = 1e17;

/// "405B", "8.03e9", "671026419200".
std::optional<std::int64_t> parse_count(std::string_view text) {
  double number = 0;
  const char* const begin = text.data();  // NOLINT(bugprone-suspicious-stringview-data-usage)
  const char* const end = begin + text.size();
  const auto [stop, error] = std::from_chars(begin, end, number);
  if (error != std::errc{} || end - stop > 1) return std::nullopt;
  if (stop != end) {
    switch (*stop) {
      case 'K':
        number *= 1e3;
        break;
      case 'M':
        number *= 1e6;
        break;
      case 'B':
        number *= 1e9;
        break;
      case 'T':
        number *= 1e12;
        break;
      default:
        return std::nullopt;
    }
  }
  if (!(number >= 1 && number <= kMostParameters)) return std::nullopt;
  return std::llround(number);
}

std::optional<ModelShape> preset(Fields& fields, const Value& name) {
  const auto text = as_text(fields.document(), name, fields.problems());
  if (!text) return std::nullopt;
  auto shape = model_preset(*text);
  if (!shape) {
    const std::vector<std::string> names = model_preset_names();
    const auto near = nearest_word(*text, names);
    std::string hint =
        fmt::format("one of {}, or a mapping with the shape", fmt::join(names, ", "));
    if (near) hint = fmt::format("did you mean \"{}\"?", *near);
    if (job_preset(*text)) hint = fmt::format("it is a whole job: give \"{}\" alone", *text);
    fields.problems().add(fields.where(name),
                          fmt::format("no model preset is called \"{}\"", *text), hint);
    return model_preset(names.front());  // so that what follows is checked too
  }
  return shape;
}

void read_shape(Fields& fields, ModelShape& shape) {
  constexpr std::int64_t kMost = 1 << 30;
  const auto integer = [&](std::string_view key, int& member) {
    member = static_cast<int>(fields.integer(key, member, 0, kMost));
  };
  shape.parameters = read_count(fields, "parameters", shape.parameters);
  integer("layers", shape.layers);
  integer("hidden", shape.hidden);
  integer("heads", shape.heads);
  integer("kv_heads", shape.kv_heads);
  integer("head_size", shape.head_size);
  integer("attention_size", shape.attention_size);
  integer("experts", shape.experts);
  integer("experts_per_token", shape.experts_per_token);
  integer("moe_layers", shape.moe_layers);
  shape.expert_parameters = read_count(fields, "expert_parameters", shape.expert_parameters);
  integer("expert_node_limit", shape.expert_node_limit);
}

}  // namespace

std::int64_t read_count(Fields& fields, std::string_view key, std::int64_t fallback) {
  const Value* value = fields.find(key);
  if (value == nullptr) return fallback;
  if (value->kind == Value::Kind::Scalar) {
    if (const auto count = parse_count(value->scalar)) return *count;
  }
  fields.problems().add(fields.where(*value), fmt::format("{} is not a number from 1 to 1e17", key),
                        "such as 405B, 8.03e9 or 671026419200");
  return fallback;
}

ModelChoice read_model(const JobSource& source) {
  const Value* value = source.top.find("model");
  if (value == nullptr || value->kind == Value::Kind::Null) return {};
  if (value->kind == Value::Kind::Scalar) return {preset(source.top, *value), 2};

  Fields fields(source.top.document(), *value, source.top.problems());
  ModelChoice choice;
  ModelShape shape;
  const Value* name = fields.find("preset");
  if (name != nullptr) shape = preset(fields, *name).value_or(ModelShape{});
  shape.name = fields.text("name", shape.name);
  read_shape(fields, shape);
  choice.dispatch_bytes = static_cast<int>(fields.integer("dispatch_bytes", 2, 1, 16));
  fields.finish();
  choice.shape = std::move(shape);
  return choice;
}

}  // namespace zonecut
