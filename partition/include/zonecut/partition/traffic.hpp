#pragma once
// Who sends how much to whom in one iteration, kept as groups and expanded to flows only while
// somebody looks: 131,072 ranks in all-to-all groups of 64 are 131,072 members here and 8 million
// flows there. Immutable once built.
#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "zonecut/base/id.hpp"
#include "zonecut/base/units.hpp"
#include "zonecut/partition/job.hpp"

namespace zonecut {

/// How a group's bytes run over its members, in member order.
enum class Pattern : std::uint8_t {
  Ring,      ///< member i sends `bytes` to member i+1 mod n
  Tree,      ///< double binary tree over the servers of the members (NCCL): every tree edge carries
             ///< `bytes` each way, and on a server with several members a chain joins them with
             ///< 2·`bytes` each way
  AllToAll,  ///< each member sends `bytes` to every other one; with `first_share` a flow has the
             ///< size of its sender's or its receiver's share (ShareOf), and `bytes` is the mean
  Pipeline,  ///< member i sends `bytes` to i+1 and gets `bytes` back; last and first exchange
             ///< `wrap_bytes` each way
  Chain,     ///< member i sends `bytes` to member i+1, the last one to nobody
  Broadcast,  ///< the same, but all of them send at once, in pieces far smaller than `bytes`
  Direct,     ///< member 0 sends `bytes` to member 1
};

/// Whose share sizes the flows of an unequal all-to-all. Embeddings that are looked up have the
/// size of the part that their sender owns; their gradients go back, to a receiver that owns the
/// part.
enum class ShareOf : std::uint8_t { Sender, Receiver };

struct Group {
  Pattern pattern = Pattern::Ring;
  std::uint32_t first_member = 0;  ///< into Traffic::members
  std::uint32_t size = 0;
  Bytes bytes = {};
  Bytes wrap_bytes = {};
  /// Into Traffic::shares, one for each member.
  std::optional<std::uint32_t> first_share = std::nullopt;
  ShareOf share_of = ShareOf::Sender;
  /// AllToAll: member i sends to member i+s mod n in step s, and each step waits for the one
  /// before; else all send at once.
  bool stepwise = false;
  bool any_order = false;  ///< a ring whose members may follow each other as they like
  /// How many messages, sent one after the other, the bytes of each flow are split into: the steps
  /// of a ring, or how often an all-to-all or a tree runs. In a pipeline or chain a member passes
  /// each message on as soon as it has all of it; a pipeline's wrap carries (passes - 1)/passes as
  /// many messages as its other hops.
  std::int64_t messages = 1;
  std::int64_t passes = 1;  ///< how often a micro-batch goes through the stages: virtual stages
};

/// Groups that communicate at the same time; phases follow each other unless they overlap with
/// computation.
struct Phase {
  /// Training: "tp", "cp", "etp", "ep", "pp", "dp", "edp" (gradients of experts), "dp_replica" and
  /// "edp_replica" (between HSDP shards). Recommendation: "a2a", "a2a_back", "dp". Inference: "kv",
  /// "tp". Else the name of an explicit collective, or "matrix".
  std::string name;
  std::vector<Group> groups;
  std::int64_t steps = 0;  ///< sequential messages on the longest chain: each costs one latency
  double overlap = 0;      ///< share of its time hidden behind computation, 0 to 1
};

struct Flow {
  RankId from;
  RankId to;
  Bytes bytes;
};

struct Traffic {
  std::size_t ranks = 0;
  std::size_t ranks_per_server = 8;  ///< consecutive ranks share a server
  std::vector<RankId> members;       ///< of all groups, one after the other
  std::vector<Phase> phases;
  // gcc wants it said in aggregates. NOLINTNEXTLINE(readability-redundant-member-init)
  std::vector<Bytes> shares = {};  ///< of unequal all-to-all groups, see Group::first_share

  [[nodiscard]] std::size_t vertices() const noexcept {
    return (ranks + ranks_per_server - 1) / ranks_per_server;
  }
  [[nodiscard]] std::span<const RankId> members_of(const Group& group) const {
    return std::span(members).subspan(group.first_member, group.size);
  }
  /// Empty unless the group is an unequal all-to-all.
  [[nodiscard]] std::span<const Bytes> shares_of(const Group& group) const {
    if (!group.first_share) return {};
    return std::span(shares).subspan(*group.first_share, group.size);
  }
};

/// The traffic of a job, by the formulas of docs/traffic.md. Where the job has fewer ranks than
/// `ranks_per_server`, all of them share one server. Throws InputError where the job contradicts
/// itself (more stages than layers), its bytes do not fit 62 bits, or its ranks do not fill the
/// last server. O(members of all groups).
[[nodiscard]] Traffic traffic_of(const Job& job, int ranks_per_server);

/// Whether some ring may have its members in any order.
[[nodiscard]] bool has_free_rings(const Traffic& traffic);

/// The same traffic with the members of every free ring (Group::any_order) sorted by the place of
/// their servers; `place` by vertex. If places number the servers depth first, as ServerId does, no
/// order of a ring has fewer edges between domains, at any level. O(members log members).
[[nodiscard]] Traffic arranged(const Traffic& traffic, std::span<const std::size_t> place);

/// The traffic that the iteration waits for: each phase with 1 − overlap of its bytes, rounded.
/// None where no phase is hidden behind computation, and it is `traffic` itself. O(members).
[[nodiscard]] std::optional<Traffic> exposed(const Traffic& traffic);

/// Calls `visit` for every flow of one group; the order is fixed. Ring of two: two flows.
void for_each_flow(const Traffic& traffic, const Group& group,
                   const std::function<void(const Flow&)>& visit);

/// A place in the groups: fastest axis first, -1 where an axis does not apply. Dense jobs: (cp, dp,
/// pp); mixture of experts: (ep, expert replica, pp); HSDP: (shard, replica, 0). The encoder of a
/// multimodal job has coordinates of its own, with -1 for its stage.
using Coordinates = std::array<int, 3>;

/// Coordinates of each vertex (server's worth of ranks), dense from 0 on each axis. Empty where a
/// server's ranks are no box of the job's grid, and for jobs other than training. Throws InputError
/// where the job contradicts itself. O(vertices).
[[nodiscard]] std::vector<Coordinates> vertex_coordinates(const Job& job, int ranks_per_server);

/// Approximate coordinates for a training job that has no vertex_coordinates(), since servers hold
/// ranks of two places of its outermost axis (as a rule, of two pipeline stages). Each of these
/// places is a row, and a vertex belongs to the row of its first rank: (0, number within the row,
/// row). They may guide a search but prove nothing. Empty where there is only one row, or a row has
/// fewer ranks than two servers. Throws as vertex_coordinates(). O(vertices).
[[nodiscard]] std::vector<Coordinates> rough_coordinates(const Job& job, int ranks_per_server);

}  // namespace zonecut
