#include "importers/switch_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "zonecut/base/error.hpp"

namespace zonecut::importers {
namespace {

/// Slurm's limit for the name of a switch; that of our readers.
constexpr std::size_t kMostSlurm = 64;
constexpr std::size_t kMostPlain = 255;

/// At most so many bytes, and no part of a character.
std::string cut(std::string text, std::size_t most) {
  if (text.size() <= most) return text;
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xC0U) == 0x80U) --most;
  return text.substr(0, most);
}

/// Slurm takes brackets, commas and blanks apart, and '#' begins a comment.
bool is_plain(std::string_view name) {
  return !name.empty() && name.find_first_of(" \t,[]()#=\"\\/") == std::string_view::npos;
}

/// Names of switches are unique, those of domains only among their siblings.
class SwitchNames {
 public:
  SwitchNames(const Cluster& cluster, SwitchNaming naming)
      : naming_(naming), names_(cluster.domain_count()) {
    for (const DomainId domain : cluster.domain_ids()) name(cluster, domain);
  }
  [[nodiscard]] const std::string& of(DomainId domain) const { return names_[domain]; }

 private:
  /// The domain's own name where it is free, else its path, else a number after it.
  void name(const Cluster& cluster, DomainId domain) {
    std::string wanted = fitting(cluster.domain(domain).name);
    if (!used_.insert(wanted).second) {
      wanted = fitting(cluster.path(domain));
      for (int n = 2; !used_.insert(wanted).second; ++n)
        wanted = fmt::format("{}-{}", cut(fitting(cluster.path(domain)), most() - 9), n);
    }
    names_[domain] = std::move(wanted);
  }

  [[nodiscard]] std::size_t most() const {
    return naming_ == SwitchNaming::Slurm ? kMostSlurm : kMostPlain;
  }

  [[nodiscard]] std::string fitting(std::string text) const {
    for (char& c : text) {
      if (c == '/') c = '.';
      if (naming_ == SwitchNaming::Slurm && !is_plain({&c, 1})) c = '_';
    }
    if (text.empty()) return "switch";
    return cut(std::move(text), most());
  }

  SwitchNaming naming_;
  IdMap<DomainId, std::string> names_;
  std::unordered_set<std::string> used_;
};

}  // namespace

std::vector<ListedSwitch> switch_list(const Cluster& cluster, SwitchNaming naming) {
  const SwitchNames names(cluster, naming);
  std::vector<ListedSwitch> switches;
  for (const DomainId id : cluster.domain_ids()) {
    const Domain& domain = cluster.domain(id);
    if (domain.server_count == 0) continue;
    ListedSwitch listed{id, names.of(id), domain.level == cluster.rack_level(), {}};
    for (const DomainId child : domain.children) {
      if (cluster.domain(child).server_count > 0) listed.children.push_back(names.of(child));
    }
    switches.push_back(std::move(listed));
  }
  return switches;
}

std::vector<std::string> listed_servers(const Cluster& cluster, const Domain& rack,
                                        std::string_view format) {
  std::vector<std::string> names;
  for (const ServerId server : rack.servers()) {
    const std::string& name = cluster.server(server).name;
    if (!is_plain(name)) {
      throw InputError(std::string(format), fmt::format("cannot name a node \"{}\"", name),
                       "blanks, commas, brackets, quotes and '#' have a meaning there");
    }
    names.push_back(name);
  }
  return names;
}

}  // namespace zonecut::importers
