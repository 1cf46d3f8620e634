#pragma once
// Finds domains and switches by name in constant time each, for files that name thousands of them;
// Cluster::find_domain goes through all domains. Building is linear in the domains. Private to the
// topology model.
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "zonecut/topology/state.hpp"

namespace zonecut {

class PlaceIndex {
 public:
  explicit PlaceIndex(const Cluster& cluster);
  /// By full path, or by a name or path suffix that only one domain has.
  [[nodiscard]] std::optional<DomainId> domain(const std::string& name) const;
  /// By the name that switch_name writes, the path shortened as that of a domain may be. Of the
  /// backend.
  [[nodiscard]] std::optional<SwitchRef> switch_of(std::string_view name) const;
  /// Whether a name that domain() does not find belongs to several.
  [[nodiscard]] bool is_ambiguous(const std::string& name) const;

 private:
  [[nodiscard]] std::optional<SwitchRef> switch_in(std::string_view path, int plane,
                                                   std::string_view last) const;
  const Cluster& cluster_;
  std::unordered_map<std::string, DomainId> by_path_;
  std::unordered_map<std::string, std::optional<DomainId>> by_suffix_;  // none: several have it
};

}  // namespace zonecut
