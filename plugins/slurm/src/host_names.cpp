#include "host_names.hpp"

extern "C" {
#include <slurm/slurm.h>
}

#include <cstdlib>

namespace zonecut::slurm {

std::vector<std::string> names_of(const std::string& list) {
  std::vector<std::string> names;
  const auto hosts = slurm_hostlist_create(list.c_str());
  if (hosts == nullptr) return names;
  while (char* name = slurm_hostlist_shift(hosts)) {
    names.emplace_back(name);
    std::free(name);
  }
  slurm_hostlist_destroy(hosts);
  return names;
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) {
    if (!text.empty()) text += ',';
    text += name;
  }
  return text;
}

}  // namespace zonecut::slurm
