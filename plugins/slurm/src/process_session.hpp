#pragma once
// Who lives in a session: what a program has started, whatever process groups that has made, but
// for what has left the session. Throws nothing but for want of memory, and needs nothing but libc
// and /proc; where that is not mounted, or has the numbers of another namespace of processes,
// nobody seems to live.
#include <sys/types.h>

#include <vector>

namespace zonecut::slurm {

struct SessionProcess {
  pid_t number = 0;
  pid_t group = 0;
};

/// Zombies do not live. One look at every process of the machine: milliseconds.
[[nodiscard]] std::vector<SessionProcess> living_in_session(pid_t session);

}  // namespace zonecut::slurm
