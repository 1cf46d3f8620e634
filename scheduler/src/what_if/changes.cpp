// Changes as people write them: "fail=zone1/CTSW-3, drain=zone2/rack1, routing=e-ecmp".
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "what_if/change_text.hpp"
#include "what_if/hardware_names.hpp"
#include "zonecut/base/counts.hpp"
#include "zonecut/base/document.hpp"
#include "zonecut/base/error.hpp"
#include "zonecut/base/text_check.hpp"
#include "zonecut/base/trim.hpp"
#include "zonecut/scheduler/what_if.hpp"
#include "zonecut/topology/cluster_file.hpp"

namespace zonecut {
namespace {

constexpr std::size_t kMostChanges = 1000;
constexpr int kMostUplinks = 65'536;  // as in a cluster file

template <class T>
bool add_sorted(std::vector<T>& list, const T& value) {
  const auto at = std::ranges::lower_bound(list, value);
  if (at != list.end() && *at == value) return false;
  list.insert(at, value);
  return true;
}

template <class T>
bool take_sorted(std::vector<T>& list, const T& value) {
  const auto at = std::ranges::lower_bound(list, value);
  if (at == list.end() || *at != value) return false;
  list.erase(at);
  return true;
}

/// Applies one change after the other to a setting.
class Changer {
 public:
  Changer(Setting& setting, const std::string& where)
      : setting_(setting),
        cluster_(*setting.view.cluster),
        where_(where),
        names_(cluster_, setting.fabric, where) {}

  void apply(std::string_view key, std::string_view value) {
    using Apply = void (Changer::*)(std::string_view);
    static constexpr std::array<std::pair<std::string_view, Apply>, 11> kChanges = {{
        {"fail", &Changer::fail},
        {"limit", &Changer::limit},
        {"mend", &Changer::mend},
        {"drain", &Changer::drain},
        {"end", &Changer::end},
        {"routing", &Changer::reroute},
        {"queue-pairs", &Changer::pair_queues},
        {"admission-window", &Changer::admit},
        {"oversubscription", &Changer::oversubscribe},
        {"uplinks", &Changer::cable},
        {"nic-bandwidth", &Changer::widen_nics},
    }};
    const auto found =
        std::ranges::find(kChanges, key, [](const auto& entry) { return entry.first; });
    if (found == kChanges.end()) {
      std::vector<std::string> known;
      for (const auto& entry : kChanges) known.emplace_back(entry.first);
      const auto nearest = nearest_word(std::string(key), known);
      refuse(fmt::format("there is no change \"{}\"", excerpt(key)),
             nearest ? "did you mean " + *nearest + "?"
                     : fmt::format("a change is one of {}", fmt::join(known, ", ")));
    }
    if (value.empty()) refuse(fmt::format("{}= says nothing", key), "such as " + example_of(key));
    (this->*found->second)(value);
  }

  /// Once all changes are applied.
  void check() const {
    const RoutingScheme scheme = setting_.routing.scheme;
    if (!asks_pairs_ || hashes_queue_pairs(scheme)) return;
    refuse(fmt::format("with routing={} queue-pairs make no difference", routing_name(scheme)),
           "such as routing=e-ecmp,queue-pairs=16");
  }

 private:
  [[noreturn]] void refuse(std::string what, std::string hint = {}) const {
    throw InputError(where_, std::move(what), std::move(hint));
  }

  static std::string example_of(std::string_view key) {
    if (key == "fail") return "fail=zone1/CTSW-3, or fail=zone1/CTSW-3>ATSW-1";
    if (key == "limit") return "limit=zone1/CTSW-3>ATSW-1@200Gbps";
    if (key == "mend") return "mend=zone1/CTSW-3, or mend=all";
    if (key == "drain") return "drain=zone1/rack3, or drain=gpu[001-004]";
    if (key == "end") return "end=NAME, the name of a job in the state";
    if (key == "routing") return "routing=e-ecmp";
    if (key == "queue-pairs") return "queue-pairs=16";
    if (key == "admission-window") return "admission-window=4MiB, or none";
    if (key == "oversubscription") return "oversubscription=2.8, or oversubscription=zone:7:1";
    if (key == "uplinks") return "uplinks=36, or uplinks=rack:36";
    return "nic-bandwidth=800Gbps";
  }

