#include <fmt/format.h>

#include "importers/writers.hpp"
#include "zonecut/base/counts.hpp"
#include "zonecut/base/hostlist.hpp"

namespace zonecut::importers {
namespace {

/// More boxes than these and nobody reads the drawing: servers are then folded into their racks,
/// and racks into the domains around them.
constexpr std::size_t kMostServers = 64;
constexpr std::size_t kMostBoxes = 400;
constexpr std::size_t kMostListBytes = 60;

class DotWriter {
 public:
  explicit DotWriter(const Cluster& cluster)
      : cluster_(cluster), draws_servers_(cluster.server_count() <= kMostServers) {
    deepest_ = cluster.rack_level();
    while (deepest_ > 1 && cluster.domains_at(deepest_).size() > kMostBoxes) --deepest_;
  }

  std::string write() {
    line(0, fmt::format("graph {} {{", quoted(cluster_.name())));
    line(1, "graph [compound=true, rankdir=TB, fontname=\"sans-serif\"];");
    line(1, "node [shape=box, fontname=\"sans-serif\", fontsize=10];");
    write_domain(Cluster::root(), 1);
    line(0, "}");
    return std::move(text_);
  }

 private:
  void line(int depth, const std::string& content) {
    text_.append(static_cast<std::size_t>(depth) * 2, ' ');
    text_ += content;
    text_ += '\n';
  }

  static std::string vertex(DomainId domain) { return fmt::format("d{}", domain.index()); }

  void write_domain(DomainId id, int depth) {
    const Domain& domain = cluster_.domain(id);
    line(depth, fmt::format("subgraph cluster_{} {{", vertex(id)));
    line(depth + 1, fmt::format("label={};", quoted(title(domain))));
    line(depth + 1, fmt::format("{} [label={}, style=filled, fillcolor=lightgrey];", vertex(id),
                                quoted(switches(domain))));
    if (domain.level == deepest_) {
      write_contents(id, domain, depth + 1);
    } else {
      for (const DomainId child : domain.children) write_domain(child, depth + 1);
    }
    line(depth, "}");
    if (domain.parent) write_uplink(id, domain, depth);
  }

  void write_contents(DomainId id, const Domain& domain, int depth) {
    if (!draws_servers_ || domain.level < cluster_.rack_level()) {
      line(depth, fmt::format("{0} -- {0}_servers;", vertex(id)));
      line(depth,
           fmt::format("{}_servers [label={}, shape=folder];", vertex(id), quoted(folded(domain))));
      return;
    }
    for (const ServerId server : domain.servers()) {
      const Server& drawn = cluster_.server(server);
      const std::string label = fmt::format("{}, {}", drawn.name, counted(drawn.gpus, "GPU"));
      line(depth, fmt::format("s{} [label={}];", server.index(), quoted(label)));
      line(depth, fmt::format("{} -- s{};", vertex(id), server.index()));
    }
  }

  void write_uplink(DomainId id, const Domain& domain, int depth) {
    const TierSpec& tier = cluster_.backend().tiers[static_cast<std::size_t>(domain.level)];
    const std::string label =
        tier.oversubscription > 0
            ? fmt::format("{:g}:1", tier.oversubscription)
            : fmt::format("{} x {}", tier.uplinks * tier.switches * cluster_.backend().planes,
                          to_text(tier.uplink_bandwidth));
    line(depth,
         fmt::format("{} -- {} [label={}];", vertex(*domain.parent), vertex(id), quoted(label)));
  }

  [[nodiscard]] std::string title(const Domain& domain) const {
    const std::string& level = cluster_.levels()[static_cast<std::size_t>(domain.level)];
    return fmt::format("{} {}: {}", level, domain.name, counted(domain.server_count, "server"));
  }

  [[nodiscard]] std::string switches(const Domain& domain) const {
    const FabricSpec& backend = cluster_.backend();
    const TierSpec& tier = backend.tiers[static_cast<std::size_t>(domain.level)];
    return fmt::format("{} x {}", tier.switches * backend.planes, tier.switch_name);
  }

  /// "16 servers: gpu[001-016]", without the list where it is long.
  [[nodiscard]] std::string folded(const Domain& domain) const {
    std::string text = counted(domain.server_count, "server");
    if (domain.level < cluster_.rack_level()) return text;
    std::vector<std::string> names;
    for (const ServerId server : domain.servers()) names.push_back(cluster_.server(server).name);
    const std::string list = compress_hostlist(names);
    return list.size() <= kMostListBytes ? text + ": " + list : text;
  }

  const Cluster& cluster_;
  const bool draws_servers_;
  int deepest_ = 1;
  std::string text_;
};

}  // namespace

std::string write_dot(const Cluster& cluster) { return DotWriter(cluster).write(); }

}  // namespace zonecut::importers
