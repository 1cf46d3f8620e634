// Placements as launchers read them. Names go into files and command lines unquoted, so only names
// that mean themselves there are let through.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "zonecut/base/error.hpp"
#include "zonecut/scheduler/report.hpp"

namespace zonecut {
namespace {

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '_' || c == '.';
}

const std::string& launchable_name(const Cluster& cluster, ServerId id) {
  const std::string& name = cluster.server(id).name;
  if (name.front() == '-' || !std::all_of(name.begin(), name.end(), is_plain)) {
    throw InputError("server", fmt::format("\"{}\" cannot stand in a host list", name),
                     "letters, digits, '-', '_' and '.' only");
  }
  return name;
}

}  // namespace

std::string write_hostfile(const Cluster& cluster, const Placement& placement) {
  // Without slots Open MPI takes as many ranks to a server as it has cores, and DeepSpeed refuses
  // the line. Neighbours of one name are one line: DeepSpeed takes no host twice.
  std::string out;
  for (auto first = placement.gpus.begin(); first != placement.gpus.end();) {
    const auto end = std::find_if(first, placement.gpus.end(),
                                  [&](GpuId gpu) { return gpu.server != first->server; });
    fmt::format_to(std::back_inserter(out), "{} slots={}\n",
                   launchable_name(cluster, first->server), end - first);
    first = end;
  }
  return out;
}

std::string write_rankfile(const Cluster& cluster, const Placement& placement) {
  std::string out;
  for (std::size_t rank = 0; rank < placement.gpus.size(); ++rank) {
    const GpuId gpu = placement.gpus[rank];
    fmt::format_to(std::back_inserter(out), "rank {}={} slot={}\n", rank,
                   launchable_name(cluster, gpu.server), gpu.index);
  }
  return out;
}

std::string write_slurm_options(const Cluster& cluster, const Placement& placement) {
  std::string out = "--nodelist=";
  for (std::size_t rank = 0; rank < placement.gpus.size(); ++rank) {
    if (rank > 0) out += ',';
    out += launchable_name(cluster, placement.gpus[rank].server);
  }
  return out + " --distribution=arbitrary\n";
}

}  // namespace zonecut
