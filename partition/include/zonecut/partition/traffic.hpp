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
  AllToAll,  ///< each member sends `bytes` to every other one; with `first_share`, its own share to
             ///< each, or to each the receiver's share, and `bytes` is the mean
  Pipeline,  ///< member i sends `bytes` to i+1 and gets `bytes` back; last and first exchange
             ///< `wrap_bytes` each way
  Chain,     ///< member i sends `bytes` to member i+1, the last one to nobody
  Broadcast,  ///< the same, but all of them send at once, in pieces far smaller than `bytes`
  Direct,     ///< member 0 sends `bytes` to member 1
};

/// Whose share a flow of an unequal all-to-all is: embeddings that are looked up have the size of
/// their owner's part, who sends them, and their gradients come back to him.
enum class ShareOf : std::uint8_t { Sender, Receiver };

struct Group {
  Pattern pattern = Pattern::Ring;
  std::uint32_t first_member = 0;  ///< into Traffic::members
  std::uint32_t size = 0;
  Bytes bytes = {};
  Bytes wrap_bytes = {};
  std::optional<std::uint32_t> first_share =
      std::nullopt;  ///< into Traffic::shares, one for each member
  ShareOf share_of = ShareOf::Sender;
  /// AllToAll: member i sends to member i+s mod n in step s, and each step waits for the one
  /// before; else all send at once.
  bool stepwise = false;
  bool any_order = false;  ///< a ring whose members may follow each other as they like
  /// In how many messages, one after the other, the bytes of each flow pass: the steps of a ring,
  /// how often an all-to-all or tree runs. Pipelines and chains pass each on to the next hop when
  /// they have it; round the wrap go (passes - 1)/passes as many.
  std::int64_t messages = 1;
  std::int64_t passes = 1;  ///< how often a micro-batch goes through the stages (virtual stages)
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

/// The traffic of a job, by the formulas of docs/traffic.md. A job of fewer ranks than a server
/// holds has one server of that many. Throws InputError where the numbers do not fit together (more
/// stages than layers, more than 62 bits of bytes, a last server that is not full). O(members of
/// all groups).
[[nodiscard]] Traffic traffic_of(const Job& job, int ranks_per_server);

/// Whether some ring may have its members in any order.
[[nodiscard]] bool has_free_rings(const Traffic& traffic);

/// The same traffic, every ring that may have any order going through its members by the place of
/// their servers; `place` by vertex. Where places number the servers of each domain one after the
/// other, no order of a ring has fewer edges between domains, at any level. O(members log members).
[[nodiscard]] Traffic arranged(const Traffic& traffic, std::span<const std::size_t> place);

/// What the iteration waits for: each phase with 1 − overlap of its bytes, rounded. None where
/// nothing is hidden. O(members).
[[nodiscard]] std::optional<Traffic> exposed(const Traffic& traffic);

/// Calls `visit` for every flow of one group; the order is fixed. Ring of two: two flows.
void for_each_flow(const Traffic& traffic, const Group& group,
                   const std::function<void(const Flow&)>& visit);

/// A place in the groups: fastest axis first, -1 where an axis does not apply. Dense jobs: (cp, dp,
/// pp); mixture of experts: (ep, expert replica, pp); HSDP: (shard, replica, 0). The encoder of a
/// multimodal job has coordinates of its own, with -1 for its stage.
using Coordinates = std::array<int, 3>;

/// Coordinates of each vertex (server's worth of ranks), dense from 0 on each axis; empty when the
/// job has no such structure.
[[nodiscard]] std::vector<Coordinates> vertex_coordinates(const Job& job, int ranks_per_server);

/// Roughly where vertices stand, for a job whose vertices have no coordinates since places of its
/// outermost axis (stages, as a rule) share them: a row for each of these, a vertex in the row of
/// its first rank, after those that begin there before it: (0, place in the row, row). They may
/// guide a search but prove nothing. Empty where there are no two rows, or hardly two vertices a
/// row. O(vertices).
[[nodiscard]] std::vector<Coordinates> rough_coordinates(const Job& job, int ranks_per_server);

}  // namespace zonecut
