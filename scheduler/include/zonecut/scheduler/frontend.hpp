#pragma once
// What a job moves over the frontend network, checkpoints and training data, and how long that
// takes there. Storage stands beyond the topmost switches. None of it touches the backend: the
// figures stand beside a prediction and change none.
#include <optional>
#include <span>

#include "zonecut/base/document.hpp"
#include "zonecut/partition/job.hpp"
#include "zonecut/scheduler/prediction.hpp"
#include "zonecut/topology/fabric.hpp"

namespace zonecut {

/// All ranks write and read equal parts.
struct StorageTraffic {
  Bytes checkpoint;                 ///< one, of the whole job
  std::optional<Seconds> interval;  ///< from one checkpoint to the next
  Bytes ingestion;                  ///< of the whole job, per iteration
  /// What storage takes or gives at most; none: as much as the network.
  std::optional<BytesPerSecond> bandwidth;
};

/// The section `storage` of a job file (docs/formats/job.md), of which `document` is
/// the whole. What it leaves out of a training job: a checkpoint of the parameters and of 12 bytes
/// of optimizer state for each (mixed-precision Adam keeps an fp32 copy and two moments:
/// Rajbhandari et al., arXiv 1910.02054, section 3.1), and tokens of 4 bytes. Other jobs: nothing.
/// Mistakes go to `problems`.
[[nodiscard]] StorageTraffic read_storage(const Document& document, const Job& job,
                                          ProblemList& problems);

struct StorageTime {
  Bytes bytes;
  Seconds time;
  std::optional<BundleLoad> binding;  ///< none: storage itself, or nothing to move
};

struct FrontendPrediction {
  StorageTime checkpoint;  ///< outward
  StorageTime ingestion;   ///< inward
  /// Part of the interval that writing a checkpoint takes; above 1 they do not keep up. None
  /// without an interval.
  std::optional<double> share;
};

/// `frontend` is built from cluster.frontend(); `servers` by vertex, each with equally many of
/// the job's ranks. Time = max over the servers' NICs and the links above their domains of bytes
/// over capacity, all links of a bundle sharing its load. Throws InputError where something must
/// pass a bundle without links. O(servers · levels).
[[nodiscard]] FrontendPrediction predict_frontend(const Fabric& frontend,
                                                  const StorageTraffic& storage,
                                                  std::span<const ServerId> servers);

}  // namespace zonecut
