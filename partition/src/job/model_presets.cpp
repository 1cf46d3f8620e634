// Shapes of published models, as in their papers and configuration files; docs/traffic.md lists
// them. Parameters are the nominal count where the published name is one.
#include <algorithm>
#include <array>

#include "zonecut/partition/job.hpp"

namespace zonecut {
namespace {

struct Shape {
  std::string_view name;
  std::int64_t parameters;
  int layers, hidden, heads, kv_heads, head_size;
  int experts = 0, experts_per_token = 0, moe_layers = 0;
  std::int64_t expert_parameters = 0;
  int expert_node_limit = 0;
  int attention_size = 0;
};

/// Gate, up and down projection of every expert of every MoE layer.
constexpr std::int64_t expert_weights(std::int64_t experts, std::int64_t hidden,
                                      std::int64_t intermediate, std::int64_t layers) {
  return experts * 3 * hidden * intermediate * layers;
}

constexpr std::array kShapes = {
    Shape{"llama3-8b", 8'030'261'248, 32, 4096, 32, 8, 128},
    Shape{"llama3-70b", 70'553'706'496, 80, 8192, 64, 8, 128},
    Shape{"llama3-405b", 405'000'000'000, 126, 16384, 128, 8, 128},
    Shape{"llama-65b", 65'285'660'672, 80, 8192, 64, 64, 128},
    Shape{"gpt3-175b", 175'000'000'000, 96, 12288, 96, 96, 128},
    Shape{"mixtral-8x7b", 46'702'792'704, 32, 4096, 32, 8, 128, 8, 2, 32,
          expert_weights(8, 4096, 14336, 32)},
    Shape{"mixtral-8x22b", 140'620'634'112, 56, 6144, 48, 8, 128, 8, 2, 56,
          expert_weights(8, 6144, 16384, 56)},
    // Latent attention caches one vector of 512 + 64 elements per token and layer: as much as one
    // head of 288 keys and 288 values. 58 of the 61 layers route to 256 experts; a token goes to at
    // most four servers. It computes scores over 128 + 64 elements of every head and values over
    // 128: as much as heads of 160.
    Shape{"deepseek-v3", 671'026'419'200, 61, 7168, 128, 1, 288, 256, 8, 58,
          expert_weights(256, 7168, 2048, 58), 4, 160},
    Shape{"qwen3-235b-a22b", 235'093'634'560, 94, 4096, 64, 4, 128, 128, 8, 94,
          expert_weights(128, 4096, 1536, 94)},
};

}  // namespace

std::optional<ModelShape> model_preset(std::string_view name) {
  const auto at = std::find_if(kShapes.begin(), kShapes.end(),
                               [&](const Shape& shape) { return shape.name == name; });
  if (at == kShapes.end()) return std::nullopt;
  return ModelShape{.name = std::string(at->name),
                    .parameters = at->parameters,
                    .layers = at->layers,
                    .hidden = at->hidden,
                    .heads = at->heads,
                    .kv_heads = at->kv_heads,
                    .head_size = at->head_size,
                    .experts = at->experts,
                    .experts_per_token = at->experts_per_token,
                    .moe_layers = at->moe_layers,
                    .expert_parameters = at->expert_parameters,
                    .expert_node_limit = at->expert_node_limit,
                    .attention_size = at->attention_size};
}

std::vector<std::string> model_preset_names() {
  std::vector<std::string> names;
  names.reserve(std::size(kShapes));
  for (const Shape& shape : kShapes) names.emplace_back(shape.name);
  return names;
}

}  // namespace zonecut
