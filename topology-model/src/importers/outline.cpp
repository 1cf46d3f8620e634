#include "importers/outline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <unordered_map>

#include "level_name.hpp"
#include "zonecut/base/hostlist.hpp"
#include "zonecut/base/text_check.hpp"

namespace zonecut::importers {
namespace {

constexpr std::size_t kMaxNameBytes = 255;

bool has_control_character(std::string_view text) {
  return find_control_character(text, "").has_value();
}

/// A server's name goes into host lists and host files, so it cannot have what separates them.
std::string_view fault_of_server_name(std::string_view name) {
  if (const std::string_view fault = fault_of_domain_name(name); !fault.empty()) return fault;
  if (name.find_first_of(" ,[]\"") != std::string_view::npos)
    return "contains a blank, comma, bracket or quote";
  return {};
}

void check_names(const Outline& outline, const std::string& source, ProblemList& problems) {
  for (const std::string& level : outline.levels) {
    if (const auto fault = fault_of_level_name(level); !fault.empty())
      problems.add(source, fmt::format("the level name \"{}\" {}", shown(level), fault));
  }
  if (has_control_character(outline.name))
    problems.add(source, "the name of the cluster contains a control character");
  const ServerEntry* previous = nullptr;
  std::set<std::string_view> reported;
  for (const ServerEntry& server : outline.servers) {
    if (const auto fault = fault_of_server_name(server.name); !fault.empty())
      problems.add(server.where,
                   fmt::format("the server name \"{}\" {}", shown(server.name), fault));
    if (previous != nullptr && previous->path == server.path) continue;
    previous = &server;
    for (const std::string& name : server.path) {
      const auto fault = fault_of_domain_name(name);
      if (fault.empty()) continue;
      reported.insert(name);
      problems.add(server.where, fmt::format("the name \"{}\" {}", shown(name), fault));
    }
  }
  // Domains without servers have names, too.
  for (const DomainPath& path : outline.domains) {
    for (const std::string& name : path) {
      const auto fault = fault_of_domain_name(name);
      if (!fault.empty() && reported.insert(name).second)
        problems.add(source, fmt::format("the name \"{}\" {}", shown(name), fault));
    }
  }
}

void check_unique(const Outline& outline, ProblemList& problems) {
  std::unordered_map<std::string_view, const ServerEntry*> seen;
  seen.reserve(outline.servers.size());
  for (const ServerEntry& server : outline.servers) {
    const auto [entry, is_new] = seen.try_emplace(server.name, &server);
    if (is_new) continue;
    problems.add(server.where, fmt::format("server {} is listed twice, first at {}",
                                           shown(server.name), entry->second->where));
  }
}

bool path_less(const DomainPath& a, const DomainPath& b) {
  return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(), natural_less);
}

void sort_naturally(Outline& outline) {
  std::sort(outline.domains.begin(), outline.domains.end(), path_less);
  std::sort(outline.servers.begin(), outline.servers.end(),
            [](const ServerEntry& a, const ServerEntry& b) {
              if (a.path != b.path) return path_less(a.path, b.path);
              return natural_less(a.name, b.name);
            });
}

std::string cluster_name(const Outline& outline, const ImportOptions& options) {
  if (!options.cluster_name.empty()) return options.cluster_name;
  return outline.name.empty() ? "cluster" : outline.name;
}

ClusterBuilder filled_builder(const Outline& outline, const ImportOptions& options) {
  ClusterBuilder builder(cluster_name(outline, options), outline.levels);
  if (options.zone_level) builder.zone_level(*options.zone_level);
  for (const DomainPath& path : outline.domains) builder.add_domain(path);
  std::unordered_map<std::string_view, std::uint32_t> scale_up_numbers;
  for (const ServerEntry& server : outline.servers) {
    std::optional<std::uint32_t> scale_up;
    if (!server.scale_up.empty()) {
      const auto next = static_cast<std::uint32_t>(scale_up_numbers.size());
      scale_up = scale_up_numbers.try_emplace(server.scale_up, next).first->second;
    }
    builder.add_server(server.path, server.name,
                       server.gpus > 0 ? server.gpus : options.gpus_per_server, scale_up);
  }
  return builder;
}

/// The GPUs of most servers, which is also their number of NICs in every published fabric.
int usual_gpu_count(const Cluster& cluster) {
  std::vector<int> servers_with(1025, 0);
  for (const ServerId server : cluster.server_ids())
    ++servers_with[static_cast<std::size_t>(cluster.server(server).gpus)];
  return static_cast<int>(std::max_element(servers_with.begin(), servers_with.end()) -
                          servers_with.begin());
}

FabricSpec assumed_backend(const Cluster& cluster, const Outline& outline,
                           const ImportOptions& options) {
  FabricSpec spec =
      FabricSpec::clos(cluster.levels(), cluster.zone_level(), options.oversubscription);
  spec.nics_per_server = usual_gpu_count(cluster);
  spec.nic_bandwidth = options.nic_bandwidth;
  spec.leaves = outline.leaves;
  return spec;
}

}  // namespace

std::string_view fault_of_domain_name(std::string_view name) {
  if (name.empty()) return "is empty";
  if (name.size() > kMaxNameBytes) return "is longer than 255 bytes";
  if (has_control_character(name)) return "contains a control character";
  if (name.find('/') != std::string_view::npos) return "contains a '/'";
  return {};
}

std::string shown(std::string_view name) {
  const std::string_view most = name.substr(0, 64);
  return harmless(most) + (most.size() < name.size() ? "..." : "");
}

Cluster assemble(Outline outline, const ImportOptions& options, const std::string& source,
                 ProblemList& problems) {
  if (outline.servers.size() > kMaxServers) {
    problems.add(source, fmt::format("found {} servers, expected at most {}",
                                     outline.servers.size(), kMaxServers));
  }
  check_names(outline, source, problems);
  check_unique(outline, problems);
  problems.throw_if_any();
  if (outline.servers.empty()) {
    problems.add(source, "found no server");
    problems.throw_if_any();
  }
  if (outline.order == Outline::Order::Natural) sort_naturally(outline);
  ClusterBuilder builder = filled_builder(outline, options);
  // The specification needs to know which level the builder takes for the zones.
  FabricSpec backend = assumed_backend(builder.build(), outline, options);
  if (outline.measure) outline.measure(backend);
  builder.backend(std::move(backend));
  return builder.build();
}

std::vector<std::string> neutral_levels(std::size_t count) {
  std::vector<std::string> levels;
  for (std::size_t i = 1; i + 2 <= count; ++i) levels.push_back(fmt::format("level-{}", i));
  if (count >= 2) levels.emplace_back("zone");
  if (count >= 1) levels.emplace_back("rack");
  return levels;
}

void fill_gaps(DomainPath& path) {
  for (std::size_t i = path.size(); i-- > 1;) {
    if (path[i - 1].empty()) path[i - 1] = path[i];
  }
  for (std::size_t i = 1; i < path.size(); ++i) {
    if (path[i].empty()) path[i] = path[i - 1];
  }
}

std::vector<std::string> hosts_of(std::string_view list, const std::string& where,
                                  std::size_t& budget, ProblemList& problems) {
  try {
    std::vector<std::string> names = expand_hostlist(list, where, budget);
    budget -= std::min(budget, names.size());
    return names;
  } catch (const InputError& error) {
    for (const Problem& problem : error.problems())
      problems.add(problem.where, problem.what, problem.hint);
    return {};
  }
}

}  // namespace zonecut::importers
