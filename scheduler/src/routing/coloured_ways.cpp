#include "routing/coloured_ways.hpp"

#include <algorithm>

#include "routing/edge_colours.hpp"
#include "routing/regular_parts.hpp"

namespace zonecut {
namespace {

/// Vertices of one side: a new one for every `capacity` edges of a key.
class Vertices {
 public:
  explicit Vertices(std::size_t keys) : met_(keys, 0), vertex_(keys, 0) {}

  void begin(std::uint32_t capacity) {
    for (const std::size_t key : touched_) met_[key] = 0;
    touched_.clear();
    capacity_ = capacity;
    next_ = 0;
  }
  [[nodiscard]] std::uint32_t add(std::size_t key) {
    if (met_[key] == 0) touched_.push_back(key);
    if (met_[key]++ % capacity_ == 0) vertex_[key] = next_++;
    return vertex_[key];
  }

 private:
  std::vector<std::uint32_t> met_;
  std::vector<std::uint32_t> vertex_;
  std::vector<std::size_t> touched_;
  std::uint32_t capacity_ = 1;
  std::uint32_t next_ = 0;
};

class TopDown {
 public:
  TopDown(const Cables& cables, std::span<const LeafFlow> flows, int highest, BusyCables& busy,
          ChosenWays& ways)
      : cluster_(cables.fabric().cluster()),
        cables_(cables),
        links_(cables.fabric().links()),
        flows_(flows),
        highest_(highest),
        busy_(busy),
        ways_(ways),
        parts_(cables),
        routed_(flows.size(), false),
        climbing_(flows.size(), SwitchId{0}),
        descending_(flows.size(), SwitchId{0}),
        edges_at_(cluster_.domain_count() *
                  static_cast<std::size_t>(cables.fabric().spec().planes)),
        lefts_(cables.fabric().switches().size() + cluster_.domain_count()),
        rights_(lefts_) {}

  [[nodiscard]] std::vector<bool> run() && {
    for (const LeafFlow& flow : flows_) {
      if (flow.turn == cluster_.rack_level()) continue;
      parts_.take_part(flow.from->leaf);
      parts_.take_part(flow.to->leaf);
    }
    for (std::size_t i = 0; i < flows_.size(); ++i) routed_[i] = passes_regular_parts(flows_[i]);
    for (int level = highest_; level < cluster_.rack_level(); ++level) colour_tier(level);
    return std::move(routed_);
  }

 private:
  enum class Side : std::uint8_t { Turn, Climb, Descend };
  /// Of a flow in one domain: where it turns, or on its way further up or down.
  struct Edge {
    std::uint32_t flow;
    Side side;
  };
  /// What a colour stands for: a link up of every leaf or switch below, by its position.
  struct Slot {
    SwitchId at;
    std::size_t link;
  };

  [[nodiscard]] DomainId ancestor(SwitchId leaf, int level) const {
    return cluster_.ancestor(cables_.fabric().switches()[leaf.index()].place.domain, level);
  }
  [[nodiscard]] SwitchId upper(SwitchId at, std::size_t link = 0) const {
    return links_[cables_.up_links(at)[link].index()].upper;
  }
  /// A switch of the leaf's plane in its domain of this level.
  [[nodiscard]] SwitchId sample_above(SwitchId leaf, int level) const {
    SwitchId at = leaf;
    for (int step = cluster_.rack_level(); step > level; --step) at = upper(at);
    return at;
  }

  [[nodiscard]] bool passes_regular_parts(const LeafFlow& flow) {
    if (flow.turn == cluster_.rack_level()) return true;
    if (flow.turn < highest_) return false;
    const bool as_far_as_needed =
        ancestor(flow.from->leaf, flow.turn) == ancestor(flow.to->leaf, flow.turn) &&
        (flow.turn + 1 == cluster_.rack_level() ||
         ancestor(flow.from->leaf, flow.turn + 1) != ancestor(flow.to->leaf, flow.turn + 1));
    return as_far_as_needed && is_regular_below(flow.from->leaf, flow.turn) &&
           is_regular_below(flow.to->leaf, flow.turn);
  }

  [[nodiscard]] bool is_regular_below(SwitchId leaf, int turn) {
    if (!parts_.alike(leaf)) return false;
    if (turn + 1 < cluster_.rack_level() && !parts_.even(leaf)) return false;
    SwitchId at = leaf;
    for (int level = cluster_.rack_level() - 1; level > turn; --level) {
      at = upper(at);
      if (!parts_.cables_up(at)) return false;
    }
    return true;
  }

  void colour_tier(int level) {
    for (auto& edges : edges_at_) edges.clear();
    const auto place_above = [&](const Cables::Port* port) {
      const auto planes = static_cast<std::size_t>(cables_.fabric().spec().planes);
      const SwitchRef& leaf = cables_.fabric().switches()[port->leaf.index()].place;
      return ancestor(port->leaf, level).index() * planes + static_cast<std::size_t>(leaf.plane);
    };
    for (std::uint32_t i = 0; i < flows_.size(); ++i) {
      if (!routed_[i] || flows_[i].turn > level) continue;
      const bool turns = flows_[i].turn == level;
      edges_at_[place_above(flows_[i].from)].push_back({i, turns ? Side::Turn : Side::Climb});
      if (!turns) edges_at_[place_above(flows_[i].to)].push_back({i, Side::Descend});
    }
    for (auto& edges : edges_at_) {
      if (!edges.empty()) colour(edges, level);
    }
  }

