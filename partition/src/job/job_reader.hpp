#pragma once
// A document taken apart into a job. One file of this folder reads each kind of work.
#include "zonecut/base/document.hpp"
#include "zonecut/partition/job.hpp"

namespace zonecut {

/// Throws InputError with every mistake found, after those found before.
[[nodiscard]] Job read_job(const Document& document, ProblemList& problems);

/// What every kind of work is read from.
struct JobSource {
  Fields& top;
  /// Stands for a section that is absent: reading it gives the defaults.
  const Value& absent;
  std::optional<int> gpus;

  [[nodiscard]] const Value& section(std::string_view key) const;
};

[[nodiscard]] Training read_training(const JobSource& source);
[[nodiscard]] Recommendation read_recommendation(const JobSource& source);
[[nodiscard]] Inference read_inference(const JobSource& source);
[[nodiscard]] ExplicitTraffic read_explicit(const JobSource& source);

/// A preset's name, or a mapping with `preset` and what differs from it. `dispatch_bytes`: see
/// Training.
struct ModelChoice {
  std::optional<ModelShape> shape;
  int dispatch_bytes = 2;
};
[[nodiscard]] ModelChoice read_model(const JobSource& source);

/// "405B", "8.03e9" or "671026419200".
[[nodiscard]] std::int64_t read_count(Fields& fields, std::string_view key, std::int64_t fallback);
[[nodiscard]] CollectiveAlgorithm read_algorithm(Fields& fields, CollectiveAlgorithm fallback);
[[nodiscard]] RingOrder read_ring_order(Fields& fields);
/// "linear", which it is where the key is absent, or "pairwise".
[[nodiscard]] AllToAllAlgorithm read_all_to_all(Fields& fields, std::string_view key);

/// "0-7,16,32-63:8" (first-last:step), one rank, or a list of these. Reports ranks not below
/// `ranks`, and lists of more than `most` ranks.
[[nodiscard]] std::vector<RankId> read_ranks(const Document& document, const Value& value,
                                             std::int64_t ranks, std::size_t most,
                                             ProblemList& problems);

}  // namespace zonecut
