#include "zonecut/scheduler/leaf_queues.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <set>

#include "arrivals.hpp"
#include "rank_nics.hpp"
#include "routing/cables.hpp"
#include "routing/nic_flows.hpp"
#include "zonecut/base/counts.hpp"
#include "zonecut/base/error.hpp"

namespace zonecut {
namespace {

/// What is on its way to one port at a time.
struct PortQueue {
  struct Messages {
    std::int64_t bytes;  // of each
    std::int64_t count;
  };
  std::vector<Messages> messages;
  std::int64_t whole = 0;    // bytes of all messages
  std::int64_t largest = 0;  // of one message
  std::vector<RankId> receivers;

  [[nodiscard]] std::int64_t most(std::optional<Bytes> window) const {
    std::int64_t admitted = whole;
    if (window) {
      admitted = 0;
      for (const Messages& m : messages) admitted += std::min(m.bytes, window->count) * m.count;
    }
    return std::min(admitted, whole - largest);
  }
};

std::int64_t most(std::span<const PortQueue* const> ports, std::optional<Bytes> window) {
  std::int64_t sum = 0;
  for (const PortQueue* port : ports) sum += port->most(window);
  return sum;
}

/// The largest up to `at_most` with which the ports hold no more than the memory: the wider, the
/// more.
Bytes largest_window(std::span<const PortQueue* const> ports, Bytes memory, Bytes at_most) {
  if (most(ports, at_most) <= memory.count) return at_most;
  Bytes fits{0};
  while (at_most.count - fits.count > 1) {
    const Bytes middle{fits.count + (at_most.count - fits.count) / 2};
    (most(ports, middle) <= memory.count ? fits : at_most) = middle;
  }
  return fits;
}

void keep_each_once(std::vector<RankId>& ranks) {
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
}

class LeafQueues {
 public:
  LeafQueues(const Fabric& fabric, const Traffic& traffic, std::span<const ServerId> servers,
             std::optional<Bytes> window)
      : traffic_(traffic),
        servers_(servers),
        window_(window),
        nics_(static_cast<std::size_t>(fabric.spec().nics_per_server)),
        memory_(fabric.spec().tiers.back().buffer),
        port_memory_(fabric.spec().tiers.back().port_buffer),
        cables_(fabric),
        arrivals_(fabric.cluster(), traffic, servers),
        rank_nics_(fabric.cluster(), fabric.spec(), traffic, servers) {}

  [[nodiscard]] PhaseOverflows of(const Phase& phase) {
    leaves_.clear();
    for (const Group& group : phase.groups) add(group);
    PhaseOverflows found{phase.name, {}, {std::numeric_limits<std::int64_t>::max()}};
    for (auto& [leaf, ports] : leaves_) {
      for (auto& [port, queue] : ports) keep_each_once(queue.receivers);
      judge_leaf(leaf, ports, found);
      for (const auto& [port, queue] : ports) judge_port(leaf, port, queue, found);
    }
    return found;
  }

 private:
  using Port = QueueOverflow::Port;
  using Ports = std::map<Port, PortQueue>;

  void add(const Group& group) {
    const std::size_t channels = channels_of(traffic_, group, static_cast<int>(nics_));
    arrivals_.of(group, [&](const Arrival& arrival) {
      if (arrival.message == 0) return;
      const auto parts = static_cast<std::int64_t>(channels);
      for (std::size_t channel = 0; channel < channels; ++channel) {
        add(queue_of(arrival.to, channel, channels), arrival,
            (arrival.message + parts - 1) / parts);
      }
    });
  }

  void add(PortQueue& queue, const Arrival& arrival, std::int64_t message) const {
    const auto senders = static_cast<std::int64_t>(arrival.senders);
    if (queue.messages.empty() || queue.messages.back().bytes != message)
      queue.messages.push_back({message, 0});
    queue.messages.back().count += senders;
    queue.whole += message * senders;
    queue.largest = std::max(queue.largest, message);
    if (queue.receivers.empty() || queue.receivers.back() != arrival.to)
      queue.receivers.push_back(arrival.to);
  }

