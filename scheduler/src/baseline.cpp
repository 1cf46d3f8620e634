#include "zonecut/scheduler/baseline.hpp"

#include <array>

namespace zonecut {
namespace {

struct Entry {
  Baseline baseline;
  std::string_view name;
  std::string_view summary;
};

constexpr std::array kEntries = {
    Entry{Baseline::SlurmTree, "slurm-tree",
          "Slurm topology/tree: smallest switch that fits, ranks by server name"},
    Entry{Baseline::SlurmBlock, "slurm-block",
          "Slurm topology/block: tightest block of racks, ranks by server name"},
    Entry{Baseline::Linear, "linear", "first free servers by name, ranks in that order"},
    Entry{Baseline::Kubernetes, "kubernetes",
          "kube-scheduler's default profile: pods one by one, spread apart"},
    Entry{Baseline::BestFit, "best-fit", "zones with the least sufficient room first"},
    Entry{Baseline::Random, "random", "free servers and ranks at random"},
    Entry{Baseline::ZoneSorted, "zone-sorted", "fewest zones, servers sorted by zone and rack"},
    Entry{Baseline::Arnold, "arnold",
          "Arnold's objective: few zones for each DP and each PP group"},
    Entry{Baseline::Framework, "framework", "zonecut's servers, ranks in order of server name"},
    Entry{Baseline::DlroverRerank, "dlrover",
          "zonecut's servers, reordered by DLRover's published rule"},
};

}  // namespace

std::string_view baseline_name(Baseline baseline) {
  for (const Entry& entry : kEntries) {
    if (entry.baseline == baseline) return entry.name;
  }
  return "";
}

std::string_view baseline_summary(Baseline baseline) {
  for (const Entry& entry : kEntries) {
    if (entry.baseline == baseline) return entry.summary;
  }
  return "";
}

std::optional<Baseline> find_baseline(std::string_view name) {
  for (const Entry& entry : kEntries) {
    if (entry.name == name) return entry.baseline;
  }
  return std::nullopt;
}

bool chooses_servers(Baseline baseline) {
  return baseline != Baseline::Framework && baseline != Baseline::DlroverRerank;
}

}  // namespace zonecut
