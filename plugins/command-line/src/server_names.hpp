#pragma once
// Servers as people and launchers name them: lists, Slurm ranges, host files.
#include <string>
#include <string_view>
#include <vector>

#include "zonecut/topology/cluster.hpp"

namespace zonecut::cli {

/// "gpu1,gpu7", "gpu[001-016]" or "@FILE" with such texts on its lines (# starts a comment;
/// slots=N may follow and does not matter). In the order given, repeats kept. Throws InputError
/// that names every unknown server.
[[nodiscard]] std::vector<ServerId> read_servers(const Cluster& cluster, const std::string& text,
                                                 const std::string& option);
/// The FILE of "@FILE"; empty where the text names servers itself.
[[nodiscard]] std::string file_of_servers(std::string_view text);

/// The servers of a host file, one entry for `ranks_per_server` consecutive ranks. A line names one
/// or several servers; "slots=N" after it (Open MPI) says how many ranks each takes. A file with
/// one line for each rank is understood too. Throws InputError with the line.
[[nodiscard]] std::vector<ServerId> read_order(const Cluster& cluster, const std::string& path,
                                               std::size_t ranks, std::size_t ranks_per_server);

}  // namespace zonecut::cli
