#pragma once
// Lines of Slurm's configuration files: "Key=value Key="quoted value" # comment", a backslash at
// the end goes on in the next line, keys in any case.
#include <string>
#include <string_view>
#include <vector>

#include "zonecut/base/error.hpp"

namespace zonecut::importers {

struct SlurmPair {
  std::string key;  ///< in lower case
  std::string value;
  std::string where;  ///< of the key
};

struct SlurmStatement {
  std::vector<SlurmPair> pairs;  ///< at least one
  /// The value of a key, null when absent.
  [[nodiscard]] const SlurmPair* find(std::string_view key) const;
};

/// All statements; what is no "Key=value" goes to `problems`, as does a key given twice in one
/// statement. O(bytes).
[[nodiscard]] std::vector<SlurmStatement> slurm_statements(std::string_view text,
                                                           const std::string& source,
                                                           ProblemList& problems);

}  // namespace zonecut::importers
