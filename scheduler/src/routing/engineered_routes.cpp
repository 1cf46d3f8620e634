// Between two leaves the shortest paths form a layered graph: switches of the source's side tier by
// tier up to the turn, then of the target's side down. One sweep over its links finds the best path
// for a flow (a shortest path where the length of a path is its busiest cable).
//
// Where flows turn in the tier above their leaves, and all these leaves have the same cables, no
// search is needed: cable k of every leaf leads to the same switch, so a flow's path is a number k,
// and flows of one leaf should have different ones, at both ends. That is an edge colouring of the
// leaves. A leaf with more flows than cables becomes several vertices, the largest flows together
// in the first: then no cable carries more than its even share and one flow (the rounding of
// Shmoys and Tardos 1993), and no more than one flow of the least possible number where all are
// equal.
#include "routing/engineered_routes.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <numeric>

#include "routing/edge_colours.hpp"
#include "routing/up_down_paths.hpp"
#include "zonecut/base/error.hpp"

namespace zonecut {
namespace {

/// How busy a path is once the flow is on it: seconds of its busiest cable, then of all together.
struct Burden {
  double busiest = std::numeric_limits<double>::infinity();
  double sum = 0;
  friend auto operator<=>(const Burden&, const Burden&) = default;
};

class Controller {
 public:
  Controller(const Cluster& cluster, const Cables& cables, Paths paths)
      : cluster_(cluster),
        cables_(cables),
        links_(cables.fabric().links()),
        paths_(cluster, cables),
        keep_(paths == Paths::Keep),
        labels_(cables.fabric().switches().size()) {
    loads_.bytes.assign(2 * cables.count(), 0);
    busy_.assign(2 * cables.count(), 0);
    seconds_per_byte_.reserve(cables.count());
    for (std::size_t cable = 0; cable < cables.count(); ++cable)
      seconds_per_byte_.push_back(1 / cables.capacity(cable));
  }

  /// The next flow, no larger than the one before.
  void add(std::uint32_t number, const NicFlow& flow) {
    const auto [from, to] = ports(flow);
    if (from == nullptr) {
      ++loads_.parted;
      return;
    }
    const Ends ends{number, flow.bytes, from, to};
    load(Cables::load_index(from->cable, Way::Up), flow.bytes);
    load(Cables::load_index(to->cable, Way::Down), flow.bytes);
    if (from->leaf == to->leaf) {
      keep(ends, {});
    } else if (turn_ + 1 == paths_.level(from->leaf)) {
      const SwitchRef place = cables_.fabric().switches()[from->leaf.index()].place;
      near_[{cluster_.domain(place.domain).parent.value_or(Cluster::root()), place.plane}]
          .push_back(ends);
    } else {
      far_.push_back(ends);
    }
  }

  [[nodiscard]] RoutedLoads finish() && {
    for (const auto& [place, flows] : near_) {
      if (const auto cables = common_cables(flows)) {
        colour(flows, *cables);
      } else {
        far_.insert(far_.end(), flows.begin(), flows.end());
      }
    }
    std::stable_sort(far_.begin(), far_.end(),
                     [](const Ends& a, const Ends& b) { return a.bytes > b.bytes; });
    for (const Ends& ends : far_) search(ends);
    return std::move(loads_);
  }

 private:
  /// A flow between two NICs whose cables are loaded already.
  struct Ends {
    std::uint32_t number;
    double bytes;
    const Cables::Port* from;
    const Cables::Port* to;
  };

  void keep(const Ends& ends, std::span<const std::size_t> hops) {
    if (!keep_) return;
    const auto first_hop = static_cast<std::uint32_t>(loads_.hops.size());
    const auto count = static_cast<std::uint32_t>(hops.size() + 2);
    loads_.parts.push_back({ends.number, first_hop, count, ends.bytes});
    const auto add_hop = [&](std::size_t index) {
      loads_.hops.push_back(static_cast<std::uint32_t>(index));
    };
    add_hop(Cables::load_index(ends.from->cable, Way::Up));
    std::for_each(hops.begin(), hops.end(), add_hop);
    add_hop(Cables::load_index(ends.to->cable, Way::Down));
  }

  void take(const Ends& ends, std::span<const std::size_t> hops) {
    for (const std::size_t index : hops) load(index, ends.bytes);
    loads_.rules += static_cast<std::int64_t>(hops.size()) + 1;
    keep(ends, hops);
  }

