#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <set>
#include <span>

#include "importers/block_list.hpp"
#include "importers/outline.hpp"
#include "importers/readers.hpp"
#include "importers/slurm_conf_lines.hpp"
#include "importers/slurm_outlines.hpp"
#include "importers/source_text.hpp"
#include "importers/switch_tree.hpp"
#include "zonecut/base/document.hpp"

namespace zonecut::importers {
namespace {

/// What may stand in a line, by the key that it is about. Beside the keys of topology.conf(5) those
/// that "scontrol show topology" prints, which do not change the tree.
constexpr std::array<std::string_view, 5> kOfSwitch = {"switchname", "switches", "nodes",
                                                       "linkspeed", "level"};
constexpr std::array<std::string_view, 4> kOfBlock = {"blockname", "nodes", "blockindex",
                                                      "blocksize"};
constexpr std::array<std::string_view, 1> kOfSizes = {"blocksizes"};
/// Of slurm.conf, which stands beside topology.conf and is easily taken for it; beside these many
/// that begin with "slurm".
constexpr std::array<std::string_view, 5> kOfSlurm = {"clustername", "authtype", "nodename",
                                                      "partitionname", "topologyplugin"};

bool is_of_slurm_conf(const std::string& key) {
  return key.starts_with("slurm") || std::ranges::find(kOfSlurm, key) != kOfSlurm.end();
}

std::string hint_for(const std::string& key, std::span<const std::string_view> known) {
  if (key == kOfSwitch[0] || key == kOfBlock[0] || key == kOfSizes[0])
    return "it stands in a line of its own";
  const auto near = nearest_word(key, std::vector<std::string>(known.begin(), known.end()));
  return near ? fmt::format("did you mean \"{}\"?", *near)
              : fmt::format("known here: {}", fmt::join(known, ", "));
}

/// topology.conf, whichever of topology/tree and topology/block it is for.
class SlurmConfReader {
 public:
  explicit SlurmConfReader(ProblemList& problems) : problems_(problems), tree_(problems) {}

  void take(const SlurmStatement& statement) {
    if (const SlurmPair* const name = statement.find("switchname"); name != nullptr) {
      check(statement, *name, kOfSwitch, where_tree_, where_blocks_);
      take_switch(*name, statement);
    } else if (const SlurmPair* const block = statement.find("blockname"); block != nullptr) {
      check(statement, *block, kOfBlock, where_blocks_, where_tree_);
      take_block(*block, statement);
    } else if (const SlurmPair* const sizes = statement.find("blocksizes"); sizes != nullptr) {
      check(statement, *sizes, kOfSizes, where_blocks_, where_tree_);
      take_sizes(*sizes);
    } else {
      report_unknown(statement.pairs[0]);
    }
  }

  Outline to_outline() && {
    if (!blocks_.empty()) {
      return outline_of_blocks(std::move(blocks_), block_sizes_, where_sizes_, problems_);
    }
    tree_.require_descriptions();
    return std::move(tree_).to_outline();
  }

 private:
  /// A line that begins with no key of topology.conf; none after one of slurm.conf, of which the
  /// others will be as well.
  void report_unknown(const SlurmPair& first) {
    if (is_slurm_conf_) return;
    is_slurm_conf_ = is_of_slurm_conf(first.key);
    problems_.add(
        first.where,
        fmt::format("found \"{}\", expected SwitchName, BlockName or BlockSizes", first.key),
        is_slurm_conf_ ? "is this slurm.conf? topology.conf stands beside it" : "");
  }

  /// Reports what does not belong in a line of this key, and the first line of a file of one kind
  /// that is of the other.
  void check(const SlurmStatement& statement, const SlurmPair& name,
             std::span<const std::string_view> known, std::string& where_own,
             const std::string& where_other) {
    for (const SlurmPair& pair : statement.pairs) {
      if (std::find(known.begin(), known.end(), pair.key) != known.end()) continue;
      problems_.add(pair.where, fmt::format("unknown key \"{}\" beside \"{}\"", pair.key, name.key),
                    hint_for(pair.key, known));
    }
    if (!where_own.empty()) return;
    where_own = name.where;
    if (where_other.empty()) return;
    problems_.add(name.where,
                  fmt::format("found \"{}\" in a file of {}, first at {}", name.key,
                              name.key == kOfSwitch[0] ? "blocks" : "switches", where_other),
                  "one file is for topology/tree or for topology/block");
  }

