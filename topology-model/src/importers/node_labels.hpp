#pragma once
// Which labels of a Kubernetes node say where it stands. Each tool and cloud has its own keys;
// facts about them are in docs/formats/import.md.
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace zonecut::importers {

using Labels = std::map<std::string, std::string, std::less<>>;

struct LabelLevel {
  std::string key;
  std::string level;  ///< the name it gets in the cluster
};

/// Outermost first.
using LabelSet = std::vector<LabelLevel>;

/// A set for keys that the user gave: a level is named by what follows the last slash of its key,
/// or by the whole key with dots for slashes where that is not unique or not allowed.
[[nodiscard]] LabelSet label_set(const std::vector<std::string>& keys);

/// The levels of all known sets, each once, in the order of the sets.
[[nodiscard]] std::vector<std::string> known_levels();

/// The first known set whose innermost key some node carries, without the outer keys that none
/// carries; none when the nodes carry no known key. O(labels).
[[nodiscard]] std::optional<LabelSet> find_label_set(const std::vector<const Labels*>& nodes);

/// The first of these sets by which at least half of the nodes have a place, else the one by which
/// most have: where nodes come and go, one with other labels than all others must not decide.
[[nodiscard]] std::optional<LabelSet> find_label_set_of_most(
    const std::vector<const Labels*>& nodes);

/// The scale-up domain that a node is labelled with; empty: none.
[[nodiscard]] std::string scale_up_domain(const Labels& labels);

inline constexpr std::string_view kTierPrefix = "fabric.topograph.run/tier-";

}  // namespace zonecut::importers
