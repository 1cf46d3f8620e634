#pragma once
// What people call servers, GPUs, switches, links and domains in a change.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "zonecut/topology/fabric_spec.hpp"
#include "zonecut/topology/state.hpp"

namespace zonecut {

/// One thing of the hardware: both ends of a link, all servers and switches of a domain.
struct HardwarePart {
  std::vector<ServerId> servers;
  std::vector<GpuId> gpus;
  std::vector<SwitchRef> switches;
  std::vector<LinkFault> links;
};

/// Borrows all three; `where` says whose text it is, for messages.
class HardwareNames {
 public:
  HardwareNames(const Cluster& cluster, const FabricSpec& fabric, const std::string& where)
      : cluster_(cluster), fabric_(fabric), where_(where) {}

  /// By one name or a list of them. A server's own name goes before what else may be called so.
  /// Throws InputError where there is nothing of that name.
  [[nodiscard]] HardwarePart part(std::string_view said) const;
  /// With nothing remaining. Throws InputError where the two are not joined.
  [[nodiscard]] LinkFault link(std::string_view one, std::string_view other) const;

 private:
  [[noreturn]] void refuse(std::string what, std::string hint) const;
  [[nodiscard]] std::optional<HardwarePart> servers(std::string_view name) const;
  [[nodiscard]] std::optional<HardwarePart> gpu(std::string_view name) const;
  [[nodiscard]] std::optional<HardwarePart> domain(std::string_view name) const;
  [[nodiscard]] bool is_within(DomainId inner, DomainId outer) const;
  [[nodiscard]] LinkEnd end(std::string_view said) const;

  const Cluster& cluster_;
  const FabricSpec& fabric_;
  const std::string& where_;
};

}  // namespace zonecut
