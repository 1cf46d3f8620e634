#include "all_to_all_count.hpp"

namespace zonecut {

AllToAllCount::AllToAllCount(std::size_t servers, const DomainLevels& domains)
    : domains_(domains),
      server_members_(servers),
      server_weight_(servers),
      domain_members_(domains.parent.size()),
      domain_weight_(domains.parent.size()) {}

void AllToAllCount::count(std::span<const Member> members, ShareOf weights) {
  weights_ = weights;
  for (SparseSums* sums : {&server_members_, &server_weight_, &domain_members_, &domain_weight_})
    sums->clear();
  whole_ = {};
  for (const Member& member : members) {
    server_members_.add(member.position.server, 1);
    server_weight_.add(member.position.server, member.weight);
    whole_.members += 1;
    whole_.weight += member.weight;
    for (std::uint32_t domain = member.position.rack;; domain = domains_.parent[domain]) {
      domain_members_.add(domain, 1);
      domain_weight_.add(domain, member.weight);
      if (domain == domains_.parent[domain]) break;
    }
  }
}

std::vector<std::int64_t> AllToAllCount::bytes_by_level(std::size_t domain_levels) const {
  std::vector<std::int64_t> bytes(domain_levels + 1, 0);  // within the parts of each level
  for (const std::uint32_t index : domains())
    bytes[domains_.level[index]] += bytes_within(domain(index));
  for (const std::uint32_t index : servers()) bytes[domain_levels] += bytes_within(server(index));
  // What stays within a domain but not within one of its children.
  for (std::size_t level = 0; level < domain_levels; ++level) bytes[level] -= bytes[level + 1];
  return bytes;
}

}  // namespace zonecut
