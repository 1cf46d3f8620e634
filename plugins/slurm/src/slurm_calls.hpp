#pragma once
// Calls of libslurm whose arguments have changed between versions, by what the headers at hand say.
extern "C" {
#include <slurm/slurm.h>
}

#include <cstdint>
#include <string>
#include <type_traits>

namespace zonecut::slurm {

/// A job and all its steps, for the calls that take a structure.
inline slurm_step_id_t whole_job(std::uint32_t job) {
  slurm_step_id_t id{};
  id.job_id = job;
  id.step_het_comp = NO_VAL;
  id.step_id = NO_VAL;
  return id;
}

/// slurm_get_job_steps(), as it was to 24.11 and as it is since 25.05. Returns Slurm's code.
template <class Function, class Answer>
int load_steps(Function function, std::uint32_t job, Answer** answer) {
  if constexpr (std::is_invocable_v<Function, time_t, std::uint32_t, std::uint32_t, Answer**,
                                    std::uint16_t>) {
    return function(time_t{0}, job, NO_VAL, answer, std::uint16_t{0});
  } else {
    slurm_step_id_t id = whole_job(job);
    return function(&id, answer, std::uint16_t{0});
  }
}

/// slurm_load_job(), which since 25.11 takes a structure. Returns Slurm's code.
template <class Function, class Answer>
int load_job(Function function, std::uint32_t job, Answer** answer,
             std::uint16_t flags = SHOW_ALL) {
  if constexpr (std::is_invocable_v<Function, Answer**, std::uint32_t, std::uint16_t>) {
    return function(answer, job, flags);
  } else {
    slurm_step_id_t id = whole_job(job);
    return function(answer, &id, flags);
  }
}

/// slurm_load_topo(), likewise.
template <class Function, class Answer>
int load_topology(Function function, Answer** answer) {
  if constexpr (std::is_invocable_v<Function, Answer**>) {
    return function(answer);
  } else {
    return function(answer, nullptr);
  }
}

/// CPUs of a node that jobs have.
template <class Node>
std::uint32_t used_cpus(const Node& node) {
  if constexpr (requires { node.alloc_cpus; }) {
    return node.alloc_cpus;
  } else {
    std::uint16_t used = 0;
    slurm_get_select_nodeinfo(node.select_nodeinfo, SELECT_NODEDATA_SUBCNT, NODE_STATE_ALLOCATED,
                              &used);
    return used;
  }
}

/// MiB of a node that jobs have.
template <class Node>
std::uint64_t used_memory(const Node& node) {
  if constexpr (requires { node.alloc_memory; }) {
    return node.alloc_memory;
  } else {
    std::uint64_t used = 0;
    slurm_get_select_nodeinfo(node.select_nodeinfo, SELECT_NODEDATA_MEM_ALLOC, NODE_STATE_ALLOCATED,
                              &used);
    return used;
  }
}

inline std::string text_of(const char* text) { return text == nullptr ? "" : text; }

/// "gres:gpu:8" or "gres/gpu:8", as jobs ask, without its first word.
inline std::string gres_text(const std::string& asked) {
  return asked.starts_with("gres") && asked.size() > 5 ? asked.substr(5) : asked;
}

}  // namespace zonecut::slurm
