#pragma once
// Whether somebody wants srun to stop. srun blocks signals while its plugins run and hears of them
// afterwards, of several of a kind once: whoever waits here has to look for them.
#include <csignal>

namespace zonecut::slurm {

[[nodiscard]] inline bool is_interrupted() {
  sigset_t pending;
  if (::sigpending(&pending) != 0) return false;
  for (const int signal : {SIGINT, SIGTERM, SIGQUIT, SIGHUP}) {
    if (sigismember(&pending, signal) == 1) return true;
  }
  return false;
}

}  // namespace zonecut::slurm
