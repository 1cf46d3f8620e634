#include "topology_summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "zonecut/base/counts.hpp"
#include "zonecut/topology/fabric.hpp"

namespace zonecut::cli {
namespace {

/// The links above all domains of one level.
struct TierFigures {
  std::string level;
  std::string switch_name;
  std::size_t domains = 0;
  BytesPerSecond least, most;              ///< uplink capacity of a domain
  std::optional<double> oversubscription;  ///< the worst
};

struct ZoneFigures {
  std::string name;
  std::size_t servers = 0;
  std::size_t gpus = 0;
  std::size_t usable_gpus = 0;
  std::size_t whole_servers = 0;  ///< with every GPU usable
  BytesPerSecond uplinks;
};

/// Scale-up domains of several servers.
struct ScaleUpFigures {
  std::size_t domains = 0;
  std::size_t least_gpus = 0, most_gpus = 0;  ///< of one
};

struct HealthFigures {
  std::size_t jobs = 0;
  std::size_t drained = 0;
  std::size_t down = 0;
  std::size_t failed_gpus = 0;
  std::size_t failed_switches = 0;
  std::size_t faulty_links = 0;
};

struct Summary {
  std::vector<TierFigures> tiers;
  std::vector<ZoneFigures> zones;
  ScaleUpFigures scale_up;
  HealthFigures health;
};

TierFigures tier_figures(const Fabric& fabric, int level) {
  const Cluster& cluster = fabric.cluster();
  const auto index = static_cast<std::size_t>(level);
  TierFigures figures;
  figures.level = cluster.levels()[index];
  figures.switch_name = fabric.spec().tiers[index].switch_name;
  const auto domains = cluster.domains_at(level);
  figures.domains = domains.size();
  if (level == 0) return figures;
  const auto by_capacity = [&](DomainId a, DomainId b) {
    return fabric.uplink_capacity(a) < fabric.uplink_capacity(b);
  };
  const auto [least, most] = std::minmax_element(domains.begin(), domains.end(), by_capacity);
  figures.least = fabric.uplink_capacity(*least);
  figures.most = fabric.uplink_capacity(*most);
  for (const DomainId domain : domains) {
    const auto ratio = fabric.oversubscription(domain);
    if (ratio && (!figures.oversubscription || *ratio > *figures.oversubscription)) {
      figures.oversubscription = ratio;
    }
  }
  return figures;
}

ZoneFigures zone_figures(const ClusterView& view, const Fabric& fabric, DomainId zone) {
  const Domain& domain = view.cluster->domain(zone);
  ZoneFigures figures;
  figures.name = view.cluster->path(zone);
  figures.servers = domain.server_count;
  for (const ServerId server : domain.servers()) {
    const auto gpus = static_cast<std::size_t>(view.cluster->server(server).gpus);
    const auto usable = static_cast<std::size_t>(view.usable_gpu_count(server));
    figures.gpus += gpus;
    figures.usable_gpus += usable;
    figures.whole_servers += usable == gpus ? 1u : 0u;
  }
  figures.uplinks = fabric.uplink_capacity(zone);
  return figures;
}

ScaleUpFigures scale_up_figures(const Cluster& cluster) {
  std::map<std::uint32_t, std::pair<std::size_t, std::size_t>> servers_and_gpus;
  for (std::size_t i = 0; i < cluster.server_count(); ++i) {
    const Server& server = cluster.server(ServerId{i});
    if (!server.scale_up) continue;
    auto& [servers, gpus] = servers_and_gpus[*server.scale_up];
    ++servers;
    gpus += static_cast<std::size_t>(server.gpus);
  }
  ScaleUpFigures figures;
  for (const auto& [label, domain] : servers_and_gpus) {
    const auto& [servers, gpus] = domain;
    if (servers < 2) continue;
    figures.least_gpus = figures.domains == 0 ? gpus : std::min(figures.least_gpus, gpus);
    figures.most_gpus = std::max(figures.most_gpus, gpus);
    ++figures.domains;
  }
  return figures;
}

HealthFigures health_figures(const ClusterView& view) {
  const auto count = [&](ServerHealth health) {
    return static_cast<std::size_t>(
        std::count(view.health.servers.begin(), view.health.servers.end(), health));
  };
  return {.jobs = view.occupancy.job_count(),
          .drained = count(ServerHealth::Drained),
          .down = count(ServerHealth::Down),
          .failed_gpus = view.health.failed_gpus.size(),
          .failed_switches = view.health.failed_switches.size(),
          .faulty_links = view.health.link_faults.size()};
}

Summary summarise(const ClusterView& view) {
  const Cluster& cluster = *view.cluster;
  const Fabric fabric = Fabric::build(cluster, cluster.backend(), view.health);
  Summary summary;
  for (int level = 0; level <= cluster.rack_level(); ++level) {
    summary.tiers.push_back(tier_figures(fabric, level));
  }
  for (const DomainId zone : cluster.domains_at(cluster.zone_level())) {
    summary.zones.push_back(zone_figures(view, fabric, zone));
  }
  summary.scale_up = scale_up_figures(cluster);
  summary.health = health_figures(view);
  return summary;
}

std::string uplinks_text(const TierFigures& tier) {
  const std::string capacity =
      tier.least == tier.most ? to_text(tier.most)
                              : fmt::format("{} to {}", to_text(tier.least), to_text(tier.most));
  return fmt::format("{:<24} {:>6.3g}:1{}", capacity, *tier.oversubscription,
                     tier.least == tier.most ? "" : " at most");
}

/// Characters of the longest of these names; `least` where all are shorter.
template <class Row>
std::size_t widest(const std::vector<Row>& rows, std::string Row::* name, std::size_t least) {
  for (const Row& row : rows) {
    const auto characters = std::ranges::count_if(row.*name, [](char c) {
      return (static_cast<unsigned char>(c) & 0xC0) != 0x80;  // else it goes on with one
    });
    least = std::max(least, static_cast<std::size_t>(characters));
  }
  return least;
}

std::string tier_text(const std::vector<TierFigures>& tiers) {
  const std::size_t level = widest(tiers, &TierFigures::level, 12);
  const std::size_t switches = widest(tiers, &TierFigures::switch_name, 8);
  std::string text = fmt::format("  {:<{}} {:>6}  {:<{}}  {:<24} {}\n", "level", level, "count",
                                 "switches", switches, "uplinks of one", "oversubscribed");
  for (const TierFigures& tier : tiers) {
    text += fmt::format("  {:<{}} {:>6}  ", tier.level, level, grouped(tier.domains));
    text += tier.oversubscription
                ? fmt::format("{:<{}}  {}\n", tier.switch_name, switches, uplinks_text(tier))
                : tier.switch_name + "\n";
  }
  return text;
}

std::string zone_text(std::string_view level, const std::vector<ZoneFigures>& zones) {
  const std::size_t width =
      widest(zones, &ZoneFigures::name, std::max<std::size_t>(20, level.size()));
  std::string text = fmt::format("  {:<{}} {:>8} {:>8} {:>12} {:>14}\n", level, width, "servers",
                                 "GPUs", "usable GPUs", "whole servers");
  for (const ZoneFigures& zone : zones) {
    text +=
        fmt::format("  {:<{}} {:>8} {:>8} {:>12} {:>14}\n", zone.name, width, grouped(zone.servers),
                    grouped(zone.gpus), grouped(zone.usable_gpus), grouped(zone.whole_servers));
  }
  return text;
}

/// Empty where NVLink ends at the servers.
std::string scale_up_text(const ScaleUpFigures& figures) {
  if (figures.domains == 0) return {};
  const std::string gpus =
      figures.least_gpus == figures.most_gpus
          ? grouped(figures.most_gpus)
          : fmt::format("{} to {}", grouped(figures.least_gpus), grouped(figures.most_gpus));
  return fmt::format("{} of several servers, {} GPUs in each\n",
                     counted(figures.domains, "scale-up domain"), gpus);
}

std::string health_text(const HealthFigures& health) {
  return fmt::format(
      "running jobs {}; servers drained {}, down {}; failed GPUs {}, switches {}; links impaired "
      "{}\n",
      health.jobs, health.drained, health.down, health.failed_gpus, health.failed_switches,
      health.faulty_links);
}

}  // namespace

std::string one_line_summary(const Cluster& cluster) {
  std::string text = fmt::format("{} in {}", counted(cluster.gpu_count(), "GPU"),
                                 counted(cluster.server_count(), "server"));
  for (int level = cluster.rack_level(); level > 0; --level) {
    text += ", " + counted(cluster.domains_at(level).size(),
                           cluster.levels()[static_cast<std::size_t>(level)]);
  }
  return text;
}

std::string summary_text(const ClusterView& view) {
  const Cluster& cluster = *view.cluster;
  const Summary summary = summarise(view);
  std::string text = fmt::format("{}: {}\n\n", cluster.name(), one_line_summary(cluster));
  text += tier_text(summary.tiers) + "\n";
  text +=
      zone_text(cluster.levels()[static_cast<std::size_t>(cluster.zone_level())], summary.zones);
  return text + "\n" + scale_up_text(summary.scale_up) + health_text(summary.health);
}

std::string summary_json(const ClusterView& view) {
  const Cluster& cluster = *view.cluster;
  const Summary summary = summarise(view);
  nlohmann::ordered_json object;
  object["schema"] = "zonecut.topology/v1";
  object["name"] = cluster.name();
  object["gpus"] = cluster.gpu_count();
  object["servers"] = cluster.server_count();
  object["zone_level"] = cluster.levels()[static_cast<std::size_t>(cluster.zone_level())];
  for (const TierFigures& tier : summary.tiers) {
    object["levels"].push_back(
        {{"name", tier.level},
         {"count", tier.domains},
         {"switches", tier.switch_name},
         {"least_uplink_bytes_per_second", tier.least.count},
         {"most_uplink_bytes_per_second", tier.most.count},
         {"oversubscription", tier.oversubscription ? nlohmann::ordered_json(*tier.oversubscription)
                                                    : nlohmann::ordered_json(nullptr)}});
  }
  for (const ZoneFigures& zone : summary.zones) {
    object["zones"].push_back({{"name", zone.name},
                               {"servers", zone.servers},
                               {"gpus", zone.gpus},
                               {"usable_gpus", zone.usable_gpus},
                               {"whole_servers", zone.whole_servers},
                               {"uplink_bytes_per_second", zone.uplinks.count}});
  }
  object["scale_up_domains"] = {{"count", summary.scale_up.domains},
                                {"least_gpus", summary.scale_up.least_gpus},
                                {"most_gpus", summary.scale_up.most_gpus}};
  object["health"] = {{"running_jobs", summary.health.jobs},
                      {"drained_servers", summary.health.drained},
                      {"down_servers", summary.health.down},
                      {"failed_gpus", summary.health.failed_gpus},
                      {"failed_switches", summary.health.failed_switches},
                      {"impaired_links", summary.health.faulty_links}};
  return object.dump(2) + "\n";
}

}  // namespace zonecut::cli
