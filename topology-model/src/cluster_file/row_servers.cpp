// The servers of a row: counted and named by a pattern, or listed and dealt out evenly.
#include <fmt/format.h>

#include "cluster_file/domain_rows.hpp"
#include "cluster_file/file_format.hpp"
#include "zonecut/base/hostlist.hpp"

namespace zonecut {

void DomainRows::add_empty(const DomainProduct& domains, const Value& where) {
  domains.for_each([&](std::span<const std::string> path) {
    if (begin_domain(path, where)) builder_.add_domain(path);
  });
}

void DomainRows::add_counted(const DomainProduct& domains, const Value& count,
                             const RowDefaults& defaults) {
  const auto each = as_integer(document_, count, 0, kMostServers, problems_);
  if (!each) return;
  if (*each == 0) return add_empty(domains, count);
  if (!may_stand_servers(domains, count)) return;
  const auto per_domain = static_cast<std::size_t>(*each);
  if (per_domain > (kMostServers - servers_) / domains.count()) {
    servers_ = kMostServers;
    return report(count, fmt::format("the file has more than {} servers", kMostServers));
  }
  bool goes_on = true;
  domains.for_each([&](std::span<const std::string> path) {
    if (!goes_on || !begin_domain(path, count)) return;
    for (std::size_t n = 0; n < per_domain && goes_on; ++n) {
      std::optional<std::uint32_t> group;
      if (defaults.scale_up_servers > 0) {
        if (n % defaults.scale_up_servers == 0) ++groups_;
        group = groups_ - 1;
      }
      ++servers_;
      goes_on = add_server(path, defaults.server_names.name(path, n + 1, servers_), defaults.gpus,
                           group, count);
    }
  });
}

void DomainRows::add_listed(const DomainProduct& domains, const Value& list,
                            const RowDefaults& defaults) {
  ServerList read = read_servers(list, defaults);
  if (!read.complete) return;
  std::vector<ServerEntry>& servers = read.servers;
  if (servers.empty()) return report(list, "expected servers", "an empty domain has servers: 0");
  if (servers.size() % domains.count() != 0) {
    return report(list,
                  fmt::format("found {} servers for {} domains, which cannot be dealt out evenly",
                              servers.size(), domains.count()),
                  "use one row for each kind of domain");
  }
  const std::size_t per_domain = servers.size() / domains.count();
  std::size_t next = 0;
  bool goes_on = true;
  domains.for_each([&](std::span<const std::string> path) {
    if (!goes_on || !begin_domain(path, list)) {
      next += per_domain;
      return;
    }
    for (std::size_t n = 0; n < per_domain && goes_on; ++n, ++next) {
      ServerEntry& server = servers[next];
      std::optional<std::uint32_t> group;
      if (server.scale_up) {
        group = group_of(*server.scale_up);
      } else if (defaults.scale_up_servers > 0 && !read.labelled) {
        if (n % defaults.scale_up_servers == 0) ++groups_;
        group = groups_ - 1;
      }
      goes_on = add_server(path, std::move(server.name), server.gpus, group, list);
    }
  });
}

DomainRows::ServerList DomainRows::read_servers(const Value& value, const RowDefaults& defaults) {
  ServerList list;
  if (value.kind == Value::Kind::List) {
    for (const Value& item : value.items) {
      if (item.kind == Value::Kind::Mapping) {
        read_server_mapping(item, defaults, list);
      } else {
        read_server_names(item, defaults.gpus, std::nullopt, list);
      }
    }
  } else if (value.kind == Value::Kind::Mapping) {
    read_server_mapping(value, defaults, list);
  } else {
    read_server_names(value, defaults.gpus, std::nullopt, list);
  }
  return list;
}

void DomainRows::read_server_names(const Value& value, int gpus,
                                   const std::optional<std::string>& scale_up, ServerList& list) {
  const auto text = as_text(document_, value, problems_);
  list.complete = list.complete && text.has_value();
  if (!text) return;
  if (looks_like_number(value)) {
    list.complete = false;
    return report(value, fmt::format("found {}, expected a host list", value.scalar),
                  "a server of that name stands in quotes");
  }
  try {
    auto names = expand_hostlist(*text, document_.where(value), kMostServers - servers_);
    if (names.empty()) {
      report(value, "expected servers", "an empty domain has servers: 0");
      list.complete = false;
    }
    servers_ += names.size();
    for (std::string& name : names) list.servers.push_back({std::move(name), gpus, scale_up});
  } catch (const InputError& error) {
    const Problem& problem = error.problems().front();
    problems_.add(problem.where, problem.what, problem.hint);
    list.complete = false;
  }
}

/// {names: HOSTS, gpus: N, scale_up: LABEL}, or {name: "…"} for a name that no host list can hold.
void DomainRows::read_server_mapping(const Value& value, const RowDefaults& defaults,
                                     ServerList& list) {
  Fields fields(document_, value, problems_);
  const int gpus = static_cast<int>(fields.integer("gpus", defaults.gpus, 1, kMostGpusOfServer));
  std::optional<std::string> scale_up;
  if (fields.find("scale_up") != nullptr) {
    scale_up = fields.required_text("scale_up");
    list.labelled = true;
  }
  const Value* names = fields.find("names");
  const Value* name = fields.find("name");
  fields.finish();
  if ((names == nullptr) == (name == nullptr)) {
    report(value, "expected either \"names\" (a host list) or \"name\" (taken as it is)");
    list.complete = false;
  } else if (names != nullptr) {
    read_server_names(*names, gpus, scale_up, list);
  } else {
    read_literal_server(*name, fields.required_name("name"), gpus, std::move(scale_up), list);
  }
}

void DomainRows::read_literal_server(const Value& where, std::string name, int gpus,
                                     std::optional<std::string> scale_up, ServerList& list) {
  list.complete = list.complete && !name.empty();
  if (name.empty()) return;
  if (servers_ == kMostServers) {
    report(where, fmt::format("the file has more than {} servers", kMostServers));
    list.complete = false;
    return;
  }
  ++servers_;
  list.servers.push_back({std::move(name), gpus, std::move(scale_up)});
}

/// False when it is no use to go on with the row.
bool DomainRows::add_server(std::span<const std::string> path, std::string name, int gpus,
                            std::optional<std::uint32_t> scale_up, const Value& where) {
  if (name.size() > kLongestName) {
    report(where, fmt::format("a server's name has more than {} bytes", kLongestName));
    return false;
  }
  try {
    builder_.add_server(path, std::move(name), gpus, scale_up);
  } catch (const InputError& error) {
    report(where, error.problems().front().what, error.problems().front().hint);
    return false;
  }
  return true;
}

std::uint32_t DomainRows::group_of(const std::string& label) {
  const auto [entry, is_new] = group_by_label_.try_emplace(label, groups_);
  if (is_new) ++groups_;
  return entry->second;
}

}  // namespace zonecut
