#include "zonecut/topology/import.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "importers/readers.hpp"
#include "importers/writers.hpp"
#include "zonecut/base/error.hpp"
#include "zonecut/topology/cluster_file.hpp"

namespace zonecut {
namespace {

struct FormatName {
  TopologyFormat format;
  std::string_view name;
};

constexpr std::array kFormatNames = {
    FormatName{TopologyFormat::Zonecut, "zonecut"},
    FormatName{TopologyFormat::Csv, "csv"},
    FormatName{TopologyFormat::SlurmConf, "slurm-conf"},
    FormatName{TopologyFormat::SlurmYaml, "slurm-yaml"},
    FormatName{TopologyFormat::SlurmNodes, "slurm-nodes"},
    FormatName{TopologyFormat::KubernetesNodes, "kubernetes-nodes"},
    FormatName{TopologyFormat::Ibnetdiscover, "ibnetdiscover"},
    FormatName{TopologyFormat::Topograph, "topograph"},
    FormatName{TopologyFormat::Fbwhoami, "fbwhoami"},
    FormatName{TopologyFormat::Dot, "dot"},
    FormatName{TopologyFormat::KubernetesLabels, "kubernetes-labels"},
};

constexpr std::array kReadable = {
    TopologyFormat::Zonecut,       TopologyFormat::Csv,        TopologyFormat::SlurmConf,
    TopologyFormat::SlurmYaml,     TopologyFormat::SlurmNodes, TopologyFormat::KubernetesNodes,
    TopologyFormat::Ibnetdiscover, TopologyFormat::Topograph,  TopologyFormat::Fbwhoami,
};

constexpr std::array kWritable = {
    TopologyFormat::Zonecut,   TopologyFormat::Csv,       TopologyFormat::SlurmConf,
    TopologyFormat::SlurmYaml, TopologyFormat::Topograph, TopologyFormat::KubernetesLabels,
    TopologyFormat::Dot,
};

std::string names_of(std::span<const TopologyFormat> formats) {
  std::string names;
  for (const TopologyFormat format : formats) {
    if (!names.empty()) names += ", ";
    names += topology_format_name(format);
  }
  return names;
}

}  // namespace

std::optional<TopologyFormat> find_topology_format(std::string_view name) {
  for (const FormatName& known : kFormatNames) {
    if (known.name == name) return known.format;
  }
  return std::nullopt;
}

std::string_view topology_format_name(TopologyFormat format) {
  const auto found = std::find_if(kFormatNames.begin(), kFormatNames.end(),
                                  [&](const FormatName& known) { return known.format == format; });
  ZONECUT_ENSURES(found != kFormatNames.end());
  return found->name;
}

std::span<const TopologyFormat> readable_formats() { return kReadable; }

std::span<const TopologyFormat> writable_formats() { return kWritable; }

Cluster import_topology(TopologyFormat format, std::string_view text, const std::string& source,
                        const ImportOptions& options) {
  switch (format) {
    case TopologyFormat::Zonecut:
      return parse_cluster(text, source);
    case TopologyFormat::Csv:
      return importers::read_csv(text, source, options);
    case TopologyFormat::SlurmConf:
      return importers::read_slurm_conf(text, source, options);
    case TopologyFormat::SlurmYaml:
      return importers::read_slurm_yaml(text, source, options);
    case TopologyFormat::SlurmNodes:
      return importers::read_slurm_nodes(text, source, options);
    case TopologyFormat::KubernetesNodes:
      return importers::read_kubernetes_nodes(text, source, options);
    case TopologyFormat::Ibnetdiscover:
      return importers::read_ibnetdiscover(text, source, options);
    case TopologyFormat::Topograph:
      return importers::read_topograph(text, source, options);
    case TopologyFormat::Fbwhoami:
      return importers::read_fbwhoami(text, source, options);
    case TopologyFormat::Dot:
    case TopologyFormat::KubernetesLabels:
      break;
  }
  throw InputError("format",
                   fmt::format("{} is only written, not read", topology_format_name(format)),
                   "formats to read: " + names_of(readable_formats()));
}

std::vector<std::string> servers_left_out(TopologyFormat format, std::string_view text,
                                          const std::string& source, const ImportOptions& options) {
  if (format == TopologyFormat::KubernetesNodes)
    return importers::kubernetes_nodes_left_out(text, source, options);
  if (format == TopologyFormat::SlurmNodes) return importers::slurm_nodes_left_out(text, source);
  return {};
}

ClusterView import_state(TopologyFormat format, std::string_view text, const std::string& source,
                         const Cluster& cluster) {
  if (tells_state(format)) return importers::read_slurm_node_state(text, source, cluster);
  throw InputError("format", fmt::format("{} says nothing of health and occupancy",
                                         topology_format_name(format)));
}

bool tells_state(TopologyFormat format) { return format == TopologyFormat::SlurmNodes; }

std::string export_topology(TopologyFormat format, const Cluster& cluster) {
  switch (format) {
    case TopologyFormat::Zonecut:
      return write_cluster(cluster);
    case TopologyFormat::SlurmConf:
      return importers::write_slurm_conf(cluster);
    case TopologyFormat::Csv:
      return importers::write_csv(cluster);
    case TopologyFormat::SlurmYaml:
      return importers::write_slurm_yaml(cluster);
    case TopologyFormat::Topograph:
      return importers::write_topograph(cluster);
    case TopologyFormat::KubernetesLabels:
      return importers::write_kubernetes_labels(cluster);
    case TopologyFormat::Dot:
      return importers::write_dot(cluster);
    default:
      break;
  }
  throw InputError("format",
                   fmt::format("{} is only read, not written", topology_format_name(format)),
                   "formats to write: " + names_of(writable_formats()));
}

}  // namespace zonecut
