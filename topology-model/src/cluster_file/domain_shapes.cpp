#include "cluster_file/domain_shapes.hpp"

#include <algorithm>

namespace zonecut {

DomainShapes::DomainShapes(const Cluster& cluster)
    : cluster_(cluster), shape_(cluster.domain_count(), 0) {
  for (const ServerId server : cluster.server_ids()) {
    if (const auto group = cluster.server(server).scale_up) ++group_size_[*group];
  }
  for (std::size_t i = cluster.domain_count(); i-- > 0;)  // children come after their parent
    shape_[DomainId{i}] = shape_of(DomainId{i});
}

std::size_t DomainShapes::number_of_name(const std::string& name) {
  return number_by_name_.try_emplace(name, number_by_name_.size()).first->second;
}

std::size_t DomainShapes::shape_of(DomainId id) {
  const Domain& domain = cluster_.domain(id);
  std::vector<std::size_t> key = {static_cast<std::size_t>(domain.level)};
  if (domain.level == cluster_.rack_level()) {
    const RackShape rack = this->rack(id);
    key.insert(key.end(),
               {domain.server_count, static_cast<std::size_t>(rack.gpus), rack.scale_up});
    if (!rack.regular) key.push_back(id.index());  // like no other
  } else {
    for (const DomainId child : domain.children) {
      key.push_back(number_of_name(cluster_.domain(child).name));
      key.push_back(shape_[child]);
    }
  }
  return number_by_shape_.try_emplace(std::move(key), number_by_shape_.size()).first->second;
}

/// Whether these servers are one whole scale-up group.
bool DomainShapes::is_group(std::size_t first, std::size_t end) const {
  const auto group = cluster_.server(ServerId{first}).scale_up;
  if (!group || group_size_.at(*group) != end - first) return false;
  for (std::size_t i = first; i < end; ++i) {
    if (cluster_.server(ServerId{i}).scale_up != group) return false;
  }
  return true;
}

RackShape DomainShapes::rack(DomainId id) const {
  const Domain& domain = cluster_.domain(id);
  RackShape shape;
  if (domain.server_count == 0) return shape;
  const std::size_t end = domain.first_server + domain.server_count;
  const Server& first = cluster_.server(ServerId{domain.first_server});
  shape.gpus = first.gpus;
  if (first.scale_up) shape.scale_up = std::max<std::size_t>(2, group_size_.at(*first.scale_up));
  for (std::size_t i = domain.first_server; i < end; ++i) {
    const Server& server = cluster_.server(ServerId{i});
    shape.regular = shape.regular && server.gpus == first.gpus &&
                    server.scale_up.has_value() == first.scale_up.has_value();
  }
  if (!shape.regular || shape.scale_up == 0) return shape;
  for (std::size_t i = domain.first_server; i < end && shape.regular; i += shape.scale_up)
    shape.regular = is_group(i, std::min(end, i + shape.scale_up));
  return shape;
}

}  // namespace zonecut
