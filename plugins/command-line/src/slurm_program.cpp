#include "slurm_program.hpp"

#include <unistd.h>

#include <filesystem>

#include "bounded_run.hpp"
#include "zonecut/base/error.hpp"

namespace zonecut::cli {
namespace {

/// Beside this program's folder, in the build as when installed.
std::string program_path() {
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  return (self.parent_path().parent_path() / "libexec/zonecut/zonecut-slurm").string();
}

constexpr std::size_t kMostOutput = std::size_t{256} << 20;
constexpr std::size_t kMostMemory = std::size_t{4} << 30;

slurm::Bounds bounds_of(std::chrono::milliseconds deadline) {
  slurm::Bounds bounds;
  bounds.deadline = deadline;
  bounds.output_bytes = kMostOutput;
  bounds.memory_bytes = kMostMemory;
#ifdef __SANITIZE_ADDRESS__
  bounds.memory_bytes = 0;  // which reserves more than there is
#endif
  return bounds;
}

slurm::RunResult run_slurm_program(const std::vector<std::string>& words,
                                   const slurm::Bounds& bounds) {
  std::vector<std::string> command = {program_path()};
  if (::access(command.front().c_str(), X_OK) != 0)
    throw IoError(command.front(), "is not there: it comes with zonecut's plugin for Slurm");
  command.insert(command.end(), words.begin(), words.end());
  return slurm::run_bounded(command, bounds);
}

}  // namespace

std::string ask_slurm_program(const std::vector<std::string>& words,
                              std::chrono::milliseconds deadline) {
  const slurm::Bounds bounds = bounds_of(deadline);
  slurm::RunResult result = run_slurm_program(words, bounds);
  std::string wrong = what_went_wrong(result, bounds);
  if (wrong.empty()) return std::move(result.output);
  constexpr int kFatal = 1;  // how libslurm ends the process
  if (result.ending == slurm::Ending::Exited && result.code == kFatal)
    wrong += " (Slurm's configuration is not found or wrong here; scontrol ping says more)";
  throw IoError("zonecut-slurm", wrong);
}

SlurmAnswer change_in_slurm(const std::vector<std::string>& words,
                            std::chrono::milliseconds deadline) {
  constexpr int kRefused = 3, kOvertaken = 5;
  std::vector<std::string> command = {"change"};
  command.insert(command.end(), words.begin(), words.end());
  const slurm::Bounds bounds = bounds_of(deadline);
  const slurm::RunResult result = run_slurm_program(command, bounds);
  const std::string wrong = what_went_wrong(result, bounds);
  if (wrong.empty()) return {};
  if (result.ending == slurm::Ending::Exited && result.code == kRefused)
    return {SlurmAnswer::Kind::Refused, result.message};
  if (result.ending == slurm::Ending::Exited && result.code == kOvertaken)
    return {SlurmAnswer::Kind::Overtaken, result.message};
  throw IoError("zonecut-slurm", wrong);
}

}  // namespace zonecut::cli
