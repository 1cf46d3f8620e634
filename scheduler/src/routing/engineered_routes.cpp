// Between two leaves the shortest paths form a layered graph: switches of the source's side tier by
// tier up to the turn, then of the target's side down. One sweep over its links finds the best path
// for a flow (a shortest path where the length of a path is its busiest cable).
#include "routing/engineered_routes.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "routing/up_down_paths.hpp"

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
  Controller(const Cluster& cluster, const Cables& cables)
      : cables_(cables),
        links_(cables.fabric().links()),
        paths_(cluster, cables),
        labels_(cables.fabric().switches().size()) {
    loads_.bytes.assign(2 * cables.count(), 0);
    busy_.assign(2 * cables.count(), 0);
    seconds_per_byte_.reserve(cables.count());
    for (std::size_t cable = 0; cable < cables.count(); ++cable)
      seconds_per_byte_.push_back(1 / cables.capacity(cable));
  }

  void add(const NicFlow& flow) {
    const auto [from, to] = ports(flow);
    if (from == nullptr) {
      ++loads_.parted;
      return;
    }
    load(Cables::load_index(from->cable, Way::Up), flow.bytes);
    load(Cables::load_index(to->cable, Way::Down), flow.bytes);
    if (from->leaf == to->leaf) return;
    sweep(from->leaf, to->leaf, flow.bytes);
    for (SwitchId at = to->leaf; at != from->leaf; at = label(at).from) {
      load(label(at).load_index, flow.bytes);
      ++loads_.rules;
    }
    ++loads_.rules;
  }

  [[nodiscard]] RoutedLoads take_loads() && { return std::move(loads_); }

 private:
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

  const Cables& cables_;
  std::span<const Link> links_;
  UpDownPaths paths_;
  std::optional<SwitchId> destination_;
  int turn_ = 0;
  std::uint32_t sweep_ = 0;
  std::vector<Label> labels_;  // by switch
  std::vector<SwitchId> tier_;
  std::vector<SwitchId> next_;
  RoutedLoads loads_;
  std::vector<double> busy_;              // seconds, by load index
  std::vector<double> seconds_per_byte_;  // by cable
};

}  // namespace

RoutedLoads engineered_routes(const Cluster& cluster, const Cables& cables,
                              std::span<const NicFlow> flows) {
  std::vector<std::uint32_t> order(flows.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return flows[a].bytes > flows[b].bytes;
  });
  Controller controller(cluster, cables);
  for (const std::uint32_t index : order) controller.add(flows[index]);
  return std::move(controller).take_loads();
}

}  // namespace zonecut
