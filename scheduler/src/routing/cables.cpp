#include "routing/cables.hpp"

#include <algorithm>

namespace zonecut {

/// The links of a server in one plane are in the order in which its NICs were dealt out: NIC n is
/// on the (n mod links)-th of them.
LinkId nic_link(const Fabric& fabric, ServerId server, std::size_t nic, std::size_t plane) {
  const std::span<const LinkId> links = fabric.links_of(server);
  const std::size_t leaves = links.size() / static_cast<std::size_t>(fabric.spec().planes);
  return links[plane * leaves + nic % leaves];
}

Cables::Cables(const Fabric& fabric)
    : fabric_(&fabric), planes_(static_cast<std::size_t>(fabric.spec().planes)) {
  first_.reserve(fabric.links().size() + 1);
  first_.push_back(0);
  for (std::size_t i = 0; i < fabric.links().size(); ++i) {
    const Link& link = fabric.links()[i];
    const auto cables = static_cast<std::size_t>(link.cables);
    first_.push_back(first_.back() + cables);
    capacity_.insert(capacity_.end(), cables,
                     static_cast<double>(link.capacity.count) / static_cast<double>(cables));
    link_.insert(link_.end(), cables, static_cast<std::uint32_t>(i));
  }
  split_.assign(fabric.switches().size(), 0);
  for (std::size_t i = 0; i < split_.size(); ++i) {
    const std::span<const LinkId> links = fabric.links_of(SwitchId{i});
    const auto down = std::find_if(links.begin(), links.end(), [&](LinkId link) {
      return fabric.links()[link.index()].lower != Endpoint{SwitchId{i}};
    });
    split_[i] = static_cast<std::uint32_t>(down - links.begin());
  }
  number_ports();
}

LinkId Cables::link_of(std::size_t cable) const { return LinkId{link_[cable]}; }

std::span<const LinkId> Cables::up_links(SwitchId at) const {
  return fabric_->links_of(at).first(split_[at.index()]);
}

std::span<const LinkId> Cables::down_links(SwitchId at) const {
  return fabric_->links_of(at).subspan(split_[at.index()]);
}

std::span<const Cables::Port> Cables::ports_of(std::uint32_t nic) const {
  if (ports_.empty()) return {};
  return std::span(ports_).subspan(nic * planes_, planes_);
}

void Cables::number_ports() {
  const auto nics = static_cast<std::size_t>(fabric_->spec().nics_per_server);
  if (nics == 0 || fabric_->spec().tiers.back().switches == 0) return;
  const std::size_t servers = fabric_->cluster().server_count();
  ports_.resize(servers * nics * planes_);
  port_count_.assign(split_.size(), 0);
  for (std::size_t server = 0; server < servers; ++server) {
    const std::size_t leaves = fabric_->links_of(ServerId{server}).size() / planes_;
    for (std::size_t plane = 0; plane < planes_; ++plane) {
      for (std::size_t nic = 0; nic < nics; ++nic) {
        const LinkId link = nic_link(*fabric_, ServerId{server}, nic, plane);
        const SwitchId leaf = fabric_->links()[link.index()].upper;
        ports_[(server * nics + nic) * planes_ + plane] = {first_cable(link) + nic / leaves, leaf,
                                                           port_count_[leaf.index()]++};
      }
    }
  }
}

}  // namespace zonecut
