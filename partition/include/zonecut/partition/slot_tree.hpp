#pragma once
// Where vertices may go: a tree of domains whose leaves have an exact number of free slots. Leaf =
// rack as a rule, or the server where a server has room for several vertices. Slots are numbered
// leaf by leaf. A plain value.
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace zonecut {

struct SlotTree {
  /// parent[l][i]: index in level l-1 of the i-th domain of level l. parent[0] is the outermost
  /// level under the root, and its entries are 0. Domains of a level are in depth-first order. The
  /// last level holds the leaves.
  std::vector<std::vector<std::uint32_t>> parent;
  std::vector<std::uint32_t> free;  ///< of each leaf
  std::size_t cut_level = 0;        ///< index into parent: the zones, whose borders the cut counts
  /// distance[k]: cost per byte of an edge whose innermost common domain is at level k-1 of
  /// `parent`; distance[0]: only the root is common; distance[levels()]: the same leaf. Falls from
  /// front to back.
  std::vector<std::int64_t> distance;

  [[nodiscard]] std::size_t levels() const noexcept { return parent.size(); }
  [[nodiscard]] std::size_t leaves() const noexcept { return free.size(); }
  [[nodiscard]] std::size_t domains(std::size_t level) const { return parent[level].size(); }
  [[nodiscard]] std::size_t slots() const;
  /// For each leaf, its domain at `level`.
  [[nodiscard]] std::vector<std::uint32_t> domain_of_leaf(std::size_t level) const;
  /// For each slot, its leaf.
  [[nodiscard]] std::vector<std::uint32_t> leaf_of_slot() const;
  /// Free slots under each domain of `level`.
  [[nodiscard]] std::vector<std::uint64_t> capacity(std::size_t level) const;
};

/// Throws InternalError when the sizes and orders above do not hold.
void check(const SlotTree& tree);

struct SlotTreeFile {
  SlotTree tree;
  /// By slot of the tree: its number in the file, where slots count rack after rack in the order of
  /// the lines. The two differ where the racks of a zone do not stand together.
  std::vector<std::uint32_t> number_in_file;
};

/// One line per rack, in any order: "building zone free". `distances` are rack, zone, building,
/// site
/// ("1:10:100:1000"); the last may be missing where there is one building. Throws InputError with
/// every mistake of the file, and where a zone stands in two buildings.
[[nodiscard]] SlotTreeFile parse_slot_tree(std::string_view text, const std::string& source,
                                           std::span<const std::int64_t> distances);

/// A mapping as `zonecut map --output` writes it: the number of a slot in the tree's file, one a
/// line and vertex. Returns slots of the tree. Throws InputError with every mistake, a slot that is
/// given twice among them.
[[nodiscard]] std::vector<std::uint32_t> parse_mapping(std::string_view text,
                                                       const std::string& source,
                                                       const SlotTreeFile& tree,
                                                       std::size_t vertices);

}  // namespace zonecut