  /// How many cables each of these leaves has, if all have the same: none down, all alike, and
  /// their k-th ones to the same switch.
  [[nodiscard]] std::optional<std::uint32_t> common_cables(std::span<const Ends> flows) const {
    const auto alike = [&](SwitchId leaf, SwitchId other) {
      const auto a = cables_.up_links(leaf);
      const auto b = cables_.up_links(other);
      return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](LinkId x, LinkId y) {
        const Link& one = links_[x.index()];
        const Link& two = links_[y.index()];
        return one.upper == two.upper && one.cables == two.cables && one.capacity.count > 0 &&
               one.capacity == two.capacity;
      });
    };
    const SwitchId first = flows.front().from->leaf;
    std::vector<bool> seen(cables_.fabric().switches().size(), false);
    for (const Ends& ends : flows) {
      for (const SwitchId leaf : {ends.from->leaf, ends.to->leaf}) {
        if (!seen[leaf.index()] && !alike(first, leaf)) return std::nullopt;
        seen[leaf.index()] = true;
      }
    }
    std::uint32_t cables = 0;
    const LinkId sample = cables_.up_links(first).front();
    const double capacity = cables_.capacity(cables_.first_cable(sample));
    for (const LinkId id : cables_.up_links(first)) {
      if (cables_.capacity(cables_.first_cable(id)) != capacity) return std::nullopt;
      cables += static_cast<std::uint32_t>(links_[id.index()].cables);
    }
    return cables;
  }

  /// The k-th cable up from a leaf.
  [[nodiscard]] std::size_t cable_of(SwitchId leaf, std::size_t k) const {
    for (const LinkId id : cables_.up_links(leaf)) {
      const auto cables = static_cast<std::size_t>(links_[id.index()].cables);
      if (k < cables) return cables_.first_cable(id) + k;
      k -= cables;
    }
    throw InternalError("a leaf has fewer cables than colours");
  }

  /// `flows` by falling size.
  void colour(std::span<const Ends> flows, std::uint32_t cables) {
    // A leaf's vertices, each for as many flows as there are cables.
    using Vertices = std::map<std::pair<SwitchId, std::uint32_t>, std::uint32_t>;
    Vertices lefts;
    Vertices rights;
    std::vector<std::uint32_t> sent(cables_.fabric().switches().size(), 0);
    std::vector<std::uint32_t> received(sent.size(), 0);
    const auto vertex = [&](Vertices& vertices, SwitchId leaf, std::uint32_t flow) {
      const auto next = static_cast<std::uint32_t>(vertices.size());
      return vertices.try_emplace({leaf, flow / cables}, next).first->second;
    };
    std::vector<BipartiteEdge> edges;
    for (const Ends& ends : flows) {
      edges.push_back({vertex(lefts, ends.from->leaf, sent[ends.from->leaf.index()]++),
                       vertex(rights, ends.to->leaf, received[ends.to->leaf.index()]++)});
    }
    const std::vector<std::uint32_t> colours = edge_colours(edges, cables);
    for (std::size_t i = 0; i < flows.size(); ++i) {
      take(flows[i],
           std::array{Cables::load_index(cable_of(flows[i].from->leaf, colours[i]), Way::Up),
                      Cables::load_index(cable_of(flows[i].to->leaf, colours[i]), Way::Down)});
    }
  }

  /// On the path whose busiest cable ends up least busy.
  void search(const Ends& ends) {
    set_destination(ends.to->leaf);
    turn_ = paths_.turn_level(ends.from->leaf).value_or(turn_);  // ports() found that there is one
    sweep(ends.from->leaf, ends.to->leaf, ends.bytes);
    std::vector<std::size_t> hops;
    for (SwitchId at = ends.to->leaf; at != ends.from->leaf; at = label(at).from)
      hops.push_back(label(at).load_index);
    std::reverse(hops.begin(), hops.end());
    take(ends, hops);
  }

  struct Label {
    std::uint32_t sweep = 0;
    Burden burden;
    SwitchId from{0};
    std::size_t load_index = 0;
  };

  /// Of the plane in which the two NICs have the least to do; none where no path works.
  std::pair<const Cables::Port*, const Cables::Port*> ports(const NicFlow& flow) {
    std::pair<const Cables::Port*, const Cables::Port*> best = {nullptr, nullptr};
    double least = std::numeric_limits<double>::infinity();
    const auto from = cables_.ports_of(flow.from);
    const auto to = cables_.ports_of(flow.to);
    for (std::size_t plane = 0; plane < from.size(); ++plane) {
      if (cables_.capacity(from[plane].cable) <= 0 || cables_.capacity(to[plane].cable) <= 0)
        continue;
      const double busy = std::max(busy_[Cables::load_index(from[plane].cable, Way::Up)],
                                   busy_[Cables::load_index(to[plane].cable, Way::Down)]);
      if (busy >= least) continue;
      set_destination(to[plane].leaf);
      const std::optional<int> turn = paths_.turn_level(from[plane].leaf);
      if (!turn) continue;
      turn_ = *turn;
      least = busy;
      best = {&from[plane], &to[plane]};
    }
    if (best.second != nullptr) set_destination(best.second->leaf);
    return best;
  }

