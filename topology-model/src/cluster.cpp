#include "zonecut/topology/cluster.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>

#include "level_name.hpp"
#include "zonecut/base/error.hpp"

namespace zonecut {

std::optional<int> Cluster::find_level(std::string_view name) const {
  const auto found = std::find(levels_.begin(), levels_.end(), name);
  if (found == levels_.end()) return std::nullopt;
  return static_cast<int>(found - levels_.begin());
}

DomainId Cluster::ancestor(DomainId id, int level) const {
  ZONECUT_ENSURES(level >= 0 && level <= domains_[id].level);
  while (domains_[id].level > level) id = *domains_[id].parent;
  return id;
}

std::string Cluster::path(DomainId id) const {
  std::string path;
  for (const Domain* domain = &domains_[id]; domain->parent; domain = &domains_[*domain->parent]) {
    if (!path.empty()) path.insert(0, 1, '/');
    path.insert(0, domain->name);
  }
  return path;
}

std::optional<DomainId> Cluster::find_domain(std::string_view wanted) const {
  std::optional<DomainId> found;
  for (std::size_t i = 1; i < domains_.size(); ++i) {
    if (!wanted.ends_with(domains_[DomainId{i}].name)) continue;  // spares most of the paths
    const std::string full = path(DomainId{i});
    if (full == wanted) return DomainId{i};
    const bool is_suffix = full.size() > wanted.size() && full.ends_with(wanted) &&
                           full[full.size() - wanted.size() - 1] == '/';
    if (!is_suffix) continue;
    if (found) return std::nullopt;  // two domains answer to it
    found = DomainId{i};
  }
  return found;
}

std::optional<ServerId> Cluster::find_server(std::string_view name) const {
  const auto found = server_by_name_.find(name);
  return found == server_by_name_.end() ? std::nullopt : std::optional(found->second);
}

int Cluster::common_level(ServerId a, ServerId b) const {
  DomainId x = servers_[a].rack;
  DomainId y = servers_[b].rack;
  while (x != y) {
    x = *domains_[x].parent;
    y = *domains_[y].parent;
  }
  return domains_[x].level;
}

ClusterBuilder::ClusterBuilder(std::string name, std::vector<std::string> levels)
    : name_(std::move(name)), levels_(std::move(levels)) {
  if (levels_.empty() || levels_.size() > 6)
    throw InputError("levels", "a cluster has one to six levels");
  for (std::size_t i = 0; i < levels_.size(); ++i) {
    if (const auto fault = fault_of_level_name(levels_[i]); !fault.empty()) {
      throw InputError("levels", fmt::format("\"{}\" cannot be the name of a level: it {}",
                                             levels_[i].substr(0, 60), fault));
    }
    if (std::find(levels_.begin(), levels_.begin() + static_cast<std::ptrdiff_t>(i), levels_[i]) !=
        levels_.begin() + static_cast<std::ptrdiff_t>(i)) {
      throw InputError("levels", fmt::format("level \"{}\" is named twice", levels_[i]));
    }
  }
}

ClusterBuilder& ClusterBuilder::zone_level(std::string_view name) {
  zone_level_ = name;
  return *this;
}

ClusterBuilder& ClusterBuilder::backend(FabricSpec spec) {
  backend_ = std::move(spec);
  return *this;
}

ClusterBuilder& ClusterBuilder::frontend(FabricSpec spec) {
  frontend_ = std::move(spec);
  return *this;
}

std::size_t ClusterBuilder::node_at(std::span<const std::string> path) {
  std::size_t node = 0;
  for (const std::string& name : path) {
    if (name.empty() || name.find('/') != std::string::npos) {
      throw InputError("domain", fmt::format("\"{}\" cannot be the name of a domain", name),
                       "a name without '/'");
    }
    const auto [entry, is_new] = nodes_[node].child_by_name.try_emplace(name, nodes_.size());
    const std::size_t child = entry->second;
    if (is_new) {
      nodes_[node].children.push_back(child);
      nodes_.push_back(Node{name, {}, {}, {}});
    }
    node = child;
  }
  return node;
}

ClusterBuilder& ClusterBuilder::add_server(std::span<const std::string> path, std::string name,
                                           int gpus, std::optional<std::uint32_t> scale_up) {
  ZONECUT_ENSURES(path.size() == levels_.size());
  if (name.empty()) throw InputError("server", "a server needs a name");
  if (gpus < 1 || gpus > 1024)
    throw InputError("server",
                     fmt::format("server {} has {} GPUs, expected 1 to 1024", name, gpus));
  if (!seen_servers_.insert(name).second) {
    throw InputError("server", fmt::format("server {} is listed twice", name),
                     "the name of a server is unique in the cluster");
  }
  gpus_ += static_cast<std::size_t>(gpus);
  if (gpus_ > kMostGpus) {
    throw InputError(
        "server", fmt::format("with server {} the cluster has more than {} GPUs", name, kMostGpus));
  }
  nodes_[node_at(path)].servers.push_back(Server{std::move(name), DomainId{0}, gpus, scale_up});
  return *this;
}

ClusterBuilder& ClusterBuilder::add_domain(std::span<const std::string> path) {
  ZONECUT_ENSURES(!path.empty() && path.size() <= levels_.size());
  node_at(path);
  return *this;
}

Cluster ClusterBuilder::build() {
  if (seen_servers_.empty()) throw InputError(name_, "the cluster has no servers");
  Cluster cluster;
  cluster.name_ = name_;
  cluster.levels_ = {"cluster"};
  cluster.levels_.insert(cluster.levels_.end(), levels_.begin(), levels_.end());
  cluster.by_level_.resize(cluster.levels_.size());
  cluster.gpu_offset_ = {0};

  const int innermost = cluster.rack_level();
  if (zone_level_) {
    const auto level = cluster.find_level(*zone_level_);
    if (!level || *level == 0) {
      throw InputError("zone_level", fmt::format("there is no level \"{}\"", *zone_level_),
                       fmt::format("the levels are {}", fmt::join(levels_, ", ")));
    }
    cluster.zone_level_ = *level;
  } else {
    cluster.zone_level_ = cluster.find_level("zone").value_or(std::max(1, innermost - 1));
  }

  const auto visit = [&](const auto& self, std::size_t index, int level,
                         std::optional<DomainId> parent) -> DomainId {
    const Node& node = nodes_[index];
    Domain fresh;
    fresh.name = level == 0 ? name_ : node.name;
    fresh.level = level;
    fresh.parent = parent;
    fresh.first_server = cluster.servers_.size();
    const DomainId id = cluster.domains_.push_back(std::move(fresh));
    cluster.position_.push_back(cluster.by_level_[static_cast<std::size_t>(level)].size());
    cluster.by_level_[static_cast<std::size_t>(level)].push_back(id);
    for (const Server& server : node.servers) {
      Server placed = server;
      placed.rack = id;
      cluster.server_by_name_.emplace(placed.name, ServerId{cluster.servers_.size()});
      cluster.gpu_offset_.push_back(cluster.gpu_offset_.back() +
                                    static_cast<std::size_t>(placed.gpus));
      cluster.servers_.push_back(std::move(placed));
    }
    for (const std::size_t child : node.children) {
      const DomainId child_id = self(self, child, level + 1, id);
      cluster.domains_[id].children.push_back(child_id);
    }
    cluster.domains_[id].server_count = cluster.servers_.size() - cluster.domains_[id].first_server;
    return id;
  };
  visit(visit, 0, 0, std::nullopt);

  cluster.backend_ =
      backend_ ? *backend_ : FabricSpec::clos(cluster.levels_, cluster.zone_level_, 7);
  cluster.frontend_ = frontend_;
  if (cluster.backend_.tiers.size() != cluster.levels_.size() ||
      (frontend_ && frontend_->tiers.size() != cluster.levels_.size())) {
    throw InputError(
        "fabric", fmt::format("expected one tier for each of the {} levels, the cluster included",
                              cluster.levels_.size()));
  }
  return cluster;
}

}  // namespace zonecut
