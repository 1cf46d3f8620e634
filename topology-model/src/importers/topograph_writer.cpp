#include <fmt/format.h>

#include "importers/switch_list.hpp"
#include "importers/writers.hpp"
#include "zonecut/base/hostlist.hpp"

namespace zonecut::importers {
namespace {

/// The servers of a rack, one block for each run of those in one scale-up domain.
void write_blocks(const Cluster& cluster, const ListedSwitch& leaf, std::string& text) {
  const Domain& rack = cluster.domain(leaf.domain);
  const std::vector<std::string> names = listed_servers(cluster, rack, "topograph");
  const auto scale_up = [&](std::size_t i) {
    return cluster.server(ServerId{rack.first_server + i}).scale_up;
  };
  for (std::size_t begin = 0, end = 0; begin < names.size(); begin = end) {
    while (end < names.size() && scale_up(end) == scale_up(begin)) ++end;
    fmt::format_to(std::back_inserter(text), "- switch: {}\n  nodes: [{}]\n", quoted(leaf.name),
                   quoted(compress_hostlist(std::span(names).subspan(begin, end - begin))));
    if (scale_up(begin)) {
      fmt::format_to(std::back_inserter(text),
                     "  annotations:\n    accelerator.topology.test/domain: \"scale-up-{}\"\n",
                     *scale_up(begin));
    }
  }
}

}  // namespace

std::string write_topograph(const Cluster& cluster) {
  std::string text = "switches:\n";
  std::string blocks = "blocks:\n";
  for (const ListedSwitch& listed : switch_list(cluster, SwitchNaming::Plain)) {
    if (listed.is_rack) {
      write_blocks(cluster, listed, blocks);
      continue;
    }
    fmt::format_to(std::back_inserter(text), "  {}:\n    switches:\n", quoted(listed.name));
    for (const std::string& child : listed.children)
      fmt::format_to(std::back_inserter(text), "    - {}\n", quoted(child));
  }
  return text + blocks;
}

}  // namespace zonecut::importers