  /// Where leaves have more cables to some switches than to others, which is regular as long as
  /// nothing goes further up, each cable is a colour.
  [[nodiscard]] std::vector<Slot> slots_at(const Edge& sample, int level) const {
    const LeafFlow& flow = flows_[sample.flow];
    const SwitchId leaf = sample.side == Side::Descend ? flow.to->leaf : flow.from->leaf;
    const SwitchId below = sample_above(leaf, level + 1);
    const bool by_cable = below == leaf && !parts_.even(leaf);
    std::vector<Slot> slots;
    for (std::size_t link = 0; link < cables_.up_links(below).size(); ++link) {
      const LinkId id = cables_.up_links(below)[link];
      const int each = by_cable ? links_[id.index()].cables : 1;
      slots.insert(slots.end(), static_cast<std::size_t>(each), {upper(below, link), link});
    }
    return slots;
  }

  /// A child of the domain at this level, or the leaf itself.
  [[nodiscard]] std::size_t key_of(SwitchId leaf, int level) const {
    if (level + 1 == cluster_.rack_level()) return leaf.index();
    return cables_.fabric().switches().size() + ancestor(leaf, level + 1).index();
  }

  /// All edges of one domain and plane, by falling size.
  void colour(std::span<const Edge> edges, int level) {
    const std::vector<Slot> slots = slots_at(edges.front(), level);
    lefts_.begin(static_cast<std::uint32_t>(slots.size()));
    rights_.begin(static_cast<std::uint32_t>(slots.size()));
    std::vector<BipartiteEdge> graph;
    graph.reserve(edges.size());
    for (const Edge& edge : edges) {
      const LeafFlow& flow = flows_[edge.flow];
      const bool from_above = edge.side == Side::Descend;
      const bool to_above = edge.side == Side::Climb;
      graph.push_back(
          {lefts_.add(from_above ? descending_[edge.flow].index() : key_of(flow.from->leaf, level)),
           rights_.add(to_above ? climbing_[edge.flow].index() : key_of(flow.to->leaf, level))});
    }
    const std::vector<std::uint32_t> colours =
        edge_colours(graph, static_cast<std::uint32_t>(slots.size()));
    for (std::size_t i = 0; i < edges.size(); ++i) settle(edges[i], slots[colours[i]], level);
  }

  /// Takes the cables below the switch of this colour if they lead to leaves, and those above it.
  void settle(const Edge& edge, const Slot& slot, int level) {
    const LeafFlow& flow = flows_[edge.flow];
    const auto way = ways_.of(edge.flow, flow);
    const auto hop = static_cast<std::size_t>(cluster_.rack_level() - level);
    if (edge.side != Side::Descend) {
      if (hop == 1) way[0] = take(cables_.up_links(flow.from->leaf)[slot.link], Way::Up, flow);
      if (edge.side == Side::Climb)
        way[hop] = take(link_between(slot.at, climbing_[edge.flow]), Way::Up, flow);
      climbing_[edge.flow] = slot.at;
    }
    if (edge.side != Side::Climb) {
      const std::size_t last = way.size() - 1;
      if (hop == 1) way[last] = take(cables_.up_links(flow.to->leaf)[slot.link], Way::Down, flow);
      if (edge.side == Side::Descend)
        way[last - hop] = take(link_between(slot.at, descending_[edge.flow]), Way::Down, flow);
      descending_[edge.flow] = slot.at;
    }
  }

  [[nodiscard]] LinkId link_between(SwitchId lower, SwitchId upper) const {
    const auto ups = cables_.up_links(lower);
    return *std::find_if(ups.begin(), ups.end(),
                         [&](LinkId id) { return links_[id.index()].upper == upper; });
  }

  [[nodiscard]] std::uint32_t take(LinkId link, Way way, const LeafFlow& flow) {
    const std::uint32_t cable = busy_.least(link, way);
    busy_.add(cable, flow.bytes);
    return cable;
  }

  const Cluster& cluster_;
  const Cables& cables_;
  std::span<const Link> links_;
  std::span<const LeafFlow> flows_;
  int highest_;
  BusyCables& busy_;
  ChosenWays& ways_;
  RegularParts parts_;
  std::vector<bool> routed_;
  // By flow: the switches it was given in the tier above.
  std::vector<SwitchId> climbing_;
  std::vector<SwitchId> descending_;
  std::vector<std::vector<Edge>> edges_at_;  // by domain and plane
  Vertices lefts_;
  Vertices rights_;
};

}  // namespace

std::vector<bool> colour_ways(const Cables& cables, std::span<const LeafFlow> flows, int highest,
                              BusyCables& busy, ChosenWays& ways) {
  return TopDown(cables, flows, highest, busy, ways).run();
}

}  // namespace zonecut
