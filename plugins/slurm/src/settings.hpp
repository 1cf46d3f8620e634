#pragma once
// What the plugin was told: by the administrator in plugstack.conf, by the user's environment, and
// by options, each over the one before.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bounded_run.hpp"

namespace zonecut::slurm {

/// How the order is put into effect.
enum class Method {
  Auto,      ///< srun's options where they can be reached, else a host file
  Options,   ///< srun's options
  HostFile,  ///< SLURM_HOSTFILE, before srun has read its options
};

struct Settings {
  bool order = true;               ///< put the ranks of steps in order
  bool place = false;              ///< have the placer choose the servers of jobs
  std::chrono::seconds lease{30};  ///< how long a job waits for the placer at most
  std::string job;                 ///< what the job sends; empty: unknown
  std::string program;             ///< the zonecut to ask
  std::string cluster;             ///< cluster file; empty: `topology`, else Slurm's own
  std::string topology;            ///< topology.conf or topology.yaml
  Method method = Method::Auto;
  Bounds bounds;
};

/// One word of plugstack.conf, such as "timeout=500". What is wrong with it, or nothing.
[[nodiscard]] std::optional<std::string> take_word(std::string_view word, Settings& settings);

/// The value of --zonecut (none: given without one) and of SLURM_ZONECUT. What is wrong with it, or
/// nothing.
[[nodiscard]] std::optional<std::string> take_mode(std::string_view mode, Settings& settings);

/// "srun" where the path, or what it links to, is a program of Slurm's, which would not answer but
/// start a step, or a job, of its own; empty for any other.
[[nodiscard]] std::string name_within_slurm(const std::string& program);

/// The file that says Slurm's own topology, beside slurm.conf; none where there is none.
[[nodiscard]] std::optional<std::string> own_topology_file();

}  // namespace zonecut::slurm
