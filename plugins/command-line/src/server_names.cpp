#include "server_names.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <regex>
#include <set>

#include "zonecut/base/counts.hpp"
#include "zonecut/base/document.hpp"
#include "zonecut/base/error.hpp"
#include "zonecut/base/hostlist.hpp"
#include "zonecut/base/text_check.hpp"
#include "zonecut/base/trim.hpp"

namespace zonecut::cli {
namespace {

/// One line of a host file that says something.
struct HostLine {
  std::string where;  ///< "file:line"
  std::vector<std::string> names;
  std::optional<std::size_t> slots;
};

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
  const std::string after = found.suffix();
  if (std::regex_search(after, kSlots))
    throw InputError(where, "found slots=N twice, expected it once");
  if (slots == 0) throw InputError(where, "found slots=0, expected at least 1");
  return slots;
}

std::optional<HostLine> parse_host_line(std::string_view line, const std::string& where,
                                        ProblemList& problems) {
  const auto word_end = std::min(line.find_first_of(" \t"), line.size());
  try {
    return HostLine{where, expand_hostlist(line.substr(0, word_end), where),
                    slots_in(line.substr(word_end), where)};
  } catch (const InputError& error) {
    for (const Problem& problem : error.problems())
      problems.add(problem.where, problem.what, problem.hint);
    return std::nullopt;
  }
}

/// Files that say where ranks run in another way, told by their first line.
void refuse_other_form(std::string_view line, const std::string& where) {
  constexpr const char* kHostFile = "zonecut place --format hostfile writes such a file";
  const auto refuse = [&](const char* form, const char* hint) {
    throw InputError(where,
                     fmt::format("looks like {}, expected a host file: servers, a line each", form),
                     hint);
  };
  static const std::regex kRank(R"(rank\s{1,9}[0-9]{1,9}\s{0,9}=)");
  if (std::regex_search(line.begin(), line.end(), kRank, std::regex_constants::match_continuous)) {
    refuse("a rank file of Open MPI",
           "zonecut place --format hostfile writes such a file; of a rank file in rank order "
           "awk -F '[= ]+' '{print $3}' leaves the server of each rank, which is understood");
  }
  if (line.starts_with('{')) refuse("JSON", kHostFile);
  if (line.starts_with("--nodelist=")) refuse("options for srun", kHostFile);
  if (line.starts_with("format:")) refuse("a file of zonecut's own", kHostFile);
}

std::vector<HostLine> parse_host_lines(std::string_view text, const std::string& source,
                                       ProblemList& problems) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  if (const auto bad = find_malformed_utf8(text)) {
    throw InputError(fmt::format("{}:{}:{}", source, bad->line, bad->column), bad->what,
                     "save the file as UTF-8");
  }
  std::vector<HostLine> lines;
  for (int number = 1; !text.empty(); ++number) {
    const auto end = text.find('\n');
    const std::string_view raw = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    const std::string_view line = trimmed(raw.substr(0, raw.find('#')));
    if (line.empty()) continue;
    const std::string where = fmt::format("{}:{}", source, number);
    if (lines.empty() && problems.empty()) refuse_other_form(line, where);
    if (auto read = parse_host_line(line, where, problems)) lines.push_back(*std::move(read));
  }
  return lines;
}

/// A server of an order, and the line that names it.
struct Entry {
  ServerId server;
  std::string where;
};

/// Finds servers by name, and then reports the names nobody has.
class Lookup {
 public:
  Lookup(const Cluster& cluster, ProblemList& problems) : cluster_(cluster), problems_(problems) {}

  std::optional<ServerId> find(const std::string& name, const std::string& where) {
    const auto server = cluster_.find_server(name);
    if (server) {
      any_found_ = true;
    } else if (seen_.insert(name).second) {
      unknown_.push_back({name, where});
    }
    return server;
  }

  /// Each name once, where it first stands. A file of another cluster is one mistake.
  void report(bool is_file) {
    constexpr std::size_t kFew = 5;
    if (is_file && !any_found_ && unknown_.size() > kFew) {
      const auto& [name, where] = unknown_.front();
      problems_.add(where,
                    fmt::format("the cluster has none of the {}, such as \"{}\"",
                                counted(unknown_.size(), "server"), name),
                    "is the file of another cluster?");
      return;
    }
    for (const auto& [name, where] : unknown_)
      problems_.add(where, fmt::format("the cluster has no server \"{}\"", name), nearest(name));
  }

 private:
  std::string nearest(const std::string& name) {
    if (names_.empty()) {
      for (const ServerId server : cluster_.server_ids()) {
        names_.push_back(cluster_.server(server).name);
      }
    }
    // Each search reads all names: a few hints help, a thousand only take time.
    if (++hints_ > 5) return {};
    const auto found = nearest_word(name, names_);
    return found ? fmt::format("did you mean {}?", *found) : "";
  }

  const Cluster& cluster_;
  ProblemList& problems_;
  struct Unknown {
    std::string name, where;
  };
  std::vector<Unknown> unknown_;
  std::set<std::string> seen_;
  bool any_found_ = false;
  std::vector<std::string> names_;
  int hints_ = 0;
};

