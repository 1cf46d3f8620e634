#pragma once
// A tree of switches as Slurm and topograph write it: each switch names its child switches or its
// servers, in any order of the lines. Finds what makes it no tree: two parents, cycles, switches
// that nobody describes, a depth no cluster has.
#include <cstddef>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "importers/outline.hpp"
#include "zonecut/base/error.hpp"

namespace zonecut::importers {

class SwitchTree {
 public:
  explicit SwitchTree(ProblemList& problems) : problems_(problems) {}

  /// The switch that a line describes; reports a second description.
  std::size_t describe(const std::string& name, const std::string& where);
  /// The switch of that name, described or not. Throws InputError beyond kMaxDomains of them.
  std::size_t mention(const std::string& name, const std::string& where);
  void add_child(std::size_t parent, const std::string& name, const std::string& where);
  void add_server(std::size_t leaf, ServerEntry server);

  /// Reports every switch that is somebody's child and was never described.
  void require_descriptions();
  /// The levels and paths of the tree, in the order of the lines. A single topmost switch is the
  /// cluster itself. A branch that is less deep than the deepest gets an inserted level, and
  /// servers on a switch that has child switches too get an inserted rack; both bear the name of
  /// the switch. Reports cycles. O(switches + servers).
  [[nodiscard]] Outline to_outline() &&;

 private:
  struct Switch {
    std::string name;
    std::string where;
    bool described = false;
    std::optional<std::size_t> parent;
    std::vector<std::size_t> children;
    std::vector<ServerEntry> servers;
  };
  void report_cycles();
  [[nodiscard]] std::size_t height(std::size_t index, std::size_t depth);
  void emit(std::size_t index, DomainPath& path, Outline& outline);

  ProblemList& problems_;
  std::vector<Switch> switches_;
  std::unordered_map<std::string, std::size_t> by_name_;
};

}  // namespace zonecut::importers
