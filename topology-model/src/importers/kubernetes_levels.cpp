#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "importers/node_labels.hpp"
#include "zonecut/base/error.hpp"
#include "zonecut/topology/cluster.hpp"
#include "zonecut/topology/import.hpp"

namespace zonecut {
namespace {

/// The builder says what a cluster's levels can be.
std::vector<std::string> levels_of(const std::vector<std::string>& keys) {
  std::vector<std::string> names;
  for (importers::LabelLevel& level : importers::label_set(keys))
    names.push_back(std::move(level.level));
  (void)ClusterBuilder("cluster", names);
  return names;
}

}  // namespace

void check_kubernetes_levels(const ImportOptions& options) {
  const bool said = !options.level_labels.empty();
  const std::vector<std::string> levels =
      said ? levels_of(options.level_labels) : importers::known_levels();
  if (!options.zone_level || std::ranges::count(levels, *options.zone_level) > 0) return;
  throw InputError(
      "zone_level", fmt::format("there is no level \"{}\"", *options.zone_level),
      fmt::format("the levels {}are {}", said ? "" : "of known labels ", fmt::join(levels, ", ")));
}

}  // namespace zonecut
