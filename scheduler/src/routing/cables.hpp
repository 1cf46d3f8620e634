#pragma once
// The fabric cable by cable: what a hash or a controller chooses between. Links join neighbours by
// several cables; a flow takes one of them.
#include <cstdint>
#include <span>
#include <vector>

#include "zonecut/topology/fabric.hpp"

namespace zonecut {

/// A server's link to the leaf of one of its NICs in a plane. Must not be called where the
/// innermost tier has no switches.
[[nodiscard]] LinkId nic_link(const Fabric& fabric, ServerId server, std::size_t nic,
                              std::size_t plane);

/// Direction of a cable's load.
enum class Way : std::uint8_t { Up, Down };

class Cables {
 public:
  /// O(links). Borrows the fabric.
  explicit Cables(const Fabric& fabric);

  [[nodiscard]] const Fabric& fabric() const { return *fabric_; }
  /// Cables of all links; loads are indexed by load_index, two for each cable.
  [[nodiscard]] std::size_t count() const { return first_.back(); }
  [[nodiscard]] static std::size_t load_index(std::size_t cable, Way way) {
    return 2 * cable + (way == Way::Down ? 1 : 0);
  }
  [[nodiscard]] std::size_t first_cable(LinkId link) const { return first_[link.index()]; }
  [[nodiscard]] LinkId link_of(std::size_t cable) const;
  /// Of one cable and direction, with failures; 0 when down.
  [[nodiscard]] double capacity(std::size_t cable) const { return capacity_[cable]; }

  /// A NIC's port into one plane: the cable to its leaf, and its number among the leaf's ports.
  struct Port {
    std::size_t cable = 0;
    SwitchId leaf{0};
    std::uint32_t number = 0;
  };
  /// NIC n of a server is number server·nics_per_server + n. Empty where the tier has no switches.
  [[nodiscard]] std::span<const Port> ports_of(std::uint32_t nic) const;

  /// NICs on a leaf.
  [[nodiscard]] std::size_t port_count(SwitchId leaf) const { return port_count_[leaf.index()]; }

  /// The links of a switch that lead up, and those that lead down.
  [[nodiscard]] std::span<const LinkId> up_links(SwitchId at) const;
  [[nodiscard]] std::span<const LinkId> down_links(SwitchId at) const;

 private:
  void number_ports();

  const Fabric* fabric_;
  std::vector<std::size_t> first_;         // by link, and one past the last
  std::vector<double> capacity_;           // by cable
  std::vector<std::uint32_t> link_;        // by cable
  std::vector<std::uint32_t> split_;       // by switch: how many of its links lead up
  std::vector<Port> ports_;                // by nic and plane
  std::vector<std::uint32_t> port_count_;  // by switch
  std::size_t planes_ = 1;
};

}  // namespace zonecut
