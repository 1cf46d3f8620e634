#pragma once
// An all-to-all exchange counted instead of listed: a group of n members has n·(n - 1) flows, but
// what leaves a domain follows from how many of the members it holds. Member i sends w_i bytes to
// each other one. For a part of s members and weight σ, of n and Σ in all:
//
//   within the part             σ·(s - 1)
//   out of it                   σ·(n - s)       equal weights: s·(n - s)·w, and as much into it
//   into it                     (Σ - σ)·s
//   from one part to another    σ·s'
//
// Where weights are what members get from each other one, all of it goes the other way.
#include <cstdint>
#include <span>
#include <vector>

#include "positions.hpp"
#include "sparse_sums.hpp"
#include "zonecut/partition/traffic.hpp"

namespace zonecut {

class AllToAllCount {
 public:
  struct Member {
    Position position;
    std::uint32_t rank;
    std::int64_t weight;
  };
  struct Part {
    std::int64_t members = 0;
    std::int64_t weight = 0;
  };

  /// Borrows the tree.
  AllToAllCount(std::size_t servers, const DomainLevels& domains);

  /// Counts these members and forgets those before. O(members + domains touched · levels). The
  /// caller has seen to it that the bytes of the exchange fit 63 bits; no sum here is more.
  void count(std::span<const Member> members, ShareOf weights);

  [[nodiscard]] std::span<const std::uint32_t> servers() const { return server_members_.touched(); }
  [[nodiscard]] std::span<const std::uint32_t> domains() const { return domain_members_.touched(); }
  [[nodiscard]] Part server(std::size_t index) const {
    return {server_members_[index], server_weight_[index]};
  }
  [[nodiscard]] Part domain(std::size_t index) const {
    return {domain_members_[index], domain_weight_[index]};
  }

  [[nodiscard]] static std::int64_t bytes_within(const Part& part) {
    return part.weight * (part.members - 1);
  }
  [[nodiscard]] static std::int64_t bytes_between(const Part& from, const Part& to,
                                                  ShareOf weights) {
    return weights == ShareOf::Sender ? from.weight * to.members : to.weight * from.members;
  }
  [[nodiscard]] std::int64_t bytes_out_of(const Part& part) const {
    return bytes_between(part, others(part), weights_);
  }
  [[nodiscard]] std::int64_t bytes_into(const Part& part) const {
    return bytes_between(others(part), part, weights_);
  }
  /// Bytes by the innermost level two ends share, the last entry for one server.
  [[nodiscard]] std::vector<std::int64_t> bytes_by_level(std::size_t domain_levels) const;

 private:
  [[nodiscard]] Part others(const Part& part) const {
    return {whole_.members - part.members, whole_.weight - part.weight};
  }

  const DomainLevels& domains_;
  ShareOf weights_ = ShareOf::Sender;
  Part whole_;
  SparseSums server_members_;
  SparseSums server_weight_;
  SparseSums domain_members_;
  SparseSums domain_weight_;
};

}  // namespace zonecut
