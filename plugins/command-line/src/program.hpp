#pragma once
// The command line of zonecut: read, then run, every failure turned into an exit code.
#include <string>
#include <vector>

#include "exit_code.hpp"

namespace zonecut::cli {

/// `arguments` without the program's name. Never throws.
[[nodiscard]] ExitCode run_program(std::vector<std::string> arguments) noexcept;

}  // namespace zonecut::cli
