#pragma once
// What `zonecut slurm-order` answered, believed only as far as it has been checked.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "step.hpp"

namespace zonecut::slurm {

struct Answer {
  bool changed = false;
  std::vector<std::string> servers;  ///< of the step, each once, in the order of their ranks
  std::string gain;                  ///< what it gains, in words; may be empty
};

/// The answer, where it is complete and names as many of the step's servers as it has, each once;
/// none otherwise.
[[nodiscard]] std::optional<Answer> read_answer(std::string_view text, const Step& step);

}  // namespace zonecut::slurm
