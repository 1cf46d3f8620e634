// Changes as people write them: "fail=zone1/CTSW-3, drain=zone2/rack1, routing=e-ecmp".
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "zonecut/base/counts.hpp"
#include "zonecut/base/document.hpp"
#include "zonecut/base/error.hpp"
#include "zonecut/base/hostlist.hpp"
#include "zonecut/base/text_check.hpp"
#include "zonecut/scheduler/what_if.hpp"
#include "zonecut/topology/cluster_file.hpp"

namespace zonecut {
namespace {

constexpr std::size_t kMostChanges = 1000;

std::string_view trimmed(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1);
}

/// The parts between commas that stand in no brackets and no quotes.
std::vector<std::string_view> at_commas(std::string_view text) {
  std::vector<std::string_view> parts;
  int depth = 0;
  bool quoted = false;
  std::size_t begin = 0;
  for (std::size_t at = 0; at <= text.size(); ++at) {
    const char here = at < text.size() ? text[at] : ',';
    if (here == '"') quoted = !quoted;
    if (here == '[' && !quoted) ++depth;
    if (here == ']' && !quoted) --depth;
    if (at < text.size() && (here != ',' || depth > 0 || quoted)) continue;
    parts.push_back(trimmed(text.substr(begin, at - begin)));
    begin = at + 1;
  }
  return parts;
}

/// A list, or a single name; quotes hold a name together that has commas or signs of its own.
std::vector<std::string_view> listed(std::string_view text) {
  std::vector<std::string_view> parts = at_commas(text);
  std::erase_if(parts, [](std::string_view part) { return part.empty(); });
  return parts;
}

std::string_view unquoted(std::string_view text) {
  const bool is_quoted = text.size() > 1 && text.front() == '"' && text.back() == '"';
  return is_quoted ? text.substr(1, text.size() - 2) : text;
}

/// One thing of the hardware: both ends of a link, all servers and switches of a domain.
struct Part {
  std::vector<ServerId> servers;
  std::vector<GpuId> gpus;
  std::vector<SwitchRef> switches;
  std::vector<LinkFault> links;
};

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
      : setting_(setting), cluster_(*setting.view.cluster), where_(where) {}

  void apply(std::string_view key, std::string_view value) {
    using Apply = void (Changer::*)(std::string_view);
    static constexpr std::array<std::pair<std::string_view, Apply>, 10> kChanges = {{
        {"fail", &Changer::fail},
        {"limit", &Changer::limit},
        {"mend", &Changer::mend},
        {"drain", &Changer::drain},
        {"end", &Changer::end},
        {"routing", &Changer::reroute},
        {"queue-pairs", &Changer::pair_queues},
        {"admission-window", &Changer::admit},
        {"oversubscription", &Changer::oversubscribe},
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
    return "nic-bandwidth=800Gbps";
  }

  // ---- what hardware is called ----

  [[nodiscard]] std::optional<Part> server_part(std::string_view name) const {
    try {
      Part part;
      for (const std::string& each : expand_hostlist(name, where_)) {
        const auto server = cluster_.find_server(each);
        if (!server) return std::nullopt;
        part.servers.push_back(*server);
      }
      return part;
    } catch (const InputError&) {
      return std::nullopt;  // no host list either
    }
  }

  /// "gpu001:3", the GPU 3 of a server.
  [[nodiscard]] std::optional<Part> gpu_part(std::string_view name) const {
    const auto colon = name.rfind(':');
    if (colon == std::string_view::npos) return std::nullopt;
    const auto server = cluster_.find_server(unquoted(name.substr(0, colon)));
    const std::string_view digits = name.substr(colon + 1);
    int gpu = -1;
    const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), gpu);
    const bool is_number = error == std::errc{} && stop == digits.data() + digits.size();
    if (!server || !is_number || gpu < 0 || gpu >= cluster_.server(*server).gpus)
      return std::nullopt;
    Part part;
    part.gpus.push_back({*server, gpu});
    return part;
  }

  [[nodiscard]] bool is_within(DomainId inner, DomainId outer) const {
    const int level = cluster_.domain(outer).level;
    return cluster_.domain(inner).level >= level && cluster_.ancestor(inner, level) == outer;
  }

