#pragma once
// 128-bit integers for sums and products that may pass 63 bits before they are checked. A
// compiler's extension (gcc, clang).

namespace zonecut {

__extension__ using Int128 = __int128;
__extension__ using UInt128 = unsigned __int128;

}  // namespace zonecut
