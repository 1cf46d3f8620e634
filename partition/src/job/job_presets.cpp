#include "job/job_presets.hpp"

#include <algorithm>
#include <array>

namespace zonecut {
namespace {

struct Preset {
  std::string_view name;
  std::string_view text;
};

// llama3-405b and deepseek-v3 are the configurations of their papers (arXiv 2407.21783 table 4,
// 2412.19437 section 3.2); the others are usual ones.
constexpr std::array kPresets = {
    Preset{"llama3-8b", "model=llama3-8b,dp=64,seq=8192,gbs=512,zero=3"},
    Preset{"llama3-70b", "model=llama3-70b,tp=8,pp=4,dp=16,vpp=5,seq=8192,gbs=512"},
    Preset{"llama3-405b", "model=llama3-405b,tp=8,pp=16,dp=128,vpp=7,seq=8192,gbs=2048"},
    Preset{"llama-65b", "model=llama-65b,tp=8,pp=2,dp=128,seq=2048,gbs=2048"},
    Preset{"gpt3-175b", "model=gpt3-175b,tp=8,pp=8,dp=16,vpp=6,seq=2048,gbs=1536"},
    Preset{"mixtral-8x7b", "model=mixtral-8x7b,ep=8,dp=128,seq=4096,gbs=1024"},
    Preset{"mixtral-8x22b", "model=mixtral-8x22b,tp=2,pp=4,ep=8,dp=32,vpp=7,seq=4096,gbs=1024"},
    Preset{"deepseek-v3",
           "model=deepseek-v3,pp=16,ep=64,dp=128,seq=4096,gbs=15360,dispatch_bytes=1"},
    Preset{"qwen3-235b-a22b", "model=qwen3-235b-a22b,tp=4,pp=2,ep=32,dp=64,seq=4096,gbs=2048"},
    Preset{"dlrm", "kind=recommendation,gpus=128,embedding=256MiB,dense=1GiB"},
};

}  // namespace

std::optional<std::string_view> job_preset(std::string_view name) {
  const auto at = std::find_if(kPresets.begin(), kPresets.end(),
                               [&](const Preset& preset) { return preset.name == name; });
  if (at == kPresets.end()) return std::nullopt;
  return at->text;
}

std::vector<std::string> job_preset_names() {
  std::vector<std::string> names;
  names.reserve(std::size(kPresets));
  for (const Preset& preset : kPresets) names.emplace_back(preset.name);
  return names;
}

}  // namespace zonecut
