#pragma once
// The sections `backend` and `frontend` of a cluster file. Private to the topology model.
#include <span>
#include <string>

#include "zonecut/base/document.hpp"
#include "zonecut/topology/fabric_spec.hpp"

namespace zonecut {

/// Which levels a fabric has tiers for, and where the AI Zones are among them.
struct FabricLevels {
  std::span<const std::string> names;  ///< "cluster" first
  int zone_level = 1;
};

enum class Network { Backend, Frontend };

/// What holds where a section, or a key in it, is absent: FabricSpec::clos at 7:1; one NIC a server
/// in the frontend.
[[nodiscard]] FabricSpec default_fabric(const FabricLevels& levels, Network network,
                                        double oversubscription = 7);
[[nodiscard]] FabricSpec read_fabric(const Document& document, const Value& section,
                                     const FabricLevels& levels, Network network,
                                     ProblemList& problems);
/// The section under its key: the bandwidth of a NIC, and of the rest only what differs from the
/// defaults.
[[nodiscard]] std::string write_fabric(const FabricSpec& spec, const FabricLevels& levels,
                                       Network network);

}  // namespace zonecut
