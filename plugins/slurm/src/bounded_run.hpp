#pragma once
// Runs another program within bounds: time, output and address space. When a bound is passed, it
// and whatever it started in its session are asked to end, and killed half a second later; when it
// has ended, what is left of its process group is killed; when the caller dies, only it is. Throws
// nothing and needs nothing but libc, so that it may stand in somebody else's process.
#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

namespace zonecut::slurm {

struct Bounds {
  std::chrono::milliseconds deadline{2000};
  std::size_t output_bytes = std::size_t{8} << 20;   ///< of standard output
  std::size_t message_bytes = std::size_t{4} << 10;  ///< of standard error; more is thrown away
  std::size_t memory_bytes = std::size_t{8} << 30;   ///< of address space; 0: no limit
};

enum class Ending {
  Exited,       ///< `code` is its exit code
  Killed,       ///< by signal `code`
  TimedOut,     ///< had not ended by the deadline
  Interrupted,  ///< a signal waits for the caller, who blocks it
  TooLong,      ///< wrote more than it may
  Lost,         ///< ended, but how is not known: the caller ignores SIGCHLD
  NotStarted,   ///< `code` is errno
};

struct RunResult {
  Ending ending = Ending::NotStarted;
  int code = 0;
  std::string output;
  std::string message;  ///< the first line of standard error
};

/// Runs `words[0]` (a path, not looked for in PATH) with these arguments and this process's
/// environment. Standard input is empty, and there is no terminal. Returns when it has ended, at
/// the latest 600 ms after the deadline, or after a signal that asks the caller to stop; that long
/// only where something does not end when it is asked to. A killed program that is not gone by then
/// is left to the kernel.
[[nodiscard]] RunResult run_bounded(const std::vector<std::string>& words, const Bounds& bounds);

/// "was not found", "did not answer within 2000 ms", …; "" after an exit with code 0.
[[nodiscard]] std::string what_went_wrong(const RunResult& result, const Bounds& bounds);

}  // namespace zonecut::slurm
