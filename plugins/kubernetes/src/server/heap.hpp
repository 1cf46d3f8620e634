#pragma once
// The memory of the process.

namespace zonecut::kubernetes {

/// Gives what was freed to the system, which glibc else keeps for the next such use.
void give_memory_back();

}  // namespace zonecut::kubernetes
