// The section `health` of a state file: servers, GPUs, switches and links that do not work as
// built.
#include <fmt/format.h>

#include <algorithm>

#include "state_file/state_reader.hpp"
#include "zonecut/topology/fabric.hpp"

namespace zonecut {
namespace {

bool is_list_or_null(const Value& value) {
  return value.kind == Value::Kind::List || value.kind == Value::Kind::Null;
}

}  // namespace

void StateReader::read_health(const Value& section) {
  Fields fields(document_, section, problems_);
  read_server_health(fields, "down", ServerHealth::Down);
  read_server_health(fields, "drained", ServerHealth::Drained);
  if (const Value* gpus = fields.find("failed_gpus")) read_failed_gpus(*gpus);
  if (const Value* switches = fields.find("failed_switches")) read_failed_switches(*switches);
  if (const Value* links = fields.find("links")) {
    if (!is_list_or_null(*links))
      report(*links, "expected a list of links",
             "such as \"- {between: [zone-a/CTSW-1, ATSW-1], remaining: down}\"");
    for (const Value& link : links->items) read_link(link);
    if (!has_enough_problems()) check_remaining();
  }
  fields.finish();
}

void StateReader::read_server_health(Fields& fields, std::string_view key, ServerHealth health) {
  const Value* value = fields.find(key);
  if (value == nullptr || value->kind == Value::Kind::Null) return;
  for (const auto& [server, where] : read_servers(*value, cluster_.server_count())) {
    const auto [first, is_new] = line_of_server_.try_emplace(server, where->line);
    if (!is_new) {
      report(*where,
             fmt::format("server {} is listed twice in the section health, first in line {}",
                         cluster_.server(server).name, first->second));
    }
    view_.health.servers[server] = health;
    if (has_enough_problems()) return;
  }
}

void StateReader::read_failed_gpus(const Value& mapping) {
  if (mapping.kind == Value::Kind::Null) return;
  std::set<GpuId> failed;
  for (const auto& [gpu, where] : read_gpus(mapping)) {
    if (!failed.insert(gpu).second) {
      report(*where, fmt::format("GPU {} of server {} is named twice", gpu.index,
                                 cluster_.server(gpu.server).name));
    }
    if (has_enough_problems()) return;
  }
  view_.health.failed_gpus.assign(failed.begin(), failed.end());
}

void StateReader::read_failed_switches(const Value& list) {
  if (!is_list_or_null(list)) return report(list, "expected a list of switches");
  std::vector<SwitchRef>& failed = view_.health.failed_switches;
  for (const Value& item : list.items) {
    const auto name = as_text(document_, item, problems_);
    if (!name) continue;
    if (const auto place = places().switch_of(*name)) {
      const auto [first, is_new] = line_of_switch_.try_emplace(*place, item.line);
      if (!is_new) {
        report(item,
               fmt::format("the switch {} is named twice, first in line {}", *name, first->second));
      }
      failed.push_back(*place);
    } else {
      report(item, fmt::format("there is no switch \"{}\" in the backend", *name),
             "switches are called like zone-a/CTSW-1, those of the cluster like ATSW-1");
    }
    if (has_enough_problems()) return;
  }
  std::sort(failed.begin(), failed.end());
}

void StateReader::read_link(const Value& value) {
  if (has_enough_problems()) return;
  Fields fields(document_, value, problems_);
  const Value* between = fields.require("between");
  std::optional<BytesPerSecond> remaining;
  const Value* left = fields.require("remaining");
  if (left != nullptr && left->scalar != "down") remaining = fields.bandwidth("remaining", {});
  fields.finish();
  if (between == nullptr) return;
  auto fault = read_neighbours(*between);
  if (!fault) return;
  fault->remaining = remaining;
  const auto [first, is_new] =
      said_of_link_.try_emplace({fault->lower, fault->upper}, SaidOfLink{&value, remaining, left});
  if (!is_new) {
    report(value,
           fmt::format("this link is given twice, first in line {}", first->second.where->line),
           "say once what all its cables still carry together");
  }
  view_.health.link_faults.push_back(*fault);
}

/// Failures take from a link and add nothing to it.
void StateReader::check_remaining() {
  const auto keeps_some = [](const auto& said) { return said.second.remaining.has_value(); };
  if (std::none_of(said_of_link_.begin(), said_of_link_.end(), keeps_some)) return;
  const Fabric fabric = Fabric::build(cluster_, cluster_.backend(), Health(cluster_));
  const auto place_of = [&](SwitchId id) { return fabric.switches()[id.index()].place; };
  for (const Link& link : fabric.links()) {
    const auto* server = std::get_if<ServerId>(&link.lower);
    LinkEnds ends{place_of(link.upper), place_of(link.upper)};
    if (server != nullptr) {
      ends.first = *server;
    } else {
      ends.first = place_of(std::get<SwitchId>(link.lower));
    }
    const auto said = said_of_link_.find(ends);
    if (said == said_of_link_.end() || !said->second.remaining) continue;
    if (*said->second.remaining <= link.nominal) continue;
    report(*said->second.where_remaining,
           fmt::format("{} remaining, but undamaged this link carries {}",
                       to_text(*said->second.remaining), to_text(link.nominal)),
           "what all cables between the two still carry together, per direction");
  }
}

std::optional<LinkEnd> StateReader::read_endpoint(const Value& value) {
  const auto name = as_text(document_, value, problems_);
  if (!name) return std::nullopt;
  if (const auto server = cluster_.find_server(*name)) return *server;
  if (const auto place = places().switch_of(*name)) return *place;
  report(value, fmt::format("\"{}\" is neither a server nor a switch of the backend", *name),
         "switches are called like zone-a/CTSW-1, those of the cluster like ATSW-1");
  return std::nullopt;
}

/// Two names.
std::optional<LinkFault> StateReader::read_neighbours(const Value& value) {
  if (value.kind != Value::Kind::List || value.items.size() != 2) {
    report(value, "expected the two ends of the link", "such as [zone-a/CTSW-1, ATSW-1]");
    return std::nullopt;
  }
  const auto one = read_endpoint(value.items[0]);
  const auto other = read_endpoint(value.items[1]);
  if (!one || !other) return std::nullopt;
  auto link = link_between(cluster_, *one, *other);
  if (!link) {
    report(value, "these two are not joined by a link",
           "a server is joined to the switches of its rack, a switch to those one level above");
  }
  return link;
}

}  // namespace zonecut
