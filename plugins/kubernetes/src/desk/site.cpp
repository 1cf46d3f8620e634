#include "desk/site.hpp"

#include <nlohmann/json.hpp>
#include <utility>

#include "zonecut/base/error.hpp"
#include "zonecut/topology/state.hpp"

namespace zonecut::kubernetes {

Site::Site(Cluster from)
    : cluster(std::move(from)),
      fabric(Fabric::build(cluster, cluster.backend(), Health(cluster))) {}

std::shared_ptr<const Site> site_of(const std::map<std::string, NodePlace, std::less<>>& nodes,
                                    const ImportOptions& options, std::string& why) {
  nlohmann::json items = nlohmann::json::array();
  for (const auto& [name, place] : nodes) {
    if (place.gpus == 0) continue;
    items.push_back(
        {{"metadata", {{"name", name}, {"labels", *place.labels}}},
         {"status", {{"allocatable", {{"nvidia.com/gpu", std::to_string(place.gpus)}}}}}});
  }
  if (items.empty()) {
    why = "no node has GPUs";
    return nullptr;
  }
  ImportOptions lenient = options;
  lenient.skip_unplaced = true;
  try {
    const std::string text = nlohmann::json{{"items", std::move(items)}}.dump(
        -1, ' ', false, nlohmann::json::error_handler_t::replace);
    return std::make_shared<const Site>(
        import_topology(TopologyFormat::KubernetesNodes, text, "nodes", lenient));
  } catch (const InputError& error) {
    why = to_text(error.problems().front());
    return nullptr;
  }
}

}  // namespace zonecut::kubernetes