/// One entry for each rank, where every server's worth of lines names one server.
std::vector<Entry> folded(const std::vector<Entry>& by_rank, std::size_t ranks_per_server,
                          ProblemList& problems) {
  std::vector<Entry> entries;
  for (std::size_t first = 0; first < by_rank.size(); first += ranks_per_server) {
    for (std::size_t i = first; i < std::min(first + ranks_per_server, by_rank.size()); ++i) {
      if (by_rank[i].server == by_rank[first].server) continue;
      problems.add(by_rank[i].where,
                   fmt::format("ranks {} and {} share a server's worth of ranks ({}), but "
                               "not a server",
                               first, i, ranks_per_server));
      break;
    }
    entries.push_back(by_rank[first]);
  }
  return entries;
}

/// A server stands as often as it has GPUs for a server's worth of ranks.
void check_repeats(const Cluster& cluster, const std::vector<Entry>& entries,
                   std::size_t ranks_per_server, ProblemList& problems) {
  IdMap<ServerId, std::size_t> times(cluster.server_count(), 0);
  for (const auto& [id, where] : entries) {
    const Server& server = cluster.server(id);
    const std::size_t places = static_cast<std::size_t>(server.gpus) / ranks_per_server;
    if (++times[id] != places + 1) continue;  // one message for each server
    problems.add(where,
                 fmt::format("server {} has {} GPUs and holds {} ranks {} at most, but is named "
                             "once more here",
                             server.name, server.gpus, ranks_per_server,
                             places == 1 ? "once" : fmt::format("{} times", places)));
  }
}

/// The servers of a line, each as often as its slots say.
void add_line(const HostLine& line, std::size_t ranks, std::size_t ranks_per_server, Lookup& lookup,
              ProblemList& problems, std::vector<Entry>& entries) {
  const std::size_t slots = line.slots.value_or(ranks_per_server);
  if (slots % ranks_per_server != 0 || slots > ranks) {
    problems.add(line.where, fmt::format("found slots={}, expected a multiple of {}, the "
                                         "ranks of one server, and at most {}",
                                         slots, ranks_per_server, ranks));
    return;
  }
  for (const std::string& name : line.names) {
    const auto server = lookup.find(name, line.where);
    for (std::size_t i = 0; server && i < slots / ranks_per_server; ++i)
      entries.push_back({*server, line.where});
    if (entries.size() > ranks) break;
  }
}

}  // namespace

std::vector<ServerId> read_servers(const Cluster& cluster, const std::string& text,
                                   const std::string& option) {
  ProblemList problems;
  std::vector<HostLine> lines;
  if (text == "@") throw InputError(option, "found \"@\", expected a file's name after it");
  if (text.starts_with('@')) {
    lines = parse_host_lines(read_file(text.substr(1)), text.substr(1), problems);
  } else {
    lines.push_back({option, expand_hostlist(text, option), std::nullopt});
    std::error_code error;
    if (!cluster.find_server(text) && std::filesystem::is_regular_file(text, error)) {
      throw InputError(option, fmt::format("found the file {}, expected names of servers", text),
                       fmt::format("@{} stands for what is in it", text));
    }
  }
  std::vector<ServerId> servers;
  Lookup lookup(cluster, problems);
  for (const HostLine& line : lines) {
    for (const std::string& name : line.names) {
      if (const auto server = lookup.find(name, line.where)) servers.push_back(*server);
    }
  }
  lookup.report(text.starts_with('@'));
  problems.throw_if_any();
  if (servers.empty()) {
    throw InputError(text.starts_with('@') ? text.substr(1) : option, "names no server");
  }
  return servers;
}

std::string file_of_servers(std::string_view text) {
  return text.starts_with('@') ? std::string(text.substr(1)) : std::string();
}

std::vector<ServerId> read_order(const Cluster& cluster, const std::string& path, std::size_t ranks,
                                 std::size_t ranks_per_server) {
  const std::size_t vertices = (ranks + ranks_per_server - 1) / ranks_per_server;
  ProblemList problems;
  std::vector<Entry> entries;
  Lookup lookup(cluster, problems);
  for (const HostLine& line : parse_host_lines(read_file(path), path, problems))
    add_line(line, ranks, ranks_per_server, lookup, problems, entries);
  lookup.report(true);
  problems.throw_if_any();
  if (entries.size() == ranks && ranks_per_server > 1) {
    entries = folded(entries, ranks_per_server, problems);
  } else if (entries.size() != vertices) {
    problems.add(path, fmt::format("names {} servers, expected {}: {} ranks, {} on a server",
                                   entries.size(), vertices, ranks, ranks_per_server));
  }
  check_repeats(cluster, entries, ranks_per_server, problems);
  problems.throw_if_any();
  std::vector<ServerId> servers;
  for (const Entry& entry : entries) servers.push_back(entry.server);
  return servers;
}

}  // namespace zonecut::cli
