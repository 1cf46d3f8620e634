// The routes are written directly: at 16,384 GPUs a tree of values would cost more than they do.
#include <fmt/format.h>

#include <iterator>
#include <nlohmann/json.hpp>

#include "report/text.hpp"
#include "zonecut/scheduler/routes.hpp"

namespace zonecut {
namespace {

std::string quoted(const std::string& text) {
  return nlohmann::json(report::clean(text))
      .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// Names as JSON strings, each made once.
class Names {
 public:
  explicit Names(const Fabric& fabric)
      : fabric_(fabric),
        servers_(fabric.cluster().server_count()),
        switches_(fabric.switches().size()) {}

  const std::string& of(const Endpoint& end) {
    const auto* server = std::get_if<ServerId>(&end);
    std::string& name =
        server ? servers_[server->index()] : switches_[std::get<SwitchId>(end).index()];
    if (name.empty()) name = quoted(fabric_.name(end));
    return name;
  }

 private:
  const Fabric& fabric_;
  std::vector<std::string> servers_;
  std::vector<std::string> switches_;
};

void append(std::string& out, const Fabric& fabric, const Route& route, Names& names) {
  fmt::format_to(std::back_inserter(out),
                 R"({{"from": {}, "from_nic": {}, "to": {}, "to_nic": {}, "bytes": {}, "hops": [)",
                 names.of(route.from), route.from_nic, names.of(route.to), route.to_nic,
                 static_cast<std::int64_t>(route.bytes));
  for (std::size_t i = 0; i < route.hops.size(); ++i) {
    const RouteHop& hop = route.hops[i];
    const Link& link = fabric.links()[hop.link.index()];
    const std::string& lower = names.of(link.lower);
    const std::string& upper = names.of(link.upper);
    fmt::format_to(std::back_inserter(out), R"({}{{"from": {}, "to": {}, "cable": {}}})",
                   i == 0 ? "" : ", ", hop.up ? lower : upper, hop.up ? upper : lower,
                   hop.cable + 1);
  }
  out += "]}";
}

}  // namespace

std::string write_routes_json(const Fabric& fabric, const Routing& routing,
                              std::span<const PhaseRoutes> phases) {
  Names names(fabric);
  std::string out = fmt::format(R"({{"schema": "zonecut.routes/v1", "routing": "{}", "phases": [)",
                                routing_name(routing.scheme));
  for (std::size_t i = 0; i < phases.size(); ++i) {
    fmt::format_to(std::back_inserter(out), "{}\n{{\"name\": {}, \"rules\": {}, \"routes\": [",
                   i == 0 ? "" : ",", quoted(phases[i].phase), phases[i].rules);
    for (std::size_t j = 0; j < phases[i].routes.size(); ++j) {
      out += j == 0 ? "\n  " : ",\n  ";
      append(out, fabric, phases[i].routes[j], names);
    }
    out += "]}";
  }
  return out + "\n]}\n";
}

}  // namespace zonecut
