#pragma once
// What an order costs while a search exchanges servers of it two at a time: the same seconds as
// predict() with ideal balancing and no other job, bit for bit, at the price of the flows of two
// servers instead of all. Beside other jobs links have what these leave to as many flows as the job
// has there to begin with. Everything it keeps is a sum of whole numbers, so that a swap and its
// reverse leave nothing behind.
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "zonecut/partition/traffic.hpp"
#include "zonecut/scheduler/background.hpp"
#include "zonecut/topology/fabric.hpp"

namespace zonecut {

class SwapEvaluator {
 public:
  /// Borrows all but `servers`, which are by vertex. O(flows · levels). Throws InputError as
  /// predict() does where bytes do not fit.
  SwapEvaluator(const Cluster& cluster, const Fabric& fabric, const Traffic& traffic,
                std::vector<ServerId> servers, const Background& background = {});
  SwapEvaluator(const SwapEvaluator&) = delete;
  SwapEvaluator& operator=(const SwapEvaluator&) = delete;
  SwapEvaluator(SwapEvaluator&&) noexcept;
  SwapEvaluator& operator=(SwapEvaluator&&) noexcept;
  ~SwapEvaluator();

  /// Exchanges the servers of two vertices. O(flows of both · levels · log(servers)).
  void swap(std::size_t a, std::size_t b);
  /// Of an iteration; infinite where a link that has failed must be passed, which predict()
  /// refuses. O(phases · stages).
  [[nodiscard]] Seconds communication() const;
  [[nodiscard]] std::span<const ServerId> servers() const;

  struct Swap {
    std::size_t a;
    std::size_t b;
  };
  /// Exchanges that take load off the links which the slowest phases wait for, those that take the
  /// most off first, `most` at most for each of two phases. Of a domain's links: a vertex in it
  /// that sends more out than it would once outside, for one outside of which the same holds. Of a
  /// server's: for a server whose links carry more. Empty unless is_incremental(). O(flows of these
  /// phases · log).
  [[nodiscard]] std::vector<Swap> promising(std::size_t most) const;
  /// Flows that swapping these two moves.
  [[nodiscard]] std::size_t flows_of(const Swap& swap) const;

  /// Whether swaps are counted. Elsewhere every communication() is a prediction of its own: where a
  /// server holds several vertices or NVLink joins servers, on rails where servers differ in GPUs,
  /// with pairwise exchanges, and past 20,000,000 flows.
  [[nodiscard]] bool is_incremental() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace zonecut
