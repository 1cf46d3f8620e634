#pragma once
// What a fuzz target defines; libFuzzer or replay_main.cpp calls it. Any exception but the one
// caught inside, any failed require and any report of a sanitizer is a defect.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size);

namespace zonecut::fuzz {

inline std::string_view text_of(const std::uint8_t* bytes, std::size_t size) {
  return {reinterpret_cast<const char*>(bytes), size};
}

/// Ends the run where a promise of the interface is broken.
inline void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace zonecut::fuzz
