// Every instance of a directory (NAME.graph, NAME.*.tree, NAME.coords): cut, bound, gap and time,
// and beside them the cut of METIS alone, its answer brought to exact capacities.
//
// usage: mapping_bench DIRECTORY [fast|balanced|thorough] [name part]
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "metis_partition.hpp"
#include "repair.hpp"
#include "zonecut/partition/mapping.hpp"

using namespace zonecut;

namespace {

std::string contents(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// Where every zone is full in the end; none when more slots are free than needed.
std::optional<std::int64_t> metis_alone(const CommunicationGraph& graph, const SlotTree& tree) {
  PartitionProblem problem{graph, {}, {}};
  for (const std::uint64_t room : tree.capacity(tree.cut_level)) {
    problem.capacity.push_back(static_cast<std::uint32_t>(room));
  }
  if (tree.slots() != graph.vertices()) return std::nullopt;
  auto part = metis_partition(graph, problem.capacity, MetisMethod::Recursive, 1);
  if (!part) return std::nullopt;
  WorkingPartition partition(problem, std::move(*part));
  repair(partition);
  return partition.cut();
}

void run(const std::filesystem::path& tree_file, Effort effort) {
  const std::string tree_name = tree_file.stem().string();
  const std::filesystem::path base =
      tree_file.parent_path() / tree_name.substr(0, tree_name.find('.'));
  const std::string graph_file = base.string() + ".graph";
  const CommunicationGraph graph = parse_metis_graph(contents(graph_file), graph_file);
  const std::int64_t distances[] = {1, 10, 100, 1000};
  const SlotTree tree = parse_slot_tree(contents(tree_file), tree_file.string(), distances).tree;
  const std::vector<Coordinates> coordinates =
      parse_coordinates(contents(base.string() + ".coords"), base.string(), graph.vertices());
  const auto begin = std::chrono::steady_clock::now();
  const Mapping mapping = map_vertices(graph, tree, coordinates, {effort, 1, 1});
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  const std::int64_t bound = mapping.bound ? mapping.bound->value : 0;
  const std::optional<double> gap = relative_gap(mapping.cost.zone_cut, bound);
  const std::optional<std::int64_t> metis = metis_alone(graph, tree);
  fmt::print("{:18} {:>8} {:>10} {:>10} {:>8} {:>12} {:>10} {:>7.3f} s  {}\n", tree_name,
             graph.vertices(), mapping.cost.zone_cut, mapping.bound ? std::to_string(bound) : "-",
             gap ? fmt::format("{:.2f}%", 100 * *gap) : "-", mapping.cost.cost,
             metis ? std::to_string(*metis) : "-", took.count(), mapping.method);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: mapping_bench DIRECTORY [fast|balanced|thorough] [name part]\n");
    return 2;
  }
  const std::string word = argc > 2 ? argv[2] : "fast";
  const Effort effort = word == "fast"       ? Effort::Fast
                        : word == "balanced" ? Effort::Balanced
                                             : Effort::Thorough;
  std::vector<std::filesystem::path> trees;
  for (const auto& entry : std::filesystem::directory_iterator(argv[1])) {
    const std::string name = entry.path().filename().string();
    if (entry.path().extension() == ".tree" &&
        (argc < 4 || name.find(argv[3]) != std::string::npos)) {
      trees.push_back(entry.path());
    }
  }
  std::ranges::sort(trees);
  fmt::print("{:18} {:>8} {:>10} {:>10} {:>8} {:>12} {:>10} {:>9}  {}\n", "instance", "vertices",
             "cut", "bound", "gap", "J", "METIS", "time", "start");
  for (const auto& tree : trees) run(tree, effort);
  return 0;
}
