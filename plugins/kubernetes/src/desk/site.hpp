#pragma once
// The cluster as the engine knows it, and its fabric: from a cluster file whose servers are called
// as the nodes are, or from what the nodes carry. Immutable; a change is a new site.
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "objects/objects.hpp"
#include "zonecut/topology/cluster.hpp"
#include "zonecut/topology/fabric.hpp"
#include "zonecut/topology/import.hpp"

namespace zonecut::kubernetes {

struct Site {
  explicit Site(Cluster cluster);
  Site(const Site&) = delete;
  Site& operator=(const Site&) = delete;
  ~Site() = default;
  const Cluster cluster;
  const Fabric fabric;  ///< borrows the cluster
};

/// What a node says of its place: by its labels, and how many GPUs it was ever seen with.
struct NodePlace {
  const Labels* labels = nullptr;
  int gpus = 0;
};

/// The site that nodes make, in the order of their names: the same that `zonecut topology import`
/// makes of a node list. Nodes without GPUs, and such whose labels do not place them, are left out;
/// the set of labels is one that most of the nodes carry.
/// Null, with the reason in `why`, where none is left or the labels fit no known set.
[[nodiscard]] std::shared_ptr<const Site> site_of(
    const std::map<std::string, NodePlace, std::less<>>& nodes, const ImportOptions& options,
    std::string& why);

}  // namespace zonecut::kubernetes
