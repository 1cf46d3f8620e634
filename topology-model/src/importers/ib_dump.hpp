#pragma once
// The text of ibnetdiscover, taken apart: switches, host adapters and the cables at the ports of
// the switches. What they mean for a cluster is ib_fabric.hpp's matter.
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "zonecut/base/error.hpp"
#include "zonecut/base/units.hpp"

namespace zonecut::importers {

/// A cable as one of its switches sees it.
struct IbCable {
  bool to_switch = false;
  std::size_t peer = 0;                ///< index of the switch or adapter
  std::optional<BytesPerSecond> rate;  ///< per direction; none: a speed that is not known
};

struct IbSwitch {
  std::string name;  ///< unique; from the description, or the GUID where that says nothing
  std::string where;
  std::vector<IbCable> cables;
};

struct IbAdapter {
  std::string host;  ///< empty: the description does not name a server
  std::string where;
  bool is_server = true;  ///< false: an aggregation engine inside a switch
};

struct IbDump {
  std::vector<IbSwitch> switches;
  std::vector<IbAdapter> adapters;
};

/// Reports lines that ibnetdiscover does not write, of those before any switch or adapter the
/// first, switches described twice, and cables to a switch that the dump does not describe.
/// O(bytes).
[[nodiscard]] IbDump parse_ib_dump(std::string_view text, const std::string& source,
                                   ProblemList& problems);

/// "4xNDR": 400 Gbps. None when the width or the speed is not known.
[[nodiscard]] std::optional<BytesPerSecond> ib_rate(std::string_view text);

}  // namespace zonecut::importers
