#include "what_if/hardware_names.hpp"

#include <fmt/format.h>

#include <charconv>
#include <utility>

#include "what_if/change_text.hpp"
#include "zonecut/base/document.hpp"
#include "zonecut/base/error.hpp"
#include "zonecut/base/hostlist.hpp"
#include "zonecut/base/text_check.hpp"
#include "zonecut/base/trim.hpp"

namespace zonecut {
namespace {

void add_to(HardwarePart& part, HardwarePart other) {
  part.servers.insert(part.servers.end(), other.servers.begin(), other.servers.end());
  part.gpus.insert(part.gpus.end(), other.gpus.begin(), other.gpus.end());
  part.switches.insert(part.switches.end(), other.switches.begin(), other.switches.end());
  part.links.insert(part.links.end(), other.links.begin(), other.links.end());
}

}  // namespace

void HardwareNames::refuse(std::string what, std::string hint) const {
  throw InputError(where_, std::move(what), std::move(hint));
}

std::optional<HardwarePart> HardwareNames::servers(std::string_view name) const {
  try {
    HardwarePart part;
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
std::optional<HardwarePart> HardwareNames::gpu(std::string_view name) const {
  const auto colon = name.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const auto server = cluster_.find_server(unquoted(name.substr(0, colon)));
  const std::string_view digits = name.substr(colon + 1);
  int gpu = -1;
  const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), gpu);
  const bool is_number = error == std::errc{} && stop == digits.data() + digits.size();
  if (!server || !is_number || gpu < 0 || gpu >= cluster_.server(*server).gpus) return std::nullopt;
  HardwarePart part;
  part.gpus.push_back({*server, gpu});
  return part;
}

bool HardwareNames::is_within(DomainId inner, DomainId outer) const {
  const int level = cluster_.domain(outer).level;
  return cluster_.domain(inner).level >= level && cluster_.ancestor(inner, level) == outer;
}

std::optional<HardwarePart> HardwareNames::domain(std::string_view name) const {
  const auto domain = cluster_.find_domain(name);
  if (!domain || *domain == Cluster::root()) return std::nullopt;
  HardwarePart part;
  for (const ServerId server : cluster_.domain(*domain).servers()) part.servers.push_back(server);
  for (const DomainId inner : cluster_.domain_ids()) {
    if (!is_within(inner, *domain)) continue;
    const auto level = static_cast<std::size_t>(cluster_.domain(inner).level);
    for (int plane = 0; plane < fabric_.planes; ++plane) {
      for (int index = 0; index < fabric_.tiers[level].switches; ++index)
        part.switches.push_back({inner, plane, index});
    }
  }
  return part;
}

LinkEnd HardwareNames::end(std::string_view said) const {
  const std::string_view name = unquoted(said);
  if (const auto server = cluster_.find_server(name)) return *server;
  if (const auto found = find_switch(cluster_, fabric_, name)) return *found;
  refuse(fmt::format("\"{}\" is neither a server nor a switch of the backend", excerpt(name)),
         "switches are called like zone-a/CTSW-1, those of the cluster like ATSW-1");
}

LinkFault HardwareNames::link(std::string_view one, std::string_view other) const {
  const auto link = link_between(cluster_, end(one), end(other));
  if (!link) {
    refuse(fmt::format("{} and {} are not joined by a link", excerpt(one), excerpt(other)),
           "a server is joined to the switches of its rack, a switch to those one level above");
  }
  return *link;
}

HardwarePart HardwareNames::part(std::string_view said) const {
  const std::string_view name = unquoted(said);
  HardwarePart part;
  if (const auto server = cluster_.find_server(name)) {
    part.servers.push_back(*server);
    return part;
  }
  if (const auto found = find_switch(cluster_, fabric_, name)) {
    part.switches.push_back(*found);
    return part;
  }
  if (auto all = domain(name)) return *std::move(all);
  if (const auto arrow = name.find('>'); arrow != std::string_view::npos) {
    part.links.push_back(link(trimmed(name.substr(0, arrow)), trimmed(name.substr(arrow + 1))));
    return part;
  }
  if (auto one = gpu(name)) return *std::move(one);
  if (auto several = servers(name)) return *std::move(several);
  const std::vector<std::string_view> each = listed(name);
  if (each.size() > 1) {
    for (const std::string_view one : each) add_to(part, this->part(one));
    return part;
  }
  refuse(fmt::format("there is nothing called \"{}\"", excerpt(name)),
         "a server (gpu001), a GPU (gpu001:3), a switch (zone1/CTSW-3, ATSW-1), a link (with > "
         "between its ends) or a domain by its path; names with signs of their own in \"\"");
}

}  // namespace zonecut
