#pragma once
// What a rank order costs while a search swaps two of its servers at a time. A swap costs work for
// the flows of these two servers only. Without other jobs the result equals predict() with ideal
// balancing bit for bit. With other jobs it is approximate: each link's capacity is fixed at what
// these leave to the flows of the order at the start. All sums kept are integers, so a swap and its
// reverse restore the state exactly.
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
  /// Borrows fabric and traffic. `servers` by vertex. O(flows · levels). Throws InputError
  /// where the bytes of an iteration do not fit 62 bits.
  SwapEvaluator(const Fabric& fabric, const Traffic& traffic, std::vector<ServerId> servers,
                const Background& background = {});
  SwapEvaluator(const SwapEvaluator&) = delete;
  SwapEvaluator& operator=(const SwapEvaluator&) = delete;
  SwapEvaluator(SwapEvaluator&&) noexcept;
  SwapEvaluator& operator=(SwapEvaluator&&) noexcept;
  ~SwapEvaluator();

  /// Exchanges the servers of two vertices. O(flows of both · levels · log(servers)).
  void swap(std::size_t a, std::size_t b);
  /// Predicted communication of one iteration. Infinite where a flow must pass a failed link, for
  /// which predict() throws. O(phases · stages).
  [[nodiscard]] Seconds communication() const;
  [[nodiscard]] std::span<const ServerId> servers() const;

  struct Swap {
    std::size_t a;
    std::size_t b;
  };
  /// Swaps that are likely to help: at most `most` for each of the two phases that take longest.
  /// Each takes load off the bundle of links that the phase waits for, largest gain first. Of a
  /// domain's bundle: a vertex inside for one outside, the gain as in Kernighan and Lin (1970). Of
  /// a server's bundle: its vertex for that of a server on which both would finish sooner. Empty
  /// unless is_incremental(). O((flows of these phases + vertices) · log).
  [[nodiscard]] std::vector<Swap> promising(std::size_t most) const;
  /// The number of flows that the swap moves: its cost.
  [[nodiscard]] std::size_t flows_of(const Swap& swap) const;

  /// Whether swap() and communication() work incrementally. If not, each communication() is a full
  /// prediction, without other jobs: where a server holds several vertices or NVLink joins servers,
  /// where servers on rails differ in GPUs, with stepwise all-to-alls, and above 20,000,000 flows.
  [[nodiscard]] bool is_incremental() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace zonecut
