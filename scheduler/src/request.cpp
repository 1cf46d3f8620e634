#include "zonecut/scheduler/request.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "zonecut/base/hostlist.hpp"
#include "zonecut/base/percentage.hpp"

namespace zonecut {
namespace {

class ConstraintReader {
 public:
  ConstraintReader(const Document& document, const Value& mapping, const Cluster& cluster,
                   ProblemList& problems)
      : fields_(document, mapping, problems),
        document_(document),
        cluster_(cluster),
        problems_(problems) {}

  [[nodiscard]] Constraints read() {
    Constraints constraints;
    constraints.required_level = level("required_level");
    constraints.preferred_level = level("preferred_level");
    constraints.whole_racks = fields_.boolean("whole_racks", false);
    constraints.excluded = servers("exclude");
    if (fields_.find("only") != nullptr) constraints.only = servers("only");
    if (const Value* value = fields_.find("slices")) constraints.slices = slices(*value);
    if (const Value* value = fields_.find("spread")) constraints.spread = spread(*value);
    if (const Value* value = fields_.find("time_tolerance")) {
      constraints.time_tolerance = percentage(*value);
    }
    fields_.finish();
    return constraints;
  }

 private:
  [[nodiscard]] std::optional<int> level_named(const std::string& name, const std::string& where) {
    const auto found = cluster_.find_level(name);
    if (found && *found > 0) return found;
    std::string levels;
    for (std::size_t i = 1; i < cluster_.levels().size(); ++i)
      levels += (i > 1 ? ", " : "") + cluster_.levels()[i];
    problems_.add(where, fmt::format("the cluster has no level \"{}\"", name),
                  "its levels are " + levels);
    return std::nullopt;
  }

  [[nodiscard]] std::optional<int> level(std::string_view key) {
    const Value* value = fields_.find(key);
    if (value == nullptr) return std::nullopt;
    const auto name = as_text(document_, *value, problems_);
    return name ? level_named(*name, document_.where(*value)) : std::nullopt;
  }

  void add_domain(DomainId domain, std::vector<ServerId>& servers) {
    for (const ServerId server : cluster_.domain(domain).servers()) servers.push_back(server);
  }

  void add_named(const std::string& name, const std::string& where,
                 std::vector<ServerId>& servers) {
    if (const auto server = cluster_.find_server(name)) {
      servers.push_back(*server);
    } else if (const auto domain = cluster_.find_domain(name)) {
      add_domain(*domain, servers);
    } else {
      problems_.add(where, fmt::format("no server, and no one domain, is called \"{}\"", name),
                    "a domain whose name others share needs its path, such as zone1/rack2");
    }
  }

  void add_text(const Value& item, std::vector<ServerId>& servers) {
    const auto text = as_text(document_, item, problems_);
    if (!text) return;
    if (const auto domain = cluster_.find_domain(*text)) return add_domain(*domain, servers);
    const std::string where = document_.where(item);
    try {
      for (const std::string& name : expand_hostlist(*text, where, cluster_.server_count() + 1))
        add_named(name, where, servers);
    } catch (const InputError& error) {
      for (const Problem& problem : error.problems())
        problems_.add(problem.where, problem.what, problem.hint);
    }
  }

  /// Host lists and domain paths, taken apart into servers.
  [[nodiscard]] std::vector<ServerId> servers(std::string_view key) {
    std::vector<ServerId> servers;
    const Value* value = fields_.find(key);
    if (value == nullptr || value->kind == Value::Kind::Null) return servers;
    if (value->kind == Value::Kind::List) {
      for (const Value& item : value->items) add_text(item, servers);
    } else {
      add_text(*value, servers);
    }
    std::sort(servers.begin(), servers.end());
    servers.erase(std::unique(servers.begin(), servers.end()), servers.end());
    return servers;
  }

  /// {zone: 48, rack: 16}
  [[nodiscard]] std::vector<Slice> slices(const Value& value) {
    std::vector<Slice> slices;
    if (value.kind != Value::Kind::Mapping) {
      problems_.add(document_.where(value), "expected GPUs by level",
                    "slices: {zone: 48, rack: 16}");
      return slices;
    }
    for (const Value::Entry& entry : value.entries) {
      const auto found = level_named(entry.key, document_.where(entry.value));
      const auto gpus = as_integer(document_, entry.value, 1, 1 << 24, problems_);
      if (found && gpus) slices.push_back({*found, static_cast<int>(*gpus)});
    }
    return slices;
  }

  /// {level: zone, servers: 4}
  [[nodiscard]] std::optional<Spread> spread(const Value& value) {
    if (value.kind != Value::Kind::Mapping) {
      problems_.add(document_.where(value), "expected a level and a number of servers",
                    "spread: {level: zone, servers: 4}");
      return std::nullopt;
    }
    Fields fields(document_, value, problems_);
    const std::string name = fields.required_text("level");
    const auto servers = fields.integer("servers", 1, 1, 1 << 24);
    fields.finish();
    const auto found = name.empty() ? std::nullopt : level_named(name, document_.where(value));
    return found ? std::optional(Spread{*found, static_cast<int>(servers)}) : std::nullopt;
  }

  [[nodiscard]] std::optional<double> percentage(const Value& value) {
    std::optional<double> share;
    if (value.kind == Value::Kind::Scalar) share = parse_percentage(value.scalar);
    if (!share) {
      problems_.add(document_.where(value), "expected a percentage from 0% to 100%",
                    "such as time_tolerance: 2%");
    }
    return share;
  }

  Fields fields_;
  const Document& document_;
  const Cluster& cluster_;
  ProblemList& problems_;
};

}  // namespace

Constraints parse_constraints(const Document& document, const Value* placement,
                              const Cluster& cluster, ProblemList& problems) {
  if (placement == nullptr || placement->kind == Value::Kind::Null) return {};
  if (placement->kind != Value::Kind::Mapping) {
    problems.add(document.where(*placement), "expected the constraints of the placement",
                 "placement: {required_level: zone}");
    return {};
  }
  return ConstraintReader(document, *placement, cluster, problems).read();
}

}  // namespace zonecut
