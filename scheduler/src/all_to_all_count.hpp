#pragma once
// An all-to-all exchange counted instead of listed: a group of n members has n·(n - 1) flows, but
// what leaves a domain follows from how many of the members it holds. Member i has the weight w_i
// and sends (w_i + w_j) / 2 bytes to member j; where all send the same, that is w itself. For a
// part of s members and weight σ, of n and Σ in all:
//
//   within the part       σ·(s - 1)
//   out of it, and in     (σ·(n - s) + (Σ - σ)·s) / 2      equal weights: s·(n - s)·w
//   between two parts     (σ·s' + σ'·s) / 2
#include <cstdint>
#include <span>
#include <vector>

#include "positions.hpp"
#include "sparse_sums.hpp"

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
  /// caller has seen to it that twice the bytes of the exchange fit 63 bits; every sum here is
  /// less.
  void count(std::span<const Member> members);

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
  [[nodiscard]] static std::int64_t bytes_between(const Part& a, const Part& b) {
    return (a.weight * b.members + b.weight * a.members) / 2;
  }
  [[nodiscard]] std::int64_t bytes_out_of(const Part& part) const {
    return bytes_between(part, {whole_.members - part.members, whole_.weight - part.weight});
  }
  /// Bytes by the innermost level two ends share, the last entry for one server.
  [[nodiscard]] std::vector<std::int64_t> bytes_by_level(std::size_t domain_levels) const;

 private:
  const DomainLevels& domains_;
  Part whole_;
  SparseSums server_members_;
  SparseSums server_weight_;
  SparseSums domain_members_;
  SparseSums domain_weight_;
};

}  // namespace zonecut
