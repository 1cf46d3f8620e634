#pragma once
// What `zonecut predict` says beside the figures of a placement: what is wrong with the order, and
// on request how senders meet and what the frontend network carries; with a controller, what it
// means that it runs only every so often.
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "situation.hpp"
#include "zonecut/scheduler/controller.hpp"
#include "zonecut/scheduler/engine.hpp"
#include "zonecut/scheduler/frontend.hpp"
#include "zonecut/scheduler/incast.hpp"
#include "zonecut/scheduler/leaf_queues.hpp"
#include "zonecut/scheduler/lint.hpp"

namespace zonecut::cli {

/// The network of storage, built only where it is asked for.
struct Frontend {
  Fabric fabric;
  StorageTraffic storage;
  FrontendPrediction prediction;
};

/// The controller of central traffic engineering.
struct Controller {
  Seconds period;      ///< from one run to the next
  Seconds engineered;  ///< communication of an iteration on its routes
  ControllerOutlook outlook;
};

/// What is said beside the figures of a placement.
struct Remarks {
  std::vector<Finding> findings;
  std::optional<std::vector<PhaseIncast>> incast;
  std::vector<PhaseOverflows> overflows;  ///< with the incast; empty where no buffers are known
  std::optional<Frontend> frontend;
  std::optional<Controller> controller;  ///< with that routing
};

/// What is asked for.
struct RemarkChoice {
  bool incast = false;
  bool frontend = false;
  std::optional<Seconds> controller_period;  ///< none: the usual one
};

/// Throws InputError where the frontend is asked for and the cluster describes none.
[[nodiscard]] Remarks remarks_on(const RemarkChoice& choice, const Situation& situation,
                                 const PlacementProblem& problem, const Placement& placement);

/// Adds "findings" and what else there is; `fabric` is the backend's.
void add_remarks(nlohmann::ordered_json& object, const Fabric& fabric, const Remarks& remarks);

/// Lines that follow the figures; the findings are not among them.
[[nodiscard]] std::string beside_figures(const PlacementProblem& problem, const Remarks& remarks);

}  // namespace zonecut::cli
