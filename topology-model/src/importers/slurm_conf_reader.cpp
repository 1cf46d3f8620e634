#include <fmt/format.h>

#include <charconv>

#include "importers/block_list.hpp"
#include "importers/outline.hpp"
#include "importers/readers.hpp"
#include "importers/slurm_conf_lines.hpp"
#include "importers/source_text.hpp"
#include "importers/switch_tree.hpp"

namespace zonecut::importers {
namespace {

/// topology.conf, whichever of topology/tree and topology/block it is for. Keys that only some
/// versions of Slurm know, such as LinkSpeed, do not change the tree and are passed over.
class SlurmConfReader {
 public:
  explicit SlurmConfReader(ProblemList& problems) : problems_(problems), tree_(problems) {}

  void take(const SlurmStatement& statement) {
    const SlurmPair* const name = statement.find("switchname");
    const SlurmPair* const block = statement.find("blockname");
    if (name != nullptr) {
      take_switch(*name, statement);
    } else if (block != nullptr) {
      take_block(*block, statement);
    } else if (const SlurmPair* const sizes = statement.find("blocksizes"); sizes != nullptr) {
      take_sizes(*sizes);
    } else {
      problems_.add(statement.pairs[0].where,
                    fmt::format("found \"{}\", expected SwitchName, BlockName or BlockSizes",
                                statement.pairs[0].key));
    }
  }

  Outline to_outline(const std::string& source) && {
    if (saw_switch_ && !blocks_.empty()) {
      problems_.add(source, "found both SwitchName and BlockName",
                    "one file is for topology/tree or for topology/block");
    }
    if (!blocks_.empty()) {
      return outline_of_blocks(std::move(blocks_), block_sizes_, where_sizes_, problems_);
    }
    tree_.require_descriptions();
    return std::move(tree_).to_outline();
  }

 private:
  void take_switch(const SlurmPair& name, const SlurmStatement& statement) {
    saw_switch_ = true;
    const std::size_t index = tree_.describe(name.value, name.where);
    if (const SlurmPair* const children = statement.find("switches"); children != nullptr) {
      for (const std::string& child :
           hosts_of(children->value, children->where, budget_, problems_))
        tree_.add_child(index, child, children->where);
    }
    if (const SlurmPair* const nodes = statement.find("nodes"); nodes != nullptr) {
      for (std::string& host : hosts_of(nodes->value, nodes->where, budget_, problems_))
        tree_.add_server(index, {{}, std::move(host), 0, {}, nodes->where});
    }
  }

  void take_block(const SlurmPair& name, const SlurmStatement& statement) {
    Block block{name.value, name.where, {}};
    if (const SlurmPair* const nodes = statement.find("nodes"); nodes != nullptr)
      block.hosts = hosts_of(nodes->value, nodes->where, budget_, problems_);
    blocks_.push_back(std::move(block));
  }

  void take_sizes(const SlurmPair& sizes) {
    where_sizes_ = sizes.where;
    block_sizes_.clear();
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
  bool saw_switch_ = false;
  std::vector<Block> blocks_;
  std::vector<std::int64_t> block_sizes_;
  std::string where_sizes_;
  std::size_t budget_ = kMaxServers;
};

}  // namespace

Cluster read_slurm_conf(std::string_view text, const std::string& source,
                        const ImportOptions& options) {
  ProblemList problems;
  SlurmConfReader reader(problems);
  SlurmStatements statements(checked_text(text, source), source, problems);
  for (SlurmStatement statement; statements.next(statement);) reader.take(statement);
  Outline outline = std::move(reader).to_outline(source);
  return assemble(std::move(outline), options, source, problems);
}

}  // namespace zonecut::importers
