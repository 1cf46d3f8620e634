#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "importers/outline.hpp"
#include "importers/readers.hpp"
#include "importers/slurm_node_records.hpp"
#include "importers/slurm_outlines.hpp"
#include "importers/source_text.hpp"
#include "zonecut/base/trim.hpp"

namespace zonecut::importers {
namespace {

bool has_none(const SlurmNodeRecord& record) { return record.gpus == 0; }

/// Those that have GPUs; all where Slurm knows of none at all. Throws where a name comes twice.
std::vector<SlurmNodeRecord> servers_of(std::vector<SlurmNodeRecord> records,
                                        ProblemList& problems) {
  if (!std::all_of(records.begin(), records.end(), has_none)) std::erase_if(records, has_none);
  std::unordered_map<std::string_view, const SlurmNodeRecord*> seen;
  for (const SlurmNodeRecord& record : records) {
    const auto [first, is_new] = seen.try_emplace(record.name, &record);
    if (is_new) continue;
    problems.add(record.where, fmt::format("node {} is listed twice, first at {}",
                                           shown(record.name), first->second->where));
  }
  return records;
}

/// YAML's list of topologies begins with a dash; no line of topology.conf does.
bool is_yaml(std::string_view text) {
  Lines lines(text);
  for (Line line; lines.next(line);) {
    const std::string_view words = trimmed(line.text);
    if (!words.empty() && words[0] != '#') return words[0] == '-' || words[0] == '[';
  }
  return false;
}

/// The tree of a file of topology, with those of its servers that the dump knows.
Outline outline_beside(const std::vector<SlurmNodeRecord>& nodes, const ImportOptions& options,
                       ProblemList& problems) {
  const std::string& source = options.topology_source;
  const std::string_view text = checked_text(options.topology_text, source);
  Outline outline = is_yaml(text) ? slurm_yaml_outline(text, source, problems)
                                  : slurm_conf_outline(text, source, problems);
  problems.throw_if_any();
  std::map<std::string, int, std::less<>> gpus;
  for (const SlurmNodeRecord& node : nodes) gpus.emplace(node.name, node.gpus);
  keep_servers(gpus, outline);
  std::set<std::string_view> placed;
  for (const ServerEntry& server : outline.servers) placed.insert(server.name);
  for (const SlurmNodeRecord& node : nodes) {
    if (placed.contains(node.name)) continue;
    problems.add(node.where, fmt::format("node {} stands nowhere in {}", shown(node.name), source),
                 "scontrol show topology prints where every node is");
  }
  return outline;
}

/// "tree:core:leaf,block:b1": the path under the given name, and that of the first entry if empty.
DomainPath path_in(std::string_view topology, std::string& name) {
  while (!topology.empty()) {
    std::string_view entry = topology.substr(0, topology.find(','));
    topology.remove_prefix(std::min(topology.size(), entry.size() + 1));
    const std::size_t colon = std::min(entry.find(':'), entry.size());
    if (name.empty()) name = entry.substr(0, colon);
    if (entry.substr(0, colon) != name) continue;
    DomainPath path;
    for (std::size_t at = colon; at < entry.size();) {
      const std::size_t end = std::min(entry.find(':', at + 1), entry.size());
      path.emplace_back(entry.substr(at + 1, end - at - 1));
      at = end;
    }
    return path;
  }
  return {};
}

/// The tree that the nodes say themselves, in the first of their topologies.
Outline outline_within(const std::vector<SlurmNodeRecord>& nodes, const std::string& source,
                       ProblemList& problems) {
  Outline outline;
  constexpr const char* kHint =
      "give topology.conf, topology.yaml or what scontrol show topology prints with --topology";
  if (std::all_of(nodes.begin(), nodes.end(),
                  [](const SlurmNodeRecord& node) { return node.topology.empty(); })) {
    problems.add(source, "no node says where it stands", kHint);
    problems.throw_if_any();
  }
  std::size_t depth = 0;
  bool one_top = true;
  for (const SlurmNodeRecord& node : nodes) {
    DomainPath path = path_in(node.topology, outline.name);
    const bool is_placed = std::any_of(path.begin(), path.end(),
                                       [](const std::string& name) { return !name.empty(); });
    if (!is_placed) {
      problems.add(node.where,
                   outline.name.empty()
                       ? fmt::format("node {} does not say where it stands", shown(node.name))
                       : fmt::format("node {} does not say where it stands in the topology \"{}\"",
                                     shown(node.name), shown(outline.name)),
                   kHint);
      continue;
    }
    depth = std::max(depth, path.size());
    one_top = one_top && path.size() > 1 &&
              (outline.servers.empty() || path[0] == outline.servers[0].path[0]);
    outline.servers.push_back({std::move(path), node.name, node.gpus, {}, node.where});
  }
  problems.throw_if_any();
  if (one_top && !outline.servers.empty()) {
    outline.name = outline.servers[0].path[0];
    --depth;
  }
  if (depth > kMaxLevels) {
    problems.add(outline.servers[0].where, fmt::format("found {} levels of switches, expected at "
                                                       "most {}",
                                                       depth, kMaxLevels));
    problems.throw_if_any();
  }
  for (ServerEntry& server : outline.servers) {
    if (one_top) server.path.erase(server.path.begin());
    server.path.insert(server.path.begin(), depth - server.path.size(), std::string());
    fill_gaps(server.path);
  }
  outline.levels = neutral_levels(depth);
  return outline;
}

}  // namespace

Cluster read_slurm_nodes(std::string_view text, const std::string& source,
                         const ImportOptions& options) {
  ProblemList problems;
  const std::vector<SlurmNodeRecord> nodes =
      servers_of(slurm_node_records(text, source, problems), problems);
  if (nodes.empty()) problems.add(source, "found no node");
  problems.throw_if_any();
  Outline outline = options.topology_text.empty() ? outline_within(nodes, source, problems)
                                                  : outline_beside(nodes, options, problems);
  return assemble(std::move(outline), options, source, problems);
}

std::vector<std::string> slurm_nodes_left_out(std::string_view text, const std::string& source) {
  ProblemList problems;
  const std::vector<SlurmNodeRecord> records = slurm_node_records(text, source, problems);
  problems.throw_if_any();
  std::vector<std::string> names;
  for (const SlurmNodeRecord& record : records) {
    if (has_none(record)) names.push_back(record.name);
  }
  if (names.size() == records.size()) names.clear();
  return names;
}

ClusterView read_slurm_node_state(std::string_view text, const std::string& source,
                                  const Cluster& cluster) {
  ProblemList problems;
  const std::vector<SlurmNodeRecord> nodes =
      servers_of(slurm_node_records(text, source, problems), problems);
  problems.throw_if_any();
  ClusterView view(cluster);
  std::optional<JobId> holder;
  for (const SlurmNodeRecord& node : nodes) {
    const auto server = cluster.find_server(node.name);
    if (!server) continue;
    view.health.servers[*server] = node.health;
    const int gpus = cluster.server(*server).gpus;
    const auto hold = [&](int gpu) {
      if (!holder) holder = view.occupancy.add_job("jobs of Slurm");
      view.occupancy.hold(*holder, GpuId{*server, gpu});
    };
    for (int gpu = 0; node.held_whole && gpu < gpus; ++gpu) hold(gpu);
    for (const int gpu : node.held) {
      if (gpu < gpus) hold(gpu);
    }
  }
  return view;
}

}  // namespace zonecut::importers