  [[nodiscard]] PortQueue& queue_of(RankId rank, std::size_t channel, std::size_t channels) {
    const Port port{servers_[rank.index() / traffic_.ranks_per_server],
                    rank_nics_.of_channel(rank, channel, channels)};
    const auto nic = static_cast<std::uint32_t>(port.server.index() * nics_ + port.nic);
    return leaves_[cables_.ports_of(nic).front().leaf][port];
  }

  void judge_leaf(SwitchId leaf, const Ports& ports, PhaseOverflows& found) const {
    if (!memory_) return;
    std::vector<const PortQueue*> filled;  // where anything can queue
    std::vector<RankId> receivers;
    for (const auto& [port, queue] : ports) {
      if (queue.most(window_) == 0) continue;
      filled.push_back(&queue);
      receivers.insert(receivers.end(), queue.receivers.begin(), queue.receivers.end());
    }
    const Bytes queued{most(filled, window_)};
    if (queued <= *memory_) return;
    keep_each_once(receivers);
    note({leaf, std::nullopt, queued, *memory_, std::move(receivers)}, filled, found);
  }

  void judge_port(SwitchId leaf, const Port& port, const PortQueue& queue,
                  PhaseOverflows& found) const {
    if (!port_memory_) return;
    const Bytes queued{queue.most(window_)};
    if (queued <= *port_memory_) return;
    note({leaf, port, queued, *port_memory_, queue.receivers}, std::array{&queue}, found);
  }

  static void note(QueueOverflow overflow, std::span<const PortQueue* const> ports,
                   PhaseOverflows& found) {
    found.fitting_window = largest_window(ports, overflow.memory, found.fitting_window);
    found.overflows.push_back(std::move(overflow));
  }

  const Traffic& traffic_;
  std::span<const ServerId> servers_;
  std::optional<Bytes> window_;
  std::size_t nics_;
  std::optional<Bytes> memory_;
  std::optional<Bytes> port_memory_;
  Cables cables_;
  Arrivals arrivals_;
  RankNics rank_nics_;
  std::map<SwitchId, Ports> leaves_;  // of the phase at hand
};

}  // namespace

std::vector<PhaseOverflows> overflows_of(const Fabric& fabric, const Traffic& traffic,
                                         std::span<const ServerId> servers,
                                         std::optional<Bytes> window) {
  ZONECUT_ENSURES(servers.size() == traffic.vertices());
  const FabricSpec& spec = fabric.spec();
  const TierSpec& leaves = spec.tiers.back();
  std::vector<PhaseOverflows> phases;
  if (!leaves.buffer && !leaves.port_buffer) return phases;
  if (spec.nics_per_server == 0 || leaves.switches == 0) return phases;
  LeafQueues queues(fabric, traffic, servers, window);
  for (const Phase& phase : traffic.phases) phases.push_back(queues.of(phase));
  return phases;
}

std::size_t receivers_in(const PhaseOverflows& phase) {
  std::set<RankId> receivers;
  for (const QueueOverflow& overflow : phase.overflows)
    receivers.insert(overflow.receivers.begin(), overflow.receivers.end());
  return receivers.size();
}

const QueueOverflow* worst(const PhaseOverflows& phase) {
  const auto most = std::max_element(phase.overflows.begin(), phase.overflows.end(),
                                     [](const QueueOverflow& a, const QueueOverflow& b) {
                                       return a.queued - a.memory < b.queued - b.memory;
                                     });
  return most == phase.overflows.end() ? nullptr : &*most;
}

std::string queue_name(const Fabric& fabric, const QueueOverflow& overflow) {
  std::string name = fabric.name(overflow.leaf);
  if (overflow.port)
    name += fmt::format(", port to NIC {} of {}", overflow.port->nic,
                        fabric.cluster().server(overflow.port->server).name);
  return name;
}

std::string overflow_text(const Fabric& fabric, const PhaseOverflows& phase) {
  const QueueOverflow* most = worst(phase);
  ZONECUT_ENSURES(most != nullptr);
  return fmt::format("{}: queues to {} may overflow; at most {} at {}, which holds {}", phase.phase,
                     counted(receivers_in(phase), "receiver"), to_text(most->queued),
                     queue_name(fabric, *most), to_text(most->memory));
}

}  // namespace zonecut