  [[nodiscard]] std::optional<Part> domain_part(std::string_view name) const {
    const auto domain = cluster_.find_domain(name);
    if (!domain || *domain == Cluster::root()) return std::nullopt;
    Part part;
    const Domain& here = cluster_.domain(*domain);
    for (std::size_t i = 0; i < here.server_count; ++i)
      part.servers.emplace_back(here.first_server + i);
    for (std::size_t i = 0; i < cluster_.domain_count(); ++i) {
      const DomainId inner{i};
      if (!is_within(inner, *domain)) continue;
      const auto level = static_cast<std::size_t>(cluster_.domain(inner).level);
      for (int plane = 0; plane < setting_.fabric.planes; ++plane) {
        for (int index = 0; index < setting_.fabric.tiers[level].switches; ++index)
          part.switches.push_back({inner, plane, index});
      }
    }
    return part;
  }

  using End = std::variant<ServerId, SwitchRef>;
  [[nodiscard]] End end_called(std::string_view said) const {
    const std::string_view name = unquoted(said);
    if (const auto server = cluster_.find_server(name)) return *server;
    if (const auto found = find_switch(cluster_, setting_.fabric, name)) return *found;
    refuse(fmt::format("\"{}\" is neither a server nor a switch of the backend", excerpt(name)),
           "switches are called like zone-a/CTSW-1, those of the cluster like ATSW-1");
  }

  [[nodiscard]] LinkFault link_between(std::string_view one, std::string_view other) const {
    End lower = end_called(one);
    End upper = end_called(other);
    const auto level = [&](const End& end) {
      const auto* place = std::get_if<SwitchRef>(&end);
      return place ? cluster_.domain(place->domain).level : cluster_.rack_level() + 1;
    };
    if (level(lower) < level(upper)) std::swap(lower, upper);
    const auto* above = std::get_if<SwitchRef>(&upper);
    const auto* below = std::get_if<SwitchRef>(&lower);
    const bool joined =
        above && (below ? cluster_.domain(below->domain).parent == above->domain &&
                              below->plane == above->plane
                        : cluster_.server(std::get<ServerId>(lower)).rack == above->domain);
    if (!joined) {
      refuse(fmt::format("{} and {} are not joined by a link", excerpt(one), excerpt(other)),
             "a server is joined to the switches of its rack, a switch to those one level above");
    }
    return {lower, *above, std::nullopt};
  }

  /// A server's own name goes before what else may be called so.
  [[nodiscard]] Part part_called(std::string_view said) const {
    const std::string_view name = unquoted(said);
    Part part;
    if (const auto server = cluster_.find_server(name)) {
      part.servers.push_back(*server);
      return part;
    }
    if (const auto found = find_switch(cluster_, setting_.fabric, name)) {
      part.switches.push_back(*found);
      return part;
    }
    if (auto domain = domain_part(name)) return *std::move(domain);
    if (const auto arrow = name.find('>'); arrow != std::string_view::npos) {
      part.links.push_back(
          link_between(trimmed(name.substr(0, arrow)), trimmed(name.substr(arrow + 1))));
      return part;
    }
    if (auto gpu = gpu_part(name)) return *std::move(gpu);
    if (auto servers = server_part(name)) return *std::move(servers);
    const std::vector<std::string_view> each = listed(name);
    if (each.size() > 1) {
      for (const std::string_view one : each) add_to(part, part_called(one));
      return part;
    }
    refuse(fmt::format("there is nothing called \"{}\"", excerpt(name)),
           "a server (gpu001), a GPU (gpu001:3), a switch (zone1/CTSW-3, ATSW-1), a link (with > "
           "between its ends) or a domain by its path; names with signs of their own in \"\"");
  }

  static void add_to(Part& part, Part other) {
    part.servers.insert(part.servers.end(), other.servers.begin(), other.servers.end());
    part.gpus.insert(part.gpus.end(), other.gpus.begin(), other.gpus.end());
    part.switches.insert(part.switches.end(), other.switches.begin(), other.switches.end());
    part.links.insert(part.links.end(), other.links.begin(), other.links.end());
  }

