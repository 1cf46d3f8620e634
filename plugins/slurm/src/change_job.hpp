#pragma once
// Changes to a pending job, made only where it still is as it was when they were thought of.
#include <span>
#include <stdexcept>
#include <string>

namespace zonecut::slurm {

/// slurmctld does not take the change.
class Refused : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The job begins, is gone, or has been changed by somebody else.
class Overtaken : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Applies words to a job, or to a task of an array ("17_3"), all at once:
///   was-nodes=TEXT    its required nodes must still be these
///   was-begin=SECONDS its begin likewise
///   nodes=HOSTS       the nodes it requires from now on; empty: none
///   begin=SECONDS     since 1970
///   order=HOSTS       the word zonecut-order in AdminComment; empty: none
///   lease=            takes the word zonecut-lease out of both comments
/// Other words of the comments stay as they are at this moment, byte for byte. Throws
/// std::invalid_argument on a word it does not know, Refused, Overtaken, and std::runtime_error
/// where slurmctld does not answer.
void change_job(const std::string& job, std::span<char* const> words);

}  // namespace zonecut::slurm
