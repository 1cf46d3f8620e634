#include "zonecut/topology/fabric.hpp"

#include <fmt/format.h>

#include "fabric_impl.hpp"
#include "fabric_links.hpp"
#include "zonecut/base/error.hpp"

namespace zonecut {

FabricParts::FabricParts(const Cluster& described, const FabricSpec& specification)
    : cluster(&described),
      spec(specification),
      numbering(described, spec),
      switches(make_switches(described, spec)),
      links(make_links(described, spec, numbering)),
      graph(described.server_count(), switches.size(), links) {}

void FabricParts::sum_capacities() {
  uplinks = IdMap<DomainId, BytesPerSecond>(cluster->domain_count());
  nominal_uplinks = uplinks;
  injection = IdMap<ServerId, BytesPerSecond>(cluster->server_count());
  for (const Link& link : links) {
    if (const auto* server = std::get_if<ServerId>(&link.lower)) {
      injection[*server] += link.capacity;
    } else {
      const DomainId domain = switches[std::get<SwitchId>(link.lower).index()].place.domain;
      uplinks[domain] += link.capacity;
      nominal_uplinks[domain] += link.nominal;
    }
  }
}

Fabric::Fabric(std::unique_ptr<const Impl> impl) : impl_(std::move(impl)) {}
Fabric::Fabric(Fabric&&) noexcept = default;
Fabric& Fabric::operator=(Fabric&&) noexcept = default;
Fabric::~Fabric() = default;

Fabric Fabric::build(const Cluster& cluster, const FabricSpec& spec, const Health& health) {
  check_fabric_spec(cluster, spec);
  auto impl = std::make_unique<Impl>(cluster, spec);
  impl->apply_failures(health);
  impl->sum_capacities();
  return Fabric(std::move(impl));
}

const Cluster& Fabric::cluster() const { return *impl_->cluster; }
const FabricSpec& Fabric::spec() const { return impl_->spec; }
std::span<const Link> Fabric::links() const { return impl_->links; }
std::span<const Switch> Fabric::switches() const { return impl_->switches; }

std::span<const LinkId> Fabric::links_of(Endpoint endpoint) const {
  return impl_->graph.links_of(endpoint);
}

std::string Fabric::name(Endpoint endpoint) const {
  if (const auto* server = std::get_if<ServerId>(&endpoint))
    return impl_->cluster->server(*server).name;
  const Switch& at = impl_->switches[std::get<SwitchId>(endpoint).index()];
  return switch_name(*impl_->cluster, impl_->spec, at.place);
}

std::string Fabric::name(LinkId link) const {
  const Link& named = impl_->links[link.index()];
  return fmt::format("{} > {}", name(named.lower), name(Endpoint{named.upper}));
}

BytesPerSecond Fabric::uplink_capacity(DomainId domain) const { return impl_->uplinks[domain]; }

BytesPerSecond Fabric::nominal_uplink_capacity(DomainId domain) const {
  return impl_->nominal_uplinks[domain];
}

BytesPerSecond Fabric::injection_capacity(ServerId server) const {
  return impl_->injection[server];
}

std::optional<double> Fabric::oversubscription(DomainId domain) const {
  const BytesPerSecond above = uplink_capacity(domain);
  if (above.count == 0) return std::nullopt;
  const BytesPerSecond below = nic_bandwidth_below(*impl_->cluster, impl_->spec, domain);
  return static_cast<double>(below.count) / static_cast<double>(above.count);
}

}  // namespace zonecut