  /// What the link carries undamaged.
  [[nodiscard]] BytesPerSecond nominal(const LinkFault& fault) {
    if (!undamaged_) undamaged_ = Fabric::build(cluster_, setting_.fabric, Health(cluster_));
    const auto place_of = [&](SwitchId id) { return undamaged_->switches()[id.index()].place; };
    for (const Link& link : undamaged_->links()) {
      const auto* server = std::get_if<ServerId>(&link.lower);
      const LinkEnd lower =
          server ? LinkEnd(*server) : LinkEnd(place_of(std::get<SwitchId>(link.lower)));
      if (lower == fault.lower && place_of(link.upper) == fault.upper) return link.nominal;
    }
    refuse("the wiring of this fabric has no such link",
           "with rail leaves each NIC of a server goes to a leaf of its own");
  }

  /// Of each link the last word counts.
  void damage(const LinkFault& fault) {
    std::vector<LinkFault>& faults = setting_.view.health.link_faults;
    forget_link(fault);
    faults.push_back(fault);
  }
  template <class Which>
  bool forget_links(const Which& which) {
    return std::erase_if(setting_.view.health.link_faults, which) > 0;
  }
  bool forget_link(const LinkFault& fault) {
    return forget_links([&](const LinkFault& known) {
      return known.lower == fault.lower && known.upper == fault.upper;
    });
  }

  // ---- the changes ----

  void fail(std::string_view name) {
    const HardwarePart part = names_.part(name);
    Health& health = setting_.view.health;
    for (const ServerId server : part.servers) health.servers[server] = ServerHealth::Down;
    for (const GpuId gpu : part.gpus) add_sorted(health.failed_gpus, gpu);
    for (const SwitchRef& place : part.switches) add_sorted(health.failed_switches, place);
    for (const LinkFault& link : part.links) {
      static_cast<void>(nominal(link));
      damage(link);
    }
  }

  void limit(std::string_view text) {
    const auto at = text.rfind('@');
    const auto arrow = text.find('>');
    const auto rate =
        at == std::string_view::npos ? std::nullopt : parse_bandwidth(trimmed(text.substr(at + 1)));
    if (!rate || arrow == std::string_view::npos || arrow > at) {
      refuse(fmt::format("\"{}\" is no link and what it still carries", excerpt(text)),
             "such as " + example_of("limit"));
    }
    LinkFault fault = names_.link(trimmed(text.substr(0, arrow)),
                                  trimmed(text.substr(arrow + 1, at - arrow - 1)));
    fault.remaining = rate;
    if (const BytesPerSecond undamaged = nominal(fault); *rate > undamaged) {
      refuse(fmt::format("{} remaining, but undamaged this link carries {}", to_text(*rate),
                         to_text(undamaged)),
             "what all cables between the two still carry together, per direction");
    }
    damage(fault);
  }

  void mend(std::string_view name) {
    Health& health = setting_.view.health;
    if (name == "all") {
      health = Health(cluster_);
      return;
    }
    const HardwarePart part = names_.part(name);
    bool was_broken = false;
    for (const ServerId server : part.servers) {
      was_broken |= health.servers[server] != ServerHealth::Up;
      health.servers[server] = ServerHealth::Up;
      was_broken |=
          std::erase_if(health.failed_gpus, [&](GpuId gpu) { return gpu.server == server; }) > 0;
      was_broken |=
          forget_links([&](const LinkFault& link) { return link.lower == LinkEnd(server); });
    }
    for (const GpuId gpu : part.gpus) was_broken |= take_sorted(health.failed_gpus, gpu);
    for (const SwitchRef& place : part.switches) {
      was_broken |= take_sorted(health.failed_switches, place);
      was_broken |= forget_links([&](const LinkFault& link) {
        return link.lower == LinkEnd(place) || link.upper == place;
      });
    }
    for (const LinkFault& link : part.links) was_broken |= forget_link(link);
    if (!was_broken) refuse(fmt::format("{} is not broken, so cannot be mended", excerpt(name)));
  }

  void drain(std::string_view name) {
    const HardwarePart part = names_.part(name);
    if (part.servers.empty() || !part.gpus.empty() || !part.links.empty()) {
      refuse(fmt::format("there is no server or domain called \"{}\"", excerpt(name)),
             "such as " + example_of("drain"));
    }
    for (const ServerId server : part.servers) add_sorted(setting_.emptied, server);
  }

  void end(std::string_view said) {
    const std::string_view name = unquoted(said);
    Occupancy& occupancy = setting_.view.occupancy;
    const auto job = occupancy.find_job(name);
    if (!job) {
      std::vector<std::string> names;
      for (std::size_t i = 0; i < occupancy.job_count(); ++i)
        names.push_back(occupancy.job_name(JobId{i}));
      const auto nearest = nearest_word(std::string(name), names);
      refuse(fmt::format("the state has no job called \"{}\"", excerpt(name)),
             nearest ? "did you mean " + *nearest + "?" : "");
    }
    add_sorted(setting_.ended, *job);
    for (const GpuId gpu : occupancy.held(*job)) occupancy.release(gpu);
  }

