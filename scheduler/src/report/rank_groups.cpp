#include "report/rank_groups.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "zonecut/partition/encoder.hpp"

namespace zonecut::report {
namespace {

/// One way to number the ranks.
struct Axis {
  std::string name;  ///< "pipeline stage"
  std::string noun;  ///< "stage"
  std::vector<std::uint32_t> value;
  std::vector<std::string> labels;       ///< of the values, where a noun and a number would not do
  std::optional<std::uint32_t> encoder;  ///< the last value, where an encoder's ranks have it
};

std::uint32_t values_of(const Axis& axis) {
  return axis.value.empty() ? 0 : *std::max_element(axis.value.begin(), axis.value.end()) + 1;
}

/// The product of the sizes of all axes faster than `wanted` in "tp-cp-ep-dp-pp".
std::size_t stride_of(const Parallelism& parallelism, std::string_view wanted) {
  std::size_t stride = 1;
  std::string_view rest = parallelism.order;
  while (!rest.empty()) {
    const std::string_view axis = rest.substr(0, rest.find('-'));
    if (axis == wanted) break;
    const int size = axis == "tp"   ? parallelism.tp
                     : axis == "cp" ? parallelism.cp
                     : axis == "dp" ? parallelism.dp
                     : axis == "pp" ? parallelism.pp
                                    : 1;  // "ep" lies across the others and has no size of its own
    stride *= static_cast<std::size_t>(size);
    rest.remove_prefix(std::min(rest.size(), axis.size() + 1));
  }
  return stride;
}

/// Of the ranks from `first` on; those before have 0.
Axis grid_axis(const Parallelism& parallelism, std::size_t first, std::size_t ranks,
               std::string_view key, int size, std::string name, std::string noun) {
  Axis axis{std::move(name), std::move(noun), std::vector<std::uint32_t>(ranks), {}, {}};
  const std::size_t stride = stride_of(parallelism, key);
  for (std::size_t rank = first; rank < ranks; ++rank) {
    axis.value[rank] =
        static_cast<std::uint32_t>((rank - first) / stride % static_cast<std::size_t>(size));
  }
  return axis;
}

/// What each of `encoders` replicas of an encoder feeds of so many others: the first of them.
std::uint32_t fed_by(std::uint32_t encoder, std::uint32_t encoders, std::uint32_t replicas) {
  return static_cast<std::uint32_t>(std::uint64_t{encoder} * replicas / encoders);
}

/// An axis that only the coordinates of the vertices know. An encoder's go with what they feed.
Axis vertex_axis(const PlacementProblem& problem, std::size_t first, std::size_t which,
                 std::string name, std::string noun) {
  Axis axis{std::move(name), std::move(noun), {}, {}, {}};
  if (problem.coordinates.empty()) return axis;
  axis.value.resize(problem.traffic.ranks);
  for (std::size_t rank = 0; rank < axis.value.size(); ++rank) {
    const Coordinates& at = problem.coordinates[rank / problem.traffic.ranks_per_server];
    axis.value[rank] = static_cast<std::uint32_t>(std::max(0, at[which]));
  }
  const auto language = axis.value.begin() + static_cast<std::ptrdiff_t>(first);
  if (first == 0) return axis;
  const std::uint32_t encoders = *std::max_element(axis.value.begin(), language) + 1;
  const std::uint32_t replicas = *std::max_element(language, axis.value.end()) + 1;
  for (std::uint32_t& value : std::span(axis.value).first(first))
    value = fed_by(value, encoders, replicas);
  return axis;
}

/// The encoder as the stage of this number, which comes after the last, so that those of the
/// language model have the numbers that they have without it.
void add_stage_of_encoder(Axis& stages, std::size_t encoder_ranks, std::uint32_t number) {
  stages.name = fmt::format("pipeline stage, {} the encoder", number);
  stages.encoder = number;
  std::ranges::fill(std::span(stages.value).first(encoder_ranks), number);
}

void add_training_axes(const PlacementProblem& problem, const Training& training,
                       std::vector<Axis>& axes) {
  const Parallelism& p = training.parallelism;
  const std::size_t ranks = problem.traffic.ranks;
  const auto first = static_cast<std::size_t>(encoder_ranks(training));
  axes.push_back(grid_axis(p, first, ranks, "pp", p.pp, "pipeline stage", "stage"));
  if (first > 0) add_stage_of_encoder(axes.back(), first, static_cast<std::uint32_t>(p.pp));
  if (training.data_parallel == DataParallelMode::Hsdp)
    axes.push_back(vertex_axis(problem, first, 1, "HSDP replica", "replica"));
  if (p.ep > 1)
    axes.push_back(vertex_axis(problem, first, 1, "replica of the experts", "expert replica"));
  axes.push_back(grid_axis(p, first, ranks, "dp", p.dp, "data-parallel replica", "replica"));
  if (training.encoder) {
    // With the replica, or the first one, that an encoder feeds.
    const int encoders = encoder_dp(training);
    const Parallelism grid{.tp = training.encoder->tp, .dp = encoders, .order = p.order};
    const Axis fed = grid_axis(grid, 0, first, "dp", encoders, {}, {});
    for (std::size_t rank = 0; rank < first; ++rank) {
      axes.back().value[rank] = fed_by(fed.value[rank], static_cast<std::uint32_t>(encoders),
                                       static_cast<std::uint32_t>(p.dp));
    }
  }
  axes.push_back(grid_axis(p, first, ranks, "cp", p.cp, "context-parallel slice", "slice"));
  // An encoder and a single stage hardly tell ranks apart.
  if (p.pp == 1) std::ranges::rotate(axes, axes.begin() + 1);
}

Axis inference_axis(const Inference& inference, std::size_t ranks) {
  const std::size_t prefill = static_cast<std::size_t>(inference.prefill_replicas) *
                              static_cast<std::size_t>(inference.prefill_tp);
  Axis axis{"role", "role", std::vector<std::uint32_t>(ranks), {"prefill", "decode"}, {}};
  for (std::size_t rank = prefill; rank < ranks; ++rank) axis.value[rank] = 1;
  return axis;
}

/// Where nothing is known about the ranks: eighths of them, in order.
Axis rank_axis(std::size_t ranks) {
  constexpr std::size_t kBlocks = 8;
  Axis axis{"rank", "ranks", std::vector<std::uint32_t>(ranks), {}, {}};
  const std::size_t block = std::max<std::size_t>(1, (ranks + kBlocks - 1) / kBlocks);
  for (std::size_t first = 0; first < ranks; first += block) {
    const std::size_t last = std::min(first + block, ranks) - 1;
    axis.labels.push_back(first == last ? fmt::format("rank {}", first)
                                        : fmt::format("ranks {}–{}", first, last));
    for (std::size_t rank = first; rank <= last; ++rank)
      axis.value[rank] = static_cast<std::uint32_t>(rank / block);
  }
  return axis;
}

/// The share of servers that are in the zone where most servers of their value are: 1 when no value
/// is divided between zones. One server of each value is not counted, as it is at home anywhere;
/// else many small values would seem to explain whatever they are scattered over.
double explained(const Axis& axis, const PlacementProblem& problem,
                 std::span<const ServerId> servers) {
  const Cluster& cluster = *problem.view.cluster;
  std::map<std::uint32_t, std::map<DomainId, std::size_t>> count;
  for (std::size_t vertex = 0; vertex < servers.size(); ++vertex) {
    const std::size_t rank = vertex * problem.traffic.ranks_per_server;
    if (rank >= axis.value.size()) break;
    ++count[axis.value[rank]][cluster.domain_of(servers[vertex], cluster.zone_level())];
  }
  std::size_t at_home = 0;
  for (const auto& [value, zones] : count) {
    std::size_t most = 0;
    for (const auto& [zone, number] : zones) most = std::max(most, number);
    at_home += most;
  }
  const std::size_t free_choice = count.size();
  if (servers.size() <= free_choice) return 0;
  return static_cast<double>(at_home - free_choice) /
         static_cast<double>(servers.size() - free_choice);
}

/// The first axis, unless a later one explains the zones clearly better.
const Axis& choose(const std::vector<Axis>& axes, const PlacementProblem& problem,
                   std::span<const ServerId> servers) {
  constexpr double kClearly = 0.15;
  const Axis* best = &axes.front();
  double best_score = explained(*best, problem, servers);
  for (const Axis& axis : axes) {
    const double score = explained(axis, problem, servers);
    if (score > best_score + kClearly) {
      best = &axis;
      best_score = score;
    }
  }
  return *best;
}

std::string label_of(const Axis& axis, std::uint32_t first, std::uint32_t last) {
  if (first < axis.labels.size()) return axis.labels[first];
  if (last == axis.encoder)
    return first == last ? "encoder" : label_of(axis, first, last - 1) + ", encoder";
  if (first == last) return fmt::format("{} {}", axis.noun, first);
  return fmt::format("{}s {}–{}", axis.noun, first, last);
}

RankGroups grouped_by(const Axis& axis) {
  RankGroups groups;
  groups.axis = axis.name;
  const std::uint32_t values = values_of(axis);
  const auto most = static_cast<std::uint32_t>(RankGroups::kMost);
  const std::uint32_t share = std::max(1U, (values + most - 1) / most);
  for (std::uint32_t first = 0; first < values; first += share) {
    const std::uint32_t last = std::min(first + share, values) - 1;
    groups.entries.push_back(
        {std::string(1, static_cast<char>('A' + first / share)), label_of(axis, first, last), 0});
  }
  groups.of_rank.reserve(axis.value.size());
  for (const std::uint32_t value : axis.value) {
    groups.of_rank.push_back(static_cast<std::uint8_t>(value / share));
    ++groups.entries[value / share].ranks;
  }
  return groups;
}

}  // namespace

RankGroups rank_groups(const PlacementProblem& problem, std::span<const ServerId> servers) {
  const std::size_t ranks = problem.traffic.ranks;
  std::vector<Axis> axes;
  if (const auto* training = std::get_if<Training>(&problem.job.work))
    add_training_axes(problem, *training, axes);
  if (const auto* inference = std::get_if<Inference>(&problem.job.work))
    axes.push_back(inference_axis(*inference, ranks));
  std::erase_if(axes, [](const Axis& axis) { return values_of(axis) < 2; });
  if (axes.empty()) axes.push_back(rank_axis(ranks));

  const Axis& chosen = choose(axes, problem, servers);
  RankGroups groups = grouped_by(chosen);
  for (const Axis& axis : axes) {
    const bool numbers = axis.labels.empty() && axis.name != chosen.name;
    if (!numbers) continue;
    groups.number_axis = axis.name;
    groups.number_of_rank = axis.value;
    break;
  }
  return groups;
}

}  // namespace zonecut::report
