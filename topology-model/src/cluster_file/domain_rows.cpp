#include "cluster_file/domain_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <regex>

#include "cluster_file/file_format.hpp"
#include "zonecut/base/hostlist.hpp"

namespace zonecut {
namespace {

constexpr std::int64_t kMostScaleUpServers = 4096;

std::size_t read_scale_up(Fields& fields, std::size_t inherited) {
  const Value* value = fields.find("scale_up");
  if (value == nullptr) return inherited;
  if (value->kind == Value::Kind::Scalar && value->scalar == "none") return 0;
  if (value->kind != Value::Kind::Mapping) {
    fields.problems().add(fields.where(*value), "expected {servers: N} or none",
                          "an NVL72 rack is {servers: 18} with gpus: 4");
    return inherited;
  }
  Fields inside(fields.document(), *value, fields.problems());
  std::size_t servers = 0;
  if (inside.require("servers") != nullptr)
    servers = static_cast<std::size_t>(inside.integer("servers", 2, 2, kMostScaleUpServers));
  inside.finish();
  return servers;
}

bool is_count(const Value& value) {
  return value.kind == Value::Kind::Scalar && !value.quoted && !value.scalar.empty() &&
         value.scalar.find_first_not_of("-0123456789") == std::string::npos;
}

}  // namespace

bool looks_like_number(const Value& value) {
  if (value.kind != Value::Kind::Scalar || value.quoted) return false;
  static const std::regex kNumber(
      R"([-+]?(\.(inf|Inf|INF|nan|NaN|NAN)|0[xob][0-9a-fA-F]+|[0-9][0-9_]*(\.[0-9]*)?([eE][-+]?[0-9]+)?|[0-9]+(:[0-9]+)+|\.[0-9]+))");
  return value.scalar.size() <= 40 && std::regex_match(value.scalar, kNumber);
}

RowDefaults read_row_defaults(Fields& fields, std::span<const std::string> levels,
                              RowDefaults inherited) {
  inherited.gpus = static_cast<int>(fields.integer("gpus", inherited.gpus, 1, kMostGpusOfServer));
  inherited.scale_up_servers = read_scale_up(fields, inherited.scale_up_servers);
  const Value* value = fields.find("server_name");
  if (value == nullptr) return inherited;
  const std::string pattern = fields.required_name("server_name");
  if (pattern.empty()) return inherited;
  try {
    inherited.server_names = ServerNames::parse(pattern, levels, fields.where(*value));
  } catch (const InputError& error) {
    const Problem& problem = error.problems().front();
    fields.problems().add(problem.where, problem.what, problem.hint);
  }
  return inherited;
}

void DomainRows::report(const Value& where, std::string what, std::string hint) {
  problems_.add(document_.where(where), std::move(what), std::move(hint));
}

void DomainRows::read_rows(const Value& rows, const DomainProduct& parents,
                           const RowDefaults& inherited) {
  if (rows.kind != Value::Kind::List || rows.items.empty()) {
    report(rows, "expected a list of domains",
           fmt::format("such as \"- {{{}: {}[1-8], …}}\"", levels_[parents.depth()],
                       levels_[parents.depth()]));
    return;
  }
  for (const Value& row : rows.items) read_row(row, parents, inherited);
}

void DomainRows::read_row(const Value& row, const DomainProduct& parents,
                          const RowDefaults& inherited) {
  Fields fields(document_, row, problems_);
  if (row.kind != Value::Kind::Mapping && row.kind != Value::Kind::Null) return;
  const std::optional<DomainProduct> domains = read_domains(fields, parents);
  const RowDefaults defaults = read_row_defaults(fields, levels_, inherited);
  const Value* inside = fields.find("domains");
  const Value* servers = fields.find("servers");
  fields.finish();
  if (!domains) return;

  if ((inside == nullptr) == (servers == nullptr)) {
    report(row,
           inside != nullptr ? "found both \"domains\" and \"servers\", expected one of them"
                             : "found neither \"domains\" nor \"servers\", expected one of them",
           "an empty domain has servers: 0");
  } else if (inside != nullptr) {
    if (domains->depth() == levels_.size()) {
      report(*inside,
             fmt::format("a {} is the innermost level and has no domains in it", levels_.back()));
    } else {
      read_rows(*inside, *domains, defaults);
    }
  } else if (is_count(*servers)) {
    add_counted(*domains, *servers, defaults);
  } else if (looks_like_number(*servers)) {
    report(*servers,
           fmt::format("found {}, expected a number of servers or a host list", servers->scalar),
           "a number of servers is written 1000; a server of that name stands in quotes");
  } else if (may_stand_servers(*domains, *servers)) {
    add_listed(*domains, *servers, defaults);
  }
}

/// The parents' domains times the names of the next levels, as many as the row names.
std::optional<DomainProduct> DomainRows::read_domains(Fields& fields,
                                                      const DomainProduct& parents) {
  DomainProduct domains = parents;
  bool all_read = true;
  for (std::size_t level = parents.depth(); level < levels_.size(); ++level) {
    const Value* value = fields.find(levels_[level]);
    if (value == nullptr) continue;
    std::vector<std::string> names = read_names(*value);
    if (domains.depth() != level) {
      report(*value,
             fmt::format("found a {} without its {}", levels_[level], levels_[domains.depth()]));
      return std::nullopt;
    }
    if (names.empty()) {
      all_read = false;
      names.emplace_back("?");  // reads on, to find further mistakes of the row
    }
    if (names.size() > (kMostDomains - domains_) / domains.count()) {
      report(*value, fmt::format("the file has more than {} domains", kMostDomains));
      domains_ = kMostDomains;
      return std::nullopt;
    }
    domains.descend(std::move(names));
    domains_ += domains.count();
  }
  if (domains.depth() == parents.depth()) {
    problems_.add(fields.where(), fmt::format("names no {}", levels_[parents.depth()]),
                  fmt::format("add \"{}: NAME\"", levels_[parents.depth()]));
    return std::nullopt;
  }
  return all_read ? std::optional(std::move(domains)) : std::nullopt;
}

std::vector<std::string> DomainRows::read_names(const Value& value) {
  if (value.kind == Value::Kind::Mapping) return read_literal_name(value);
  const auto list = as_text(document_, value, problems_);
  if (!list) return {};
  std::vector<std::string> names;
  try {
    names = expand_hostlist(*list, document_.where(value), kMostDomains - domains_);
  } catch (const InputError& error) {
    const Problem& problem = error.problems().front();
    problems_.add(problem.where, problem.what, problem.hint);
    return {};
  }
  if (names.empty()) report(value, "expected the name of a domain");
  for (const std::string& name : names) {
    if (name.find('/') == std::string::npos) continue;
    report(value, fmt::format("found '/' in the name \"{}\"", name),
           "a domain inside another stands in a row of its own or under \"domains\"");
    return {};
  }
  return names;
}

/// {name: "…"}: taken as it is, brackets and commas included.
std::vector<std::string> DomainRows::read_literal_name(const Value& value) {
  Fields fields(document_, value, problems_);
  std::string name = fields.required_name("name");
  fields.finish();
  if (name.empty()) return {};
  if (name.size() > kLongestName || name.find('/') != std::string::npos) {
    report(value, fmt::format("expected a name without '/', of at most {} bytes", kLongestName));
    return {};
  }
  return {std::move(name)};
}

bool DomainRows::may_stand_servers(const DomainProduct& domains, const Value& servers) {
  if (domains.depth() == levels_.size()) return true;
  report(servers, fmt::format("names no {}, expected one: servers stand in a {}",
                              levels_[domains.depth()], levels_.back()));
  return false;
}

bool DomainRows::begin_domain(std::span<const std::string> path, const Value& where) {
  std::string joined;
  for (const std::string& name : path) joined += (joined.empty() ? "" : "/") + name;
  const auto [entry, is_new] = with_servers_.insert(std::move(joined));
  if (!is_new)
    report(where, fmt::format("the {} {} is described twice", levels_[path.size() - 1], *entry));
  return is_new;
}

}  // namespace zonecut
