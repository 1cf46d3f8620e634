// A body of kube-scheduler is refused with InputError, or the answers to it are JSON that says what
// was decided.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "extender/plain_request.hpp"
#include "extender/wire.hpp"
#include "fuzz_target.hpp"
#include "zonecut/base/error.hpp"

namespace {

using namespace zonecut;
using namespace zonecut::kubernetes;
using fuzz::require;
using nlohmann::json;

template <typename Read>
void refuse_or(const Read& read) {
  try {
    read();
  } catch (const InputError& error) {
    require(!error.problems().empty() && !error.problems().front().what.empty());
  }
}

void candidates(std::string_view text, const GpuResources& gpus) {
  require(!plain_request(text) || json::accept(text));
  const CandidateRequest request = read_candidate_request(text, gpus);
  require(request.nodes.size() == (request.full_nodes ? request.names.size() : 0));
  FilterAnswer answer{{}, "refused"};
  for (std::size_t place = 0; place < request.names.size(); place += 2)
    answer.kept.push_back(place);
  const json filtered = json::parse(write_filter_answer(request, answer));
  if (request.full_nodes) {
    const json sent = json::parse(text)["Nodes"]["items"];
    const json& kept = filtered["Nodes"]["items"];
    require(kept.size() == answer.kept.size());
    for (std::size_t i = 0; i < kept.size(); ++i) require(kept[i] == sent[answer.kept[i]]);
  } else {
    const json& kept = filtered["NodeNames"];
    require(kept.size() == answer.kept.size());
    for (std::size_t i = 0; i < kept.size(); ++i) require(kept[i] == request.names[answer.kept[i]]);
  }
  const std::vector<std::int64_t> scores(request.names.size(), 7);
  require(json::parse(write_prioritize_answer(request, scores)).size() == scores.size());
}

void preemption(std::string_view text, const GpuResources& gpus) {
  const PreemptRequest request = read_preempt_request(text, gpus);
  const json answer = json::parse(write_preempt_answer(request.candidates));
  const auto with_victims =
      std::count_if(request.candidates.begin(), request.candidates.end(),
                    [](const PreemptCandidate& candidate) { return !candidate.victims.empty(); });
  require(answer["NodeNameToMetaVictims"].size() == static_cast<std::size_t>(with_victims));
}

void binding(std::string_view text) {
  const BindRequest request = read_bind_request(text);
  require(!request.node.empty() && !request.name.empty());
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const GpuResources gpus{"nvidia.com/gpu", "amd.com/gpu"};
  const std::string_view text = fuzz::text_of(bytes, size);
  refuse_or([&] { candidates(text, gpus); });
  refuse_or([&] { preemption(text, gpus); });
  refuse_or([&] { binding(text); });
  require(json::accept(write_filter_error(text)));
  return 0;
}
