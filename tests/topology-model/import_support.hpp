#pragma once
// What the tests of the importers share: short calls, clusters written as one line per rack, and
// the real files, which are read in place.
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/catch.hpp"
#include "zonecut/base/document.hpp"
#include "zonecut/base/error.hpp"
#include "zonecut/topology/import.hpp"

namespace zonecut {

/// "zone/rack: s1 s2", one line for each innermost domain in depth-first order.
inline std::string drawing(const Cluster& cluster) {
  std::string text;
  for (const DomainId id : cluster.domains_at(cluster.rack_level())) {
    const Domain& rack = cluster.domain(id);
    text += cluster.path(id) + ":";
    for (std::size_t i = 0; i < rack.server_count; ++i)
      text += " " + cluster.server(ServerId{rack.first_server + i}).name;
    text += "\n";
  }
  return text;
}

inline std::vector<std::string> levels(const Cluster& cluster) {
  return {cluster.levels().begin(), cluster.levels().end()};
}

inline Cluster import_text(TopologyFormat format, std::string_view text,
                           const ImportOptions& options = {}) {
  return import_topology(format, text, "file", options);
}

/// Every mistake as "where: what (hint)"; a text without one fails the test.
inline std::string mistakes(TopologyFormat format, std::string_view text,
                            const ImportOptions& options = {}) {
  try {
    (void)import_text(format, text, options);
  } catch (const InputError& error) {
    return error.what();
  }
  FAIL("the text was read without a complaint");
  return {};
}

/// A real file of the shared data; none, with a warning, where it is absent.
inline std::optional<std::string> shared_text(const std::string& path) {
  const std::string full = std::string(ZONECUT_SHARED_DATA) + "/" + path;
  if (std::filesystem::exists(full)) return read_file(full);
  WARN("skipped: there is no " << full);
  return std::nullopt;
}

/// Servers below each domain of a level, in depth-first order.
inline std::vector<std::size_t> server_counts(const Cluster& cluster, int level) {
  std::vector<std::size_t> counts;
  for (const DomainId id : cluster.domains_at(level))
    counts.push_back(cluster.domain(id).server_count);
  return counts;
}

}  // namespace zonecut
