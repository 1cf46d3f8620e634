// The grid of a job's servers, where a server's ranks are a box of the grid of ranks.
#include <algorithm>
#include <ranges>

#include "job/job_check.hpp"
#include "job/rank_grid.hpp"
#include "traffic/work_traffic.hpp"
#include "zonecut/base/error.hpp"
#include "zonecut/partition/encoder.hpp"
#include "zonecut/partition/traffic.hpp"

namespace zonecut {
namespace {

struct Contracted {
  RankGrid grid;
  std::array<Axis, 3> axes;  ///< of the coordinates
};

/// Shards are the inner part of the data-parallel axis. Ep, of size 1 in the dense grid, stands in
/// for them.
std::optional<Contracted> hybrid(const Training& t, std::int64_t ranks_per_server) {
  const Parallelism& p = t.parallelism;
  if (p.cp > 1) return std::nullopt;  // shard groups then run over two axes
  const std::int64_t shard = shard_size(t, ranks_per_server);
  const AxisOrder order = dense_grid(p).order();
  AxisOrder split{};
  auto out = split.begin();
  for (const Axis axis : order) {
    if (axis == Axis::Ep) continue;
    if (axis == Axis::Dp) *out++ = Axis::Ep;
    *out++ = axis;
  }
  const RankGrid grid(split, {p.tp, 1, shard, p.dp / shard, p.pp});
  const auto contracted = grid.contracted(ranks_per_server, Axis::Tp);
  if (!contracted) return std::nullopt;
  return Contracted{*contracted, {Axis::Ep, Axis::Dp, Axis::Pp}};
}

std::optional<Contracted> contracted_grid(const Training& t, std::int64_t ranks_per_server) {
  const Parallelism& p = t.parallelism;
  const bool experts = t.model.experts > 0 && p.ep > 1;
  if (t.data_parallel == DataParallelMode::Hsdp && !experts) return hybrid(t, ranks_per_server);
  const RankGrid grid = experts ? expert_grid(p) : dense_grid(p);
  const auto contracted = grid.contracted(ranks_per_server, Axis::Tp);
  if (!contracted) return std::nullopt;
  return Contracted{*contracted, {experts ? Axis::Ep : Axis::Cp, Axis::Dp, Axis::Pp}};
}

std::vector<Coordinates> coordinates_in(const Contracted& servers) {
  std::vector<Coordinates> coordinates(static_cast<std::size_t>(servers.grid.ranks()));
  for (std::size_t vertex = 0; vertex < coordinates.size(); ++vertex) {
    for (std::size_t i = 0; i < servers.axes.size(); ++i) {
      coordinates[vertex][i] = static_cast<int>(
          servers.grid.position(static_cast<std::int64_t>(vertex), servers.axes[i]));
    }
  }
  return coordinates;
}

}  // namespace

std::vector<Coordinates> vertex_coordinates(const Job& job, int ranks_per_server) {
  const auto* training = std::get_if<Training>(&job.work);
  if (training == nullptr) return {};
  ProblemList problems;
  check_job(job, field_name, problems);
  problems.throw_if_any();
  const auto on_server = std::min<std::int64_t>(ranks_per_server, job.ranks());
  const auto servers = contracted_grid(*training, on_server);
  if (!servers) return {};
  if (!training->encoder) return coordinates_in(*servers);

  const auto encoders = contracted_grid(encoder_alone(*training, on_server), on_server);
  if (!encoders) return {};
  std::vector<Coordinates> coordinates = coordinates_in(*encoders);
  for (Coordinates& at : coordinates) at[2] = -1;
  std::ranges::copy(coordinates_in(*servers), std::back_inserter(coordinates));
  return coordinates;
}

std::vector<Coordinates> rough_coordinates(const Job& job, int ranks_per_server) {
  const auto* training = std::get_if<Training>(&job.work);
  if (training == nullptr) return {};
  ZONECUT_ENSURES(ranks_per_server > 0);
  ProblemList problems;
  check_job(job, field_name, problems);
  problems.throw_if_any();
  const std::int64_t first = encoder_ranks(*training);
  const RankGrid grid = dense_grid(training->parallelism);
  const auto outer_first = std::views::reverse(grid.order());
  const auto outermost =
      std::ranges::find_if(outer_first, [&](Axis axis) { return grid.size(axis) > 1; });
  if (outermost == outer_first.end()) return {};
  const std::int64_t row = grid.stride(*outermost);
  if (row < 2 * std::int64_t{ranks_per_server}) return {};

  std::vector<Coordinates> coordinates;
  const std::int64_t encoders = first > 0 ? 1 : 0;  // their row
  std::vector<int> in_row(static_cast<std::size_t>(encoders + grid.size(*outermost)), 0);
  for (std::int64_t rank = 0; rank < first + grid.ranks(); rank += ranks_per_server) {
    const auto at = static_cast<std::size_t>(rank < first ? 0 : encoders + (rank - first) / row);
    coordinates.push_back({0, in_row[at]++, static_cast<int>(at)});
  }
  return coordinates;
}

}  // namespace zonecut
