#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "cluster_file/domain_rows.hpp"
#include "cluster_file/fabric_section.hpp"
#include "cluster_file/file_format.hpp"
#include "fabric_switches.hpp"
#include "zonecut/base/document.hpp"
#include "zonecut/base/gather_document.hpp"
#include "zonecut/topology/cluster_file.hpp"

namespace zonecut {
namespace {

void add_all(ProblemList& problems, const InputError& error, const std::string& where = {}) {
  for (const Problem& problem : error.problems())
    problems.add(where.empty() ? problem.where : where, problem.what, problem.hint);
}

/// None where the levels cannot be used; the rest of the file hangs on them.
std::optional<ClusterBuilder> read_levels(Fields& fields, std::string name,
                                          std::vector<std::string>& levels) {
  const Value* value = fields.find("levels");
  if (value == nullptr) {
    levels = {"zone", "rack"};
    return ClusterBuilder(std::move(name), levels);
  }
  ProblemList own;
  const Value& root = fields.document().root;
  levels = Fields(fields.document(), root, own).texts("levels");
  try {
    own.throw_if_any();
    return ClusterBuilder(std::move(name), levels);
  } catch (const InputError& error) {
    add_all(fields.problems(), error, own.empty() ? fields.where(*value) : "");
    return std::nullopt;
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
  try {
    check_fabric_spec(cluster, spec);
  } catch (const InputError& error) {
    throw InputError(where, to_text(error.problems().front()));
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
    if (section->kind == Value::Kind::Null) {
      fields.problems().add(fields.where(*section), "found nothing under \"frontend\"",
                            "{} is one as usual; without the key there is none");
    }
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
  ProblemList problems;
  const Document document = gather_document(text, source, problems);
  Fields fields(document, document.root, problems);
  if (document.root.kind != Value::Kind::Mapping && document.root.kind != Value::Kind::Null)
    throw_in_order(problems);
  require_format(fields, "cluster/v1");
  std::string name = fields.find("name") != nullptr ? fields.required_name("name") : "cluster";
  std::vector<std::string> levels;
  std::optional<ClusterBuilder> begun = read_levels(fields, std::move(name), levels);
  if (!begun) throw_in_order(problems);
  ClusterBuilder& builder = begun.value();

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
