#include "report/json_parts.hpp"

namespace zonecut::report {

Json provenance_json(const Provenance& provenance) {
  return {{"version", provenance.version},
          {"cluster_file", or_null(provenance.cluster_file)},
          {"cluster_sha256", or_null(provenance.cluster_hash)},
          {"job", or_null(provenance.job_text)},
          {"job_sha256", or_null(provenance.job_hash)},
          {"state_file", or_null(provenance.state_file)},
          {"state_sha256", or_null(provenance.state_hash)},
          {"seed", provenance.seed},
          {"effort", or_null(provenance.effort)},
          {"command", or_null(provenance.command)}};
}

Json blockers_json(std::span<const Blocker> blockers) {
  Json list = Json::array();
  for (const Blocker& blocker : blockers) {
    list.push_back({{"constraint", blocker.constraint},
                    {"what", blocker.what},
                    {"nearest", or_null(blocker.nearest)}});
  }
  return list;
}

}  // namespace zonecut::report
