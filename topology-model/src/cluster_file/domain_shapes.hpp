#pragma once
// Which domains of a cluster look alike, so that a row of a file can stand for all of them. Two
// domains have the same shape when their children have the same names and shapes in the same order,
// or, innermost, the same number of servers with the same GPUs and scale-up groups; the names of
// servers do not count. Linear in the cluster but for a sorted table. Private to the topology
// model.
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "zonecut/topology/cluster.hpp"

namespace zonecut {

/// The servers of an innermost domain, when one row can say them.
struct RackShape {
  bool regular = true;       ///< equal GPUs; groups, if any, of consecutive servers
  int gpus = 0;              ///< 0 without servers
  std::size_t scale_up = 0;  ///< servers in a group, 0 without groups
};

class DomainShapes {
 public:
  explicit DomainShapes(const Cluster& cluster);
  [[nodiscard]] bool alike(DomainId a, DomainId b) const { return shape_[a] == shape_[b]; }
  [[nodiscard]] RackShape rack(DomainId id) const;

 private:
  std::size_t shape_of(DomainId id);
  std::size_t number_of_name(const std::string& name);
  [[nodiscard]] bool is_group(std::size_t first, std::size_t end) const;

  const Cluster& cluster_;
  IdMap<DomainId, std::size_t> shape_;
  std::map<std::uint32_t, std::size_t> group_size_;  // by scale-up number
  std::map<std::vector<std::size_t>, std::size_t> number_by_shape_;
  std::map<std::string, std::size_t> number_by_name_;
};

}  // namespace zonecut
