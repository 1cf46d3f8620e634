#pragma once
// The extender protocol of kube-scheduler, k8s.io/kube-scheduler/extender/v1: keys are Go field
// names, unset pointers arrive as null. Values in, texts out; nothing is decided here.
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "objects/objects.hpp"

namespace zonecut::kubernetes {

/// Of filter and prioritize. `names` has the candidates in both cache modes, in their order.
struct CandidateRequest {
  Pod pod;
  std::vector<std::string> names;
  bool full_nodes = false;  ///< nodeCacheCapable false: whole nodes came, and whole nodes go back
  /// With full_nodes: each node's JSON as it came, by position in `names`.
  std::vector<std::string> nodes;
};

struct FilterAnswer {
  std::vector<std::size_t> kept;  ///< positions in the request's names, ascending
  /// The rest are refused for good, all with this one constant text; empty: they are left out
  /// without a word.
  std::string refusal;
};

struct PreemptCandidate {
  std::string node;
  std::vector<std::string> victims;  ///< uids
  std::int64_t disruption_budgets_broken = 0;
};

struct PreemptRequest {
  Pod pod;
  std::vector<PreemptCandidate> candidates;  ///< by node name, from whichever of the two maps came
};

struct BindRequest {
  std::string name_space;
  std::string name;
  std::string uid;
  std::string node;
};

/// All throw InputError with a JSON pointer.
[[nodiscard]] CandidateRequest read_candidate_request(std::string_view body,
                                                      const GpuResources& gpus);
[[nodiscard]] PreemptRequest read_preempt_request(std::string_view body, const GpuResources& gpus);
[[nodiscard]] BindRequest read_bind_request(std::string_view body);

[[nodiscard]] std::string write_filter_answer(const CandidateRequest& request,
                                              const FilterAnswer& answer);
/// {"Error": …} with everything else null.
[[nodiscard]] std::string write_filter_error(std::string_view error);
/// A score from 0 to 10 for each name of the request.
[[nodiscard]] std::string write_prioritize_answer(const CandidateRequest& request,
                                                  const std::vector<std::int64_t>& scores);
/// `chosen` without one that has no victims, which kube-scheduler would refuse.
[[nodiscard]] std::string write_preempt_answer(const std::vector<PreemptCandidate>& chosen);
[[nodiscard]] std::string write_bind_answer(std::string_view error);

}  // namespace zonecut::kubernetes
