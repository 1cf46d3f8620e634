#pragma once
// One run of the program, as every command sees it.
#include <functional>
#include <string>
#include <vector>

#include "exit_code.hpp"
#include "terminal.hpp"

namespace zonecut::cli {

struct Session {
  Terminal terminal;
  std::vector<std::string> arguments;  ///< as given, without the program's name
  /// What the chosen command does; set while the command line is read, called after it.
  std::function<ExitCode(const Session&)> run;
};

/// The command line that gives this result again, quoted for a shell; without the options that say
/// where the result goes or how many threads look for it, so that equal results are equal bytes.
[[nodiscard]] std::string command_line(const Session& session);

}  // namespace zonecut::cli