  void set_destination(SwitchId leaf) {
    if (destination_ == leaf) return;
    paths_.set_destination(leaf);
    destination_ = leaf;
  }

  void load(std::size_t load_index, double bytes) {
    loads_.bytes[load_index] += bytes;
    busy_[load_index] += bytes * seconds_per_byte_[load_index / 2];
  }
  [[nodiscard]] const Label& label(SwitchId at) const { return labels_[at.index()]; }

  /// Labels the switches between the leaves, up and then down, until the target has its best.
  void sweep(SwitchId from, SwitchId to, double bytes) {
    ++sweep_;
    labels_[from.index()] = {sweep_, {0, 0}, from, 0};
    std::vector<SwitchId>& tier = tier_;
    tier.assign(1, from);
    while (paths_.level(tier.front()) > turn_) {
      next_.clear();
      for (const SwitchId at : tier) {
        for (const LinkId id : cables_.up_links(at)) {
          const Link& link = links_[id.index()];
          if (link.capacity.count > 0 && paths_.can_climb(link.upper, turn_))
            relax(at, link.upper, id, Way::Up, bytes);
        }
      }
      std::swap(tier, next_);
    }
    while (tier.front() != to) {
      next_.clear();
      for (const SwitchId at : tier) {
        for (const LinkId id : cables_.down_links(at)) {
          const Link& link = links_[id.index()];
          const auto* lower = std::get_if<SwitchId>(&link.lower);
          if (lower != nullptr && link.capacity.count > 0 && paths_.can_descend(*lower))
            relax(at, *lower, id, Way::Down, bytes);
        }
      }
      std::swap(tier, next_);
    }
  }

  void relax(SwitchId from, SwitchId to, LinkId id, Way way, double bytes) {
    const Burden& before = label(from).burden;
    Label& here = labels_[to.index()];
    if (here.sweep != sweep_) {
      here = {sweep_, {}, from, 0};
      next_.push_back(to);
    }
    if (before >= here.burden) return;  // further on it only gets worse
    const std::size_t first = cables_.first_cable(id);
    const auto cables = static_cast<std::size_t>(links_[id.index()].cables);
    const double more = bytes * seconds_per_byte_[first];
    for (std::size_t cable = first; cable < first + cables; ++cable) {
      const std::size_t index = Cables::load_index(cable, way);
      const double busy = busy_[index] + more;
      const Burden burden{std::max(before.busiest, busy), before.sum + busy};
      if (burden < here.burden) here = {sweep_, burden, from, index};
    }
  }

  const Cluster& cluster_;
  const Cables& cables_;
  std::span<const Link> links_;
  UpDownPaths paths_;
  bool keep_;
  std::optional<SwitchId> destination_;
  int turn_ = 0;
  std::uint32_t sweep_ = 0;
  std::vector<Label> labels_;  // by switch
  std::vector<SwitchId> tier_;
  std::vector<SwitchId> next_;
  RoutedLoads loads_;
  std::vector<double> busy_;              // seconds, by load index
  std::vector<double> seconds_per_byte_;  // by cable
  /// Flows that turn right above their leaves, by the domain and plane of their turn.
  std::map<std::pair<DomainId, int>, std::vector<Ends>> near_;
  std::vector<Ends> far_;
};

}  // namespace

RoutedLoads engineered_routes(const Cluster& cluster, const Cables& cables,
                              std::span<const NicFlow> flows, Paths paths) {
  std::vector<std::uint32_t> order(flows.size());
  std::iota(order.begin(), order.end(), 0U);
  // Equal ones leaf by leaf, for whose sake paths are looked up.
  const auto leaf = [&](std::uint32_t index) {
    const auto ports = cables.ports_of(flows[index].to);
    return ports.empty() ? SwitchId{0} : ports.front().leaf;
  };
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    if (flows[a].bytes != flows[b].bytes) return flows[a].bytes > flows[b].bytes;
    return leaf(a) < leaf(b);
  });
  Controller controller(cluster, cables, paths);
  for (const std::uint32_t index : order) controller.add(index, flows[index]);
  return std::move(controller).finish();
}

}  // namespace zonecut
