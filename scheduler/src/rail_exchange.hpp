#pragma once
// What the GPUs of each server hand over to each other in an all-to-all on rails (rank_nics.hpp),
// counted instead of listed. Of the members outside an island those on rail q are one part, and
// what goes to it follows from its size:
//
//   a member sends over NVLink    what it has for all these parts but that of its own rail
//   the GPU with NIC q gets       what the members of its server on other rails have for part q
//
// as far as the server has a rank on the rail to hand over to.
#include <cstdint>
#include <span>
#include <vector>

#include "all_to_all_count.hpp"
#include "rank_nics.hpp"

namespace zonecut {

/// Over NVLink, by one rank.
struct HandedOver {
  std::size_t rank = 0;
  std::int64_t sent = 0;
  std::int64_t received = 0;
};

/// Of an exchange with these weights. Sorts the members by where they stand. A rank may come twice.
/// The bytes fit as for AllToAllCount::count(). O(members · log + servers · NICs).
[[nodiscard]] std::vector<HandedOver> handed_over(std::span<AllToAllCount::Member> members,
                                                  ShareOf weights, const RankNics& nics);

}  // namespace zonecut
