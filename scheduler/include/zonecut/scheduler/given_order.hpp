#pragma once
// A rank order that somebody gives, on a cluster where jobs run already: which of these has that
// order, and what is left for it. Used to judge an order, never to change one.
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "zonecut/topology/state.hpp"

namespace zonecut {

/// The job that holds GPUs on most of these servers, most GPUs where several do; none where nobody
/// holds any. O(GPUs of the servers).
[[nodiscard]] std::optional<JobId> job_on(const ClusterView& view,
                                          std::span<const ServerId> servers);

/// A server stands in the order once for each of its shares of the ranks.
struct GivenOrder {
  std::string job;  ///< its name
  std::span<const ServerId> servers;
  std::size_t ranks_per_server = 1;
};

/// The job of the state that has this order: the one that holds most of these servers, unless it
/// has another name and leaves room enough on all of them.
[[nodiscard]] std::optional<JobId> job_with_order(const ClusterView& view, const GivenOrder& order);

/// What there is for a job with its order: what the state calls the same job holds nothing.
struct OrderView {
  ClusterView view;             ///< nobody holds anything on `taken`
  std::vector<ServerId> taken;  ///< of the order, where others leave too little room; ascending
};
[[nodiscard]] OrderView view_for_order(const ClusterView& view, const GivenOrder& order);

/// The same, were these servers up and their GPUs well.
[[nodiscard]] ClusterView well_on(const ClusterView& view, std::span<const ServerId> servers);

}  // namespace zonecut
