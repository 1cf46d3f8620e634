#pragma once
// The one table from what happened to the program's exit code and to the word a JSON error carries.
#include <string>
#include <string_view>
#include <vector>

#include "zonecut/base/error.hpp"

namespace zonecut::cli {

enum class ExitCode {
  Done = 0,
  BadInput = 2,     ///< a wrong file, flag or request
  NoPlacement = 3,  ///< nothing fits; the reasons are printed
  IoFailed = 4,     ///< a peer or disk failed
  OurDefect = 70,   ///< a contract of ours is broken: worth a report
};

/// "bad-input", "no-placement", "io-failed", "our-defect"; "done" for 0.
[[nodiscard]] std::string_view code_name(ExitCode code);

struct Failure {
  ExitCode code = ExitCode::OurDefect;
  std::vector<Problem> problems;
};

/// The failure that an exception stands for. Call from a catch block.
[[nodiscard]] Failure current_failure();

/// One "zonecut: where: what (hint)" a line.
[[nodiscard]] std::string to_lines(const Failure& failure);
/// {"schema": "zonecut.error/v1", "code": …, "exit": …, "problems": […]}
[[nodiscard]] std::string to_json(const Failure& failure);

}  // namespace zonecut::cli
