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

/// Whether the order needs all GPUs that a job holds, wherever it does.
[[nodiscard]] bool holds_no_more(const ClusterView& view, JobId job, const GivenOrder& order);

/// The job of the state that has this order: the one of the same name, where it holds GPUs of these
/// servers, else the one that holds most of them, where it holds no more than the order needs and
/// leaves no room for it.
[[nodiscard]] std::optional<JobId> job_with_order(const ClusterView& view, const GivenOrder& order);

/// Those of which each holds what the order needs of every one of its servers, by id: the one of
/// the same name alone; else those that hold no more than that, where there is no room beside them.
[[nodiscard]] std::vector<JobId> holders_of(const ClusterView& view, const GivenOrder& order);

/// What is held for a job that runs in this order.
struct HeldOrder {
  std::optional<JobId> job;  ///< of the state; none where it knows the job by no name of its own
  std::vector<GpuId> gpus;   ///< of these servers, ascending
};
/// As job_with_order(), and a job of another name that holds just what the order needs. Where none
/// does, but a job of unknown traffic holds that and more, such as all jobs of Slurm together, this
/// one is part of it: what the order needs of its GPUs, well ones first.
[[nodiscard]] HeldOrder held_order(const ClusterView& view, const GivenOrder& order);

/// What there is for a job with its order: what the state calls the same job holds nothing.
struct OrderView {
  ClusterView view;             ///< nobody holds anything on `taken`
  std::vector<ServerId> taken;  ///< of the order, where others leave too little room; ascending
};
[[nodiscard]] OrderView view_for_order(const ClusterView& view, const GivenOrder& order);

/// The same, were these servers up and their GPUs well.
[[nodiscard]] ClusterView well_on(const ClusterView& view, std::span<const ServerId> servers);

}  // namespace zonecut
