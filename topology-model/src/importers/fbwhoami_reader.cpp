#include <fmt/format.h>

#include <array>
#include <map>
#include <unordered_set>

#include "importers/outline.hpp"
#include "importers/readers.hpp"
#include "importers/source_text.hpp"
#include "zonecut/base/trim.hpp"

namespace zonecut::importers {
namespace {

constexpr std::string_view kTopologyKey = "DEVICE_BACKEND_NETWORK_TOPOLOGY";
constexpr std::string_view kNameKey = "DEVICE_NAME";
constexpr std::array<std::string_view, 4> kLevels = {"datacenter", "zone", "scaling-unit", "rack"};
enum : std::size_t { kScalingUnit = 2, kRtsw = 3 };

/// "value" or 'value', as a file that shells read may have it, without its quotes.
std::string_view unquoted(std::string_view value) {
  const bool is_quoted = value.size() >= 2 && value.front() == value.back() &&
                         (value.front() == '"' || value.front() == '\'');
  return is_quoted ? value.substr(1, value.size() - 2) : value;
}

/// Servers with the four fields as they stand, empty ones included. Two shapes of input:
/// one line for each server, as "server KEY=value" or pdsh's "server: KEY=value"; or the contents
/// of /etc/fbwhoami of many servers one after the other, where a key that comes again begins the
/// next server.
class FbwhoamiReader {
 public:
  FbwhoamiReader(const std::string& source, ProblemList& problems)
      : source_(source), problems_(problems) {}

  void take(const Line& line) {
    const std::string_view text = trimmed(line.text);
    if (text.empty() || text.front() == '#') return;
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos) {
      problems_.add(position(source_, line.number, 1),
                    "expected \"KEY=value\" or \"server DEVICE_BACKEND_NETWORK_TOPOLOGY=value\"");
      return;
    }
    constexpr std::string_view kExport = "export ";
    std::string_view left = trimmed(text.substr(0, equals));
    if (left.starts_with(kExport)) left = trimmed(left.substr(kExport.size()));
    const std::string_view value = unquoted(trimmed(text.substr(equals + 1)));
    const std::size_t blank = left.find_last_of(" \t");
    if (blank == std::string_view::npos) {
      take_pair(left, value, line.number);
    } else {
      std::string_view server = trimmed(left.substr(0, blank));
      if (server.ends_with(':')) server.remove_suffix(1);
      take_line(std::string(server), left.substr(blank + 1), value, line.number);
    }
  }

  std::vector<ServerEntry> servers() && {
    end_record();
    for (const auto& [server, line] : without_topology_) {
      if (!with_topology_.contains(server)) {
        problems_.add(position(source_, line, 1),
                      fmt::format("found server {}, but no {} of it", shown(server), kTopologyKey));
      }
    }
    return std::move(servers_);
  }

 private:
  /// A line with a server may have any key of its file, but one of its lines has the topology.
  void take_line(std::string server, std::string_view key, std::string_view value, int line) {
    if (key == kTopologyKey) {
      add_server(std::move(server), value, line);
    } else {
      without_topology_.try_emplace(std::move(server), line);
    }
  }

  void take_pair(std::string_view key, std::string_view value, int line) {
    if (!keys_of_record_.emplace(key).second) {
      end_record();
      keys_of_record_.emplace(key);
    }
    if (key == kNameKey) name_ = value;
    if (key == kTopologyKey) {
      topology_ = value;
      topology_line_ = line;
    }
  }

  void end_record() {
    if (topology_line_ > 0 && name_.empty()) {
      problems_.add(position(source_, topology_line_, 1),
                    "found a network topology, but no DEVICE_NAME beside it");
    } else if (topology_line_ > 0) {
      add_server(name_, topology_, topology_line_);
    }
    keys_of_record_.clear();
    name_.clear();
    topology_line_ = 0;
  }

  void add_server(std::string name, std::string_view topology, int line) {
    with_topology_.insert(name);
    if (topology.empty()) return;               // not on the backend network
    if (servers_.size() > kMaxServers) return;  // one too many: assemble() refuses them all
    DomainPath fields;
    std::string_view rest = topology;
    while (fields.size() <= kLevels.size()) {
      const std::size_t slash = std::min(rest.find('/'), rest.size());
      fields.emplace_back(rest.substr(0, slash));
      if (slash == rest.size()) break;
      rest.remove_prefix(slash + 1);
    }
    const bool is_void = topology.find_first_not_of('/') == std::string_view::npos;
    if (fields.size() != kLevels.size() || is_void) {
      problems_.add(position(source_, line, 1),
                    fmt::format("found the topology \"{}\", expected dc/zone/scaling-unit/rtsw",
                                topology.substr(0, 128)),
                    "fields may be empty, but not all");
      return;
    }
    servers_.push_back({std::move(fields), std::move(name), 0, {}, position(source_, line, 1)});
  }

  const std::string& source_;
  ProblemList& problems_;
  std::vector<ServerEntry> servers_;
  std::unordered_set<std::string> with_topology_;
  std::map<std::string, int> without_topology_;  // so far, by the first line of each
  std::unordered_set<std::string> keys_of_record_;
  std::string name_;
  std::string topology_;
  int topology_line_ = 0;
};

/// Leaves out the levels that no server fills, and fills the gaps of the others.
void take_used_levels(Outline& outline) {
  std::array<bool, kLevels.size()> used{};
  for (const ServerEntry& server : outline.servers) {
    for (std::size_t i = 0; i < used.size(); ++i) used[i] = used[i] || !server.path[i].empty();
  }
  for (std::size_t i = 0; i < used.size(); ++i) {
    if (used[i]) outline.levels.emplace_back(kLevels[i]);
  }
  // Without a leaf of the rack but with a scaling unit, the leaves are rails.
  if (used[kScalingUnit] && !used[kRtsw]) outline.leaves = LeafWiring::Rail;
  for (ServerEntry& server : outline.servers) {
    DomainPath path;
    for (std::size_t i = 0; i < used.size(); ++i) {
      if (used[i]) path.push_back(std::move(server.path[i]));
    }
    fill_gaps(path);
    server.path = std::move(path);
  }
}

}  // namespace

Cluster read_fbwhoami(std::string_view text, const std::string& source,
                      const ImportOptions& options) {
  ProblemList problems;
  FbwhoamiReader reader(source, problems);
  Lines lines(checked_text(text, source));
  for (Line line; lines.next(line);) reader.take(line);
  Outline outline;
  outline.servers = std::move(reader).servers();
  take_used_levels(outline);
  return assemble(std::move(outline), options, source, problems);
}

}  // namespace zonecut::importers
