#pragma once
// What our own files share: the line that says what a file is, and limits that keep a short file
// from asking for a huge cluster. Private to the topology model.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "zonecut/base/document.hpp"

namespace zonecut {

inline constexpr std::size_t kMostServers = 1'000'000;
inline constexpr std::size_t kMostDomains = 1'000'000;
inline constexpr std::size_t kMostSwitches = 1'000'000;
inline constexpr std::size_t kMostCables = 50'000'000;
inline constexpr std::int64_t kMostGpusOfServer = 1024;  // as ClusterBuilder has it
inline constexpr std::int64_t kMostNics = 1024;          // of a server
inline constexpr std::int64_t kMostSwitchesOfDomain = 4096;
inline constexpr std::int64_t kMostUplinks = 65536;  // of a switch
/// Of a domain or server, in bytes; a DNS name has at most 253.
inline constexpr std::size_t kLongestName = 255;

/// As Fields::refuse_other_format, also where the document does not say what it is.
void require_format(Fields& fields, std::string_view format);

/// As ProblemList::throw_if_any, the problems sorted by line and column: a reader goes through a
/// file, while we take it apart by keys.
void throw_in_order(const ProblemList& problems);

}  // namespace zonecut
