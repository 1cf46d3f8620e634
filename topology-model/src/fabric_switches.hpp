#pragma once
// Which switches a specification gives a cluster, and how they are numbered: domain by domain in
// depth-first order, within a domain plane by plane. So the switches of one domain are one range of
// ids.
#include <optional>
#include <vector>

#include "zonecut/topology/cluster.hpp"
#include "zonecut/topology/fabric.hpp"

namespace zonecut {

class SwitchNumbering {
 public:
  SwitchNumbering(const Cluster& cluster, const FabricSpec& spec);

  [[nodiscard]] std::size_t count() const noexcept { return first_.back(); }
  [[nodiscard]] std::size_t first(DomainId domain) const { return first_[domain.index()]; }
  [[nodiscard]] std::size_t count(DomainId domain) const {
    return first_[domain.index() + 1] - first_[domain.index()];
  }
  [[nodiscard]] SwitchId id(DomainId domain, int plane, int index) const {
    return SwitchId{first(domain) + static_cast<std::size_t>(plane) * count(domain) / planes_ +
                    static_cast<std::size_t>(index)};
  }
  /// None when the specification has no such switch.
  [[nodiscard]] std::optional<SwitchId> find(const SwitchRef& ref) const;

 private:
  std::size_t planes_;
  std::vector<std::size_t> first_;  // by domain, and one past the last
};

/// Throws InputError where the specification does not describe this cluster, is out of range, or
/// asks for more switches and links than a machine should hold.
void check_fabric_spec(const Cluster& cluster, const FabricSpec& spec);

[[nodiscard]] std::vector<Switch> make_switches(const Cluster& cluster, const FabricSpec& spec);

}  // namespace zonecut