  void take_switch(const SlurmPair& name, const SlurmStatement& statement) {
    const std::size_t index = tree_.describe(name.value, name.where);
    if (const SlurmPair* const children = statement.find("switches"); children != nullptr) {
      for (const std::string& child :
           hosts_of(children->value, children->where, budget_, problems_))
        tree_.add_child(index, child, children->where);
    }
    // scontrol, which alone says a level, repeats at a switch all nodes of the switches below it.
    const bool repeated =
        statement.find("level") != nullptr && statement.find("switches") != nullptr;
    if (const SlurmPair* const nodes = statement.find("nodes"); nodes != nullptr && !repeated) {
      for (std::string& host : hosts_of(nodes->value, nodes->where, budget_, problems_))
        tree_.add_server(index, {{}, std::move(host), 0, {}, nodes->where});
    }
  }

  void take_block(const SlurmPair& name, const SlurmStatement& statement) {
    if (blocks_.size() == kMaxDomains) {
      problems_.add(name.where, fmt::format("found more than {} blocks", kMaxDomains));
      problems_.throw_if_any();
    }
    Block block{name.value, name.where, {}, {}};
    if (const SlurmPair* const nodes = statement.find("nodes"); nodes != nullptr) {
      block.hosts = hosts_of(nodes->value, nodes->where, budget_, problems_);
      block.where_hosts = nodes->where;
    }
    blocks_.push_back(std::move(block));
  }

  void take_sizes(const SlurmPair& sizes) {
    if (!where_sizes_.empty()) {
      problems_.add(sizes.where,
                    fmt::format("BlockSizes is given twice, first at {}", where_sizes_));
      return;
    }
    where_sizes_ = sizes.where;
    std::string_view rest = sizes.value;
    while (true) {
      const std::size_t end = std::min(rest.find(','), rest.size());
      std::int64_t size = 0;
      const char* const begin = rest.data();  // NOLINT(bugprone-suspicious-stringview-data-usage)
      const auto [stop, error] = std::from_chars(begin, begin + end, size);
      if (error != std::errc{} || stop != begin + end || size < 1) {
        problems_.add(sizes.where, fmt::format("found \"{}\", expected numbers with commas between",
                                               sizes.value.substr(0, 64)));
        return;
      }
      block_sizes_.push_back(size);
      if (end == rest.size()) return;
      rest.remove_prefix(end + 1);
    }
  }

  ProblemList& problems_;
  SwitchTree tree_;
  std::string where_tree_;  // the first line of a switch
  std::string where_blocks_;
  std::vector<Block> blocks_;
  std::vector<std::int64_t> block_sizes_;
  std::string where_sizes_;
  bool is_slurm_conf_ = false;
  std::size_t budget_ = kMaxServers;
};

}  // namespace

Outline slurm_conf_outline(std::string_view text, const std::string& source,
                           ProblemList& problems) {
  SlurmConfReader reader(problems);
  SlurmStatements statements(checked_text(text, source), source, problems);
  for (SlurmStatement statement; statements.next(statement);) reader.take(statement);
  return std::move(reader).to_outline();
}

void keep_servers(const std::map<std::string, int, std::less<>>& gpus, Outline& outline) {
  std::set<DomainPath> emptied;
  std::set<DomainPath> filled;
  std::erase_if(outline.servers, [&](ServerEntry& server) {
    const auto known = gpus.find(server.name);
    (known == gpus.end() ? emptied : filled).insert(server.path);
    if (known == gpus.end()) return true;
    server.gpus = known->second;
    return false;
  });
  std::erase_if(outline.domains, [&](const DomainPath& path) {
    return emptied.contains(path) && !filled.contains(path);
  });
}

Cluster read_slurm_conf(std::string_view text, const std::string& source,
                        const ImportOptions& options) {
  ProblemList problems;
  Outline outline = slurm_conf_outline(text, source, problems);
  if (!options.server_gpus.empty()) keep_servers(options.server_gpus, outline);
  return assemble(std::move(outline), options, source, problems);
}

}  // namespace zonecut::importers
