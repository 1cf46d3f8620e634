#pragma once
// Whether zones must hold as much as they can.

namespace zonecut {

enum class Filling {
  Full,  ///< every zone holds as many vertices as it can
  Open,  ///< or fewer, or none
};

}  // namespace zonecut
