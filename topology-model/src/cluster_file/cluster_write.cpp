#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "cluster_file/domain_shapes.hpp"
#include "cluster_file/fabric_section.hpp"
#include "cluster_file/yaml_text.hpp"
#include "zonecut/base/hostlist.hpp"
#include "zonecut/topology/cluster_file.hpp"

namespace zonecut {
namespace {

/// Alike domains that one row can stand for: from each of some alike parents the same children.
using Domains = std::vector<DomainId>;

class RowWriter {
 public:
  explicit RowWriter(const Cluster& cluster) : cluster_(cluster), shapes_(cluster) {}

  std::string write() {
    text_ = "domains:\n";
    write_children({Cluster::root()}, 2);
    return std::move(text_);
  }

 private:
  [[nodiscard]] const std::vector<DomainId>& children(DomainId id) const {
    return cluster_.domain(id).children;
  }

  /// Where the run of alike children that begins at `first` ends.
  [[nodiscard]] std::size_t end_of_run(DomainId parent, std::size_t first) const {
    const auto& all = children(parent);
    std::size_t end = first + 1;
    while (end < all.size() && can_share_row(all[first], all[end])) ++end;
    return end;
  }
  /// A name that no host list can hold needs a row of its own.
  [[nodiscard]] bool can_share_row(DomainId a, DomainId b) const {
    return shapes_.alike(a, b) && is_host_name(cluster_.domain(a).name) &&
           is_host_name(cluster_.domain(b).name);
  }

  /// One row for each run of the parents' children; all parents are alike.
  void write_children(const Domains& parents, std::size_t indent) {
    const std::size_t count = children(parents.front()).size();
    for (std::size_t first = 0; first < count;) {
      const std::size_t end = end_of_run(parents.front(), first);
      lead_ = std::string(indent, ' ') + "- ";
      write_run(parents, first, end, indent + 2);
      first = end;
    }
  }

  void write_run(const Domains& parents, std::size_t first, std::size_t end, std::size_t indent) {
    write_names(parents.front(), first, end, indent);
    Domains domains;
    for (const DomainId parent : parents) {
      const auto from = children(parent).begin();
      domains.insert(domains.end(), from + static_cast<std::ptrdiff_t>(first),
                     from + static_cast<std::ptrdiff_t>(end));
    }
    const Domain& sample = cluster_.domain(domains.front());
    if (sample.level == cluster_.rack_level()) {
      write_servers(domains, indent);
    } else if (sample.children.empty()) {
      line(indent, "servers", "0");
    } else if (end_of_run(domains.front(), 0) == sample.children.size()) {
      write_run(domains, 0, sample.children.size(), indent);
    } else {
      line(indent, "domains", "");
      write_children(domains, indent + 2);
    }
  }

  void write_names(DomainId parent, std::size_t first, std::size_t end, std::size_t indent) {
    std::vector<std::string> names;
    for (std::size_t i = first; i < end; ++i)
      names.push_back(cluster_.domain(children(parent)[i]).name);
    const auto level = static_cast<std::size_t>(cluster_.domain(parent).level) + 1;
    line(indent, yaml_line_text(cluster_.levels()[level]),
         is_host_name(names.front()) ? yaml_line_text(compress_hostlist(names))
                                     : fmt::format("{{name: {}}}", yaml_flow_text(names.front())));
  }

  void write_servers(const Domains& racks, std::size_t indent) {
    const RackShape shape = shapes_.rack(racks.front());
    if (shape.gpus == 0) return line(indent, "servers", "0");
    std::vector<std::string> names;
    for (const DomainId rack : racks) {
      for (const ServerId server : cluster_.domain(rack).servers())
        names.push_back(cluster_.server(server).name);
    }
    if (shape.regular && std::all_of(names.begin(), names.end(), is_host_name)) {
      line(indent, "servers", yaml_line_text(compress_hostlist(names)));
      if (shape.gpus != 8) line(indent, "gpus", std::to_string(shape.gpus));
      if (shape.scale_up > 0)
        line(indent, "scale_up", fmt::format("{{servers: {}}}", shape.scale_up));
    } else {
      line(indent, "servers", "");
      for (const DomainId rack : racks) write_server_list(rack, indent + 2);
    }
  }

  /// Each run of servers with equal GPUs and scale-up group, for racks that no simple row can say.
  void write_server_list(DomainId rack, std::size_t indent) {
    const Domain& domain = cluster_.domain(rack);
    const std::size_t end = domain.first_server + domain.server_count;
    for (std::size_t first = domain.first_server; first < end;) {
      const Server& sample = cluster_.server(ServerId{first});
      std::vector<std::string> names = {sample.name};
      std::size_t next = first + 1;
      for (; next < end && is_host_name(sample.name); ++next) {
        const Server& server = cluster_.server(ServerId{next});
        if (server.gpus != sample.gpus || server.scale_up != sample.scale_up ||
            !is_host_name(server.name)) {
          break;
        }
        names.push_back(server.name);
      }
      write_server_run(names, sample, indent);
      first = next;
    }
  }

  void write_server_run(const std::vector<std::string>& names, const Server& sample,
                        std::size_t indent) {
    const std::string who = is_host_name(names.front())
                                ? fmt::format("names: {}", yaml_flow_text(compress_hostlist(names)))
                                : fmt::format("name: {}", yaml_flow_text(names.front()));
    std::string group;
    if (sample.scale_up) {
      const auto number =
          number_of_group_.try_emplace(*sample.scale_up, number_of_group_.size() + 1).first->second;
      group = fmt::format(", scale_up: g{}", number);
    }
    text_ +=
        fmt::format("{}- {{{}, gpus: {}{}}}\n", std::string(indent, ' '), who, sample.gpus, group);
  }

  void line(std::size_t indent, std::string_view key, std::string_view value) {
    text_ += lead_.empty() ? std::string(indent, ' ') : std::exchange(lead_, {});
    text_ += fmt::format("{}:{}{}\n", key, value.empty() ? "" : " ", value);
  }

  const Cluster& cluster_;
  DomainShapes shapes_;
  std::string text_;
  std::map<std::uint32_t, std::size_t> number_of_group_;  // from 1, in the order of the file
  std::string lead_;  // "- " of a row whose first line is still to come
};

}  // namespace

std::string write_cluster(const Cluster& cluster) {
  std::string levels;
  for (const std::string& level : cluster.levels().subspan(1))
    levels += (levels.empty() ? "" : ", ") + yaml_flow_text(level);
  const std::string& zone_level = cluster.levels()[static_cast<std::size_t>(cluster.zone_level())];
  std::string text =
      fmt::format("format: cluster/v1\nname: {}\nlevels: [{}]\nzone_level: {}\n",
                  yaml_line_text(cluster.name()), levels, yaml_line_text(zone_level));
  const FabricLevels fabric_levels{cluster.levels(), cluster.zone_level()};
  text += write_fabric(cluster.backend(), fabric_levels, Network::Backend);
  if (cluster.frontend())
    text += write_fabric(*cluster.frontend(), fabric_levels, Network::Frontend);
  return text + RowWriter(cluster).write();
}

}  // namespace zonecut