  void reroute(std::string_view name) {
    const auto scheme = find_routing(name);
    if (!scheme) {
      std::vector<std::string_view> known;
      for (const RoutingScheme each : kRoutingSchemes) known.push_back(routing_name(each));
      refuse(fmt::format("there is no routing \"{}\"", excerpt(name)),
             fmt::format("one of {}", fmt::join(known, ", ")));
    }
    setting_.routing.scheme = *scheme;
  }

  [[nodiscard]] int count_of(std::string_view text, std::string_view what, int most) const {
    int count = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), count);
    if (error != std::errc{} || stop != text.data() + text.size() || count < 1 || count > most) {
      refuse(fmt::format("\"{}\" is no number of {}", excerpt(text), what),
             fmt::format("a whole number from 1 to {}", grouped(most)));
    }
    return count;
  }

  void pair_queues(std::string_view text) {
    setting_.routing.queue_pairs = count_of(text, "queue pairs", kMostQueuePairs);
    asks_pairs_ = true;
  }

  void admit(std::string_view text) {
    const auto window = parse_bytes(text);
    if (text != "none" && (!window || window->count <= 0)) {
      refuse(fmt::format("\"{}\" is no size above 0", excerpt(text)),
             "such as " + example_of("admission-window"));
    }
    setting_.routing.admission_window = window;
  }

  /// The level before a colon, else that of the zones; and what else is said.
  [[nodiscard]] std::pair<int, std::string_view> split_level(std::string_view text) const {
    if (const auto colon = text.find(':'); colon != std::string_view::npos) {
      if (const auto named = cluster_.find_level(text.substr(0, colon)))
        return {*named, text.substr(colon + 1)};
    }
    return {cluster_.zone_level(), text};
  }

  /// "36", "rack:36": of one switch, each cable as fast as it is.
  void cable(std::string_view text) {
    const auto [level, count_text] = split_level(text);
    const auto colon = text.find(':');
    if (colon != std::string_view::npos && !cluster_.find_level(text.substr(0, colon))) {
      refuse(fmt::format("the cluster has no level \"{}\"", excerpt(text.substr(0, colon))),
             fmt::format("its levels are {}", fmt::join(cluster_.levels().subspan(1), ", ")));
    }
    if (level == 0) {
      refuse(fmt::format("\"{}\" are no uplinks of a level of the cluster", excerpt(text)),
             "such as " + example_of("uplinks"));
    }
    const int count = count_of(count_text, "uplinks", kMostUplinks);
    TierSpec& tier = setting_.fabric.tiers[static_cast<std::size_t>(level)];
    // Where a ratio says what they carry together, it is that of the cables there are.
    tier.oversubscription *= static_cast<double>(tier.uplinks) / count;
    tier.uplinks = count;
  }

  /// "2.8", "7:1", "zone:7:1"; without a level above the zones.
  void oversubscribe(std::string_view text) {
    const auto [level, ratio_text] = split_level(text);
    const auto ratio = parse_ratio(ratio_text);
    if (!ratio || level == 0) {
      refuse(fmt::format("\"{}\" is no ratio above a level of the cluster", excerpt(text)),
             "such as " + example_of("oversubscription"));
    }
    setting_.fabric.tiers[static_cast<std::size_t>(level)].oversubscription = *ratio;
  }

  void widen_nics(std::string_view text) {
    const auto rate = parse_bandwidth(text);
    if (!rate || rate->count <= 0) {
      refuse(fmt::format("\"{}\" is no rate above 0", excerpt(text)),
             "such as " + example_of("nic-bandwidth"));
    }
    setting_.fabric.nic_bandwidth = *rate;
  }

  Setting& setting_;
  const Cluster& cluster_;
  const std::string& where_;
  HardwareNames names_;
  std::optional<Fabric> undamaged_;  // made when a link is named
  bool asks_pairs_ = false;
};

}  // namespace

Setting changed(const Setting& setting, std::string_view changes, const std::string& where) {
  if (find_malformed_utf8(changes)) throw InputError(where, "found a text that is no UTF-8");
  Setting after = setting;
  Changer changer(after, where);
  const auto all = split_changes(changes);
  if (all.size() > kMostChanges) {
    throw InputError(where, fmt::format("{} changes at once, at most {} are taken",
                                        grouped(all.size()), grouped(kMostChanges)));
  }
  for (const auto& [key, value] : all) changer.apply(key, value);
  changer.check();
  return after;
}

}  // namespace zonecut
