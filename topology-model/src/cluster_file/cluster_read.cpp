#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "cluster_file/domain_rows.hpp"
#include "cluster_file/fabric_section.hpp"
#include "cluster_file/file_format.hpp"
#include "zonecut/base/document.hpp"
#include "zonecut/topology/cluster_file.hpp"

namespace zonecut {
namespace {

/// Throws InputError where the levels cannot be used: the rest of the file hangs on them.
std::vector<std::string> read_levels(Fields& fields) {
  const Value* value = fields.find("levels");
  if (value == nullptr) return {"zone", "rack"};
  std::vector<std::string> levels = fields.texts("levels");
  fields.problems().throw_if_any();
  for (const std::string& level : levels) {
    if (is_row_key(level) || level == "n" || level == "number" || level.size() > kLongestName ||
        level.find_first_of("{}/") != std::string::npos) {
      throw InputError(fields.where(*value),
                       fmt::format("\"{}\" cannot be the name of a level", level.substr(0, 60)),
                       "that word has another meaning in this file");
    }
  }
  return levels;
}

ClusterBuilder make_builder(const Fields& fields, const std::string& where_levels, std::string name,
                            const std::vector<std::string>& levels) {
  try {
    return ClusterBuilder(std::move(name), levels);
  } catch (const InputError& error) {
    throw InputError(where_levels.empty() ? fields.where() : where_levels,
                     error.problems().front().what);
  }
}

/// The same choice as ClusterBuilder's where the file says nothing.
int read_zone_level(Fields& fields, std::span<const std::string> all_levels,
                    ClusterBuilder& builder) {
  const int innermost = static_cast<int>(all_levels.size()) - 1;
  const auto index_of = [&](std::string_view name) -> std::optional<int> {
    const auto found = std::find(all_levels.begin() + 1, all_levels.end(), name);
    if (found == all_levels.end()) return std::nullopt;
    return static_cast<int>(found - all_levels.begin());
  };
  const int fallback = index_of("zone").value_or(std::max(1, innermost - 1));
  const std::vector<std::string_view> choices(all_levels.begin() + 1, all_levels.end());
  const std::size_t chosen =
      fields.choice("zone_level", choices, static_cast<std::size_t>(fallback - 1));
  builder.zone_level(choices[chosen]);
  return static_cast<int>(chosen) + 1;
}

/// A fabric of few lines may stand for more switches than memory holds.
void check_size(const Cluster& cluster, const FabricSpec& spec, const std::string& where) {
  const auto planes = static_cast<std::size_t>(spec.planes);
  std::size_t switches = 0;
  std::size_t cables =
      cluster.server_count() * static_cast<std::size_t>(spec.nics_per_server) * planes;
  for (std::size_t level = 0; level < spec.tiers.size(); ++level) {
    const std::size_t here = cluster.domains_at(static_cast<int>(level)).size() *
                             static_cast<std::size_t>(spec.tiers[level].switches) * planes;
    switches += here;
    cables += here * static_cast<std::size_t>(spec.tiers[level].uplinks);
  }
  if (switches > kMostSwitches || cables > kMostCables) {
    throw InputError(where, fmt::format("the fabric has {} switches and {} cables, expected at "
                                        "most {} and {}",
                                        switches, cables, kMostSwitches, kMostCables));
  }
}

void read_fabrics(Fields& fields, const FabricLevels& levels, ClusterBuilder& builder) {
  if (const Value* section = fields.find("backend")) {
    builder.backend(
        read_fabric(fields.document(), *section, levels, Network::Backend, fields.problems()));
  } else {
    builder.backend(default_fabric(levels, Network::Backend));
  }
  if (const Value* section = fields.find("frontend")) {
    builder.frontend(
        read_fabric(fields.document(), *section, levels, Network::Frontend, fields.problems()));
  }
}

std::string where_of(Fields& fields, std::string_view key) {
  const Value* value = fields.find(key);
  return value != nullptr ? fields.where(*value) : fields.where();
}

/// The builder's complaints lack a place: what is left for it to say is about all rows together.
Cluster build(ClusterBuilder& builder, Fields& fields) {
  try {
    return builder.build();
  } catch (const InputError& error) {
    const Problem& problem = error.problems().front();
    throw InputError(where_of(fields, "domains"), problem.what, problem.hint);
  }
}

}  // namespace

Cluster parse_cluster(std::string_view text, const std::string& source) {
  const Document document = parse_document(text, source);
  ProblemList problems;
  Fields fields(document, document.root, problems);
  problems.throw_if_any();
  require_format(fields, "cluster/v1");
  const std::vector<std::string> levels = read_levels(fields);
  const Value* where_levels = fields.find("levels");
  std::string name = fields.find("name") != nullptr ? fields.required_text("name") : "cluster";
  ClusterBuilder builder = make_builder(
      fields, where_levels != nullptr ? fields.where(*where_levels) : "", std::move(name), levels);

  std::vector<std::string> all_levels = {"cluster"};
  all_levels.insert(all_levels.end(), levels.begin(), levels.end());
  const int zone_level = read_zone_level(fields, all_levels, builder);
  read_fabrics(fields, {all_levels, zone_level}, builder);
  const RowDefaults defaults =
      read_row_defaults(fields, levels, {8, 0, ServerNames::standard(levels)});
  if (const Value* rows = fields.require("domains"))
    DomainRows(document, levels, builder, problems).read(*rows, defaults);
  fields.finish();
  throw_in_order(problems);
  Cluster cluster = build(builder, fields);
  check_size(cluster, cluster.backend(), where_of(fields, "backend"));
  if (cluster.frontend()) check_size(cluster, *cluster.frontend(), where_of(fields, "frontend"));
  return cluster;
}

Cluster load_cluster(const std::string& path) { return parse_cluster(read_file(path), path); }

}  // namespace zonecut