  /// What the link carries undamaged.
  [[nodiscard]] BytesPerSecond nominal(const LinkFault& fault) {
    if (!undamaged_) undamaged_ = Fabric::build(cluster_, setting_.fabric, Health(cluster_));
    const auto place_of = [&](SwitchId id) { return undamaged_->switches()[id.index()].place; };
    for (const Link& link : undamaged_->links()) {
      const auto* server = std::get_if<ServerId>(&link.lower);
      const End lower = server ? End(*server) : End(place_of(std::get<SwitchId>(link.lower)));
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
    const Part part = part_called(name);
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
    LinkFault fault = link_between(trimmed(text.substr(0, arrow)),
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
    const Part part = part_called(name);
    bool was_broken = false;
    for (const ServerId server : part.servers) {
      was_broken |= health.servers[server] != ServerHealth::Up;
      health.servers[server] = ServerHealth::Up;
      was_broken |=
          std::erase_if(health.failed_gpus, [&](GpuId gpu) { return gpu.server == server; }) > 0;
      was_broken |= forget_links([&](const LinkFault& link) { return link.lower == End(server); });
    }
    for (const GpuId gpu : part.gpus) was_broken |= take_sorted(health.failed_gpus, gpu);
    for (const SwitchRef& place : part.switches) {
      was_broken |= take_sorted(health.failed_switches, place);
      was_broken |= forget_links(
          [&](const LinkFault& link) { return link.lower == End(place) || link.upper == place; });
    }
    for (const LinkFault& link : part.links) was_broken |= forget_link(link);
    if (!was_broken) refuse(fmt::format("{} is not broken, so cannot be mended", excerpt(name)));
  }

  void drain(std::string_view name) {
    const Part part = part_called(name);
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

  void pair_queues(std::string_view text) {
    int count = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), count);
    if (error != std::errc{} || stop != text.data() + text.size() || count < 1 ||
        count > kMostQueuePairs) {
      refuse(fmt::format("\"{}\" is no number of queue pairs", excerpt(text)),
             fmt::format("a whole number from 1 to {}", grouped(kMostQueuePairs)));
    }
    setting_.routing.queue_pairs = count;
  }

  void admit(std::string_view text) {
    const auto window = parse_bytes(text);
    if (text != "none" && (!window || window->count <= 0)) {
      refuse(fmt::format("\"{}\" is no size above 0", excerpt(text)),
             "such as " + example_of("admission-window"));
    }
    setting_.routing.admission_window = window;
  }

  /// "2.8", "7:1", "zone:7:1"; without a level above the zones.
  void oversubscribe(std::string_view text) {
    int level = cluster_.zone_level();
    std::string_view ratio_text = text;
    if (const auto colon = text.find(':'); colon != std::string_view::npos) {
      if (const auto named = cluster_.find_level(text.substr(0, colon))) {
        level = *named;
        ratio_text = text.substr(colon + 1);
      }
    }
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
  std::optional<Fabric> undamaged_;  // made when a link is named
};

/// Commas part changes; one without "key=" goes on with the list before it, as in drain=s1,s2.
std::vector<std::pair<std::string, std::string>> split(std::string_view text) {
  std::vector<std::pair<std::string, std::string>> changes;
  for (const std::string_view piece : at_commas(text)) {
    const auto equals = piece.find('=');
    if (equals != std::string_view::npos && equals < piece.find('"')) {
      changes.emplace_back(trimmed(piece.substr(0, equals)), trimmed(piece.substr(equals + 1)));
    } else if (!changes.empty()) {
      changes.back().second.append(",").append(piece);
    } else {
      changes.emplace_back(piece, "");
    }
  }
  return changes;
}

}  // namespace

Setting changed(const Setting& setting, std::string_view changes, const std::string& where) {
  if (find_malformed_utf8(changes)) throw InputError(where, "found a text that is no UTF-8");
  Setting after = setting;
  Changer changer(after, where);
  const auto all = split(changes);
  if (all.size() > kMostChanges) {
    throw InputError(where, fmt::format("{} changes at once, at most {} are taken",
                                        grouped(all.size()), grouped(kMostChanges)));
  }
  for (const auto& [key, value] : all) changer.apply(key, value);
  return after;
}

}  // namespace zonecut
