#include "server_names.hpp"

#include <fmt/format.h>

#include <optional>
#include <regex>
#include <set>

#include "zonecut/base/document.hpp"
#include "zonecut/base/error.hpp"
#include "zonecut/base/hostlist.hpp"

namespace zonecut::cli {
namespace {

/// One line of a host file that says something.
struct HostLine {
  std::string where;  ///< "file:line"
  std::vector<std::string> names;
  std::optional<std::size_t> slots;
};

std::string_view trimmed(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

/// What may stand after the names, as Open MPI writes it: "slots=8 max_slots=8", or "slots = 8".
std::optional<std::size_t> slots_in(std::string_view rest, const std::string& where) {
  static const std::regex kWords(R"((?:(max_slots|max-slots|slots)\s*=\s*([0-9]{1,9})\s*)*)");
  static const std::regex kSlots(R"((?:^|\s)slots\s*=\s*([0-9]{1,9}))");
  const std::string words(trimmed(rest));
  std::smatch found;
  if (words.size() > 200 || !std::regex_match(words, kWords)) {
    throw InputError(
        where, fmt::format("found \"{:.40}\" after the name, expected slots=N or nothing", words));
  }
  if (!std::regex_search(words, found, kSlots)) return std::nullopt;
  const auto slots = static_cast<std::size_t>(std::stoul(found[1].str()));
  if (slots == 0) throw InputError(where, "found slots=0, expected at least 1");
  return slots;
}

std::vector<HostLine> parse_host_lines(std::string_view text, const std::string& source) {
  std::vector<HostLine> lines;
  for (int number = 1; !text.empty(); ++number) {
    const auto end = text.find('\n');
    const std::string_view raw = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    const std::string_view line = trimmed(raw.substr(0, raw.find('#')));
    if (line.empty()) continue;
    const std::string where = fmt::format("{}:{}", source, number);
    const auto word_end = std::min(line.find_first_of(" \t"), line.size());
    lines.push_back({where, expand_hostlist(line.substr(0, word_end), where),
                     slots_in(line.substr(word_end), where)});
  }
  return lines;
}

/// Finds servers by name and gathers the names nobody has.
class Lookup {
 public:
  explicit Lookup(const Cluster& cluster) : cluster_(cluster) {}

  void add(const std::string& name, const std::string& where, std::vector<ServerId>& servers) {
    if (const auto server = cluster_.find_server(name)) {
      servers.push_back(*server);
    } else if (unknown_.insert(name).second) {
      problems_.add(where, fmt::format("the cluster has no server \"{}\"", name), nearest(name));
    }
  }
  void throw_if_any() const { problems_.throw_if_any(); }

 private:
  std::string nearest(const std::string& name) {
    if (names_.empty()) {
      for (std::size_t i = 0; i < cluster_.server_count(); ++i) {
        names_.push_back(cluster_.server(ServerId{i}).name);
      }
    }
    // Each search reads all names: a few hints help, a thousand only take time.
    if (++hints_ > 5) return {};
    const auto found = nearest_word(name, names_);
    return found ? fmt::format("did you mean {}?", *found) : "";
  }

  const Cluster& cluster_;
  ProblemList problems_;
  std::set<std::string> unknown_;  // each is reported once, where it first stands
  std::vector<std::string> names_;
  int hints_ = 0;
};

/// One entry for each rank, where every server's worth of lines names one server.
std::vector<ServerId> folded(const std::vector<ServerId>& by_rank, std::size_t ranks_per_server,
                             const std::string& path) {
  std::vector<ServerId> servers;
  for (std::size_t first = 0; first < by_rank.size(); first += ranks_per_server) {
    for (std::size_t i = first; i < std::min(first + ranks_per_server, by_rank.size()); ++i) {
      if (by_rank[i] == by_rank[first]) continue;
      throw InputError(path,
                       fmt::format("ranks {} and {} share a server's worth of ranks ({}), but "
                                   "not a server",
                                   first, i, ranks_per_server));
    }
    servers.push_back(by_rank[first]);
  }
  return servers;
}

}  // namespace

std::vector<ServerId> read_servers(const Cluster& cluster, const std::string& text,
                                   const std::string& option) {
  std::vector<ServerId> servers;
  Lookup lookup(cluster);
  if (text.starts_with('@')) {
    const std::string path = text.substr(1);
    for (const HostLine& line : parse_host_lines(read_file(path), path)) {
      for (const std::string& name : line.names) lookup.add(name, line.where, servers);
    }
  } else {
    for (const std::string& name : expand_hostlist(text, option)) lookup.add(name, option, servers);
  }
  lookup.throw_if_any();
  if (servers.empty()) throw InputError(option, "names no server");
  return servers;
}

std::vector<ServerId> read_order(const Cluster& cluster, const std::string& path, std::size_t ranks,
                                 std::size_t ranks_per_server) {
  const std::size_t vertices = (ranks + ranks_per_server - 1) / ranks_per_server;
  std::vector<ServerId> servers;
  Lookup lookup(cluster);
  for (const HostLine& line : parse_host_lines(read_file(path), path)) {
    const std::size_t slots = line.slots.value_or(ranks_per_server);
    if (slots % ranks_per_server != 0 || slots > ranks) {
      throw InputError(line.where, fmt::format("found slots={}, expected a multiple of {}, the "
                                               "ranks of one server, and at most {}",
                                               slots, ranks_per_server, ranks));
    }
    for (const std::string& name : line.names) {
      for (std::size_t i = 0; i < slots / ranks_per_server; ++i)
        lookup.add(name, line.where, servers);
      if (servers.size() > ranks) break;
    }
  }
  lookup.throw_if_any();
  if (servers.size() == ranks && ranks_per_server > 1)
    return folded(servers, ranks_per_server, path);
  if (servers.size() != vertices) {
    throw InputError(path, fmt::format("names {} servers, expected {}: {} ranks, {} on a server",
                                       servers.size(), vertices, ranks, ranks_per_server));
  }
  return servers;
}

}  // namespace zonecut::cli
