#pragma once
// Calls of libslurm whose arguments have changed between versions, by what the headers at hand say.
extern "C" {
#include <slurm/slurm.h>
}

#include <cstdint>
#include <string>
#include <type_traits>

namespace zonecut::slurm {

/// slurm_get_job_steps(), as it was to 24.11 and as it is since 25.05. Returns Slurm's code.
template <class Function, class Answer>
int load_steps(Function function, std::uint32_t job, Answer** answer) {
  if constexpr (std::is_invocable_v<Function, time_t, std::uint32_t, std::uint32_t, Answer**,
                                    std::uint16_t>) {
    return function(time_t{0}, job, NO_VAL, answer, std::uint16_t{0});
  } else {
    slurm_step_id_t id{};
    id.job_id = job;
    id.step_het_comp = NO_VAL;
    id.step_id = NO_VAL;
    return function(&id, answer, std::uint16_t{0});
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

/// "gres:gpu:8" or "gres/gpu:8", as jobs ask, without its first word.
inline std::string gres_text(const std::string& asked) {
  return asked.starts_with("gres") && asked.size() > 5 ? asked.substr(5) : asked;
}

}  // namespace zonecut::slurm
