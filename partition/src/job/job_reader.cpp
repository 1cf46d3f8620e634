#include "job/job_reader.hpp"

#include <fmt/format.h>

#include <array>

#include "job/job_check.hpp"
#include "job/job_places.hpp"

namespace zonecut {
namespace {

enum class Kind { Training, Recommendation, Inference, Collectives, Matrix };
constexpr std::array<std::string_view, 5> kKinds = {"training", "recommendation", "inference",
                                                    "collectives", "matrix"};

Kind kind_of(Fields& top) {
  Kind kind = Kind::Training;
  for (std::size_t i = 1; i < kKinds.size(); ++i) {
    if (top.has(kKinds[i])) {
      kind = static_cast<Kind>(i);
      break;
    }
  }
  return static_cast<Kind>(top.choice("kind", kKinds, static_cast<std::size_t>(kind)));
}

std::vector<std::pair<std::string, double>> read_overlap(Fields& top) {
  std::vector<std::pair<std::string, double>> overlap;
  const Value* value = top.find("overlap");
  if (value == nullptr || value->kind == Value::Kind::Null) return overlap;
  if (value->kind != Value::Kind::Mapping) {
    top.problems().add(top.where(*value), "expected a mapping from phase to share",
                       "such as overlap: {dp: 0.9}");
    return overlap;
  }
  for (const Value::Entry& entry : value->entries) {
    const auto share = as_number(top.document(), entry.value, 0, 1, top.problems());
    if (share) overlap.emplace_back(entry.key, *share);
  }
  return overlap;
}

std::variant<Training, Recommendation, Inference, ExplicitTraffic> read_work(
    Kind kind, const JobSource& source) {
  switch (kind) {
    case Kind::Training:
      return read_training(source);
    case Kind::Recommendation:
      return read_recommendation(source);
    case Kind::Inference:
      return read_inference(source);
    case Kind::Collectives:
    case Kind::Matrix:
      return read_explicit(source);
  }
  return {};
}

/// Where a field stands, or the start of the file.
std::string locate(const Document& document, std::string_view field) {
  const Value* value = find_in_job(document, field);
  return document.where(value != nullptr ? *value : document.root);
}

}  // namespace

const Value& JobSource::section(std::string_view key) const {
  const Value* value = top.find(key);
  return value == nullptr ? absent : *value;
}

Job read_job(const Document& document, ProblemList& problems) {
  Fields top(document, document.root, problems);
  Job job;
  top.refuse_other_format("job/v1");
  for (const std::string_view of_the_scheduler : {"placement", "storage"})
    static_cast<void>(top.find(of_the_scheduler));
  job.name = top.find("name") != nullptr ? top.required_name("name") : "job";
  const auto ranks_per_server = static_cast<int>(top.integer("ranks_per_server", 0, 1, 1024));
  if (ranks_per_server > 0) job.ranks_per_server = ranks_per_server;
  job.overlap = read_overlap(top);
  job.all_to_all = read_all_to_all(top, "all_to_all");

  Value absent;
  absent.line = document.root.line;
  absent.column = document.root.column;
  JobSource source{top, absent, std::nullopt};
  if (const Value* gpus = top.find("gpus")) {
    const auto count = as_integer(document, *gpus, 1, kMostRanks, problems);
    if (count) source.gpus = static_cast<int>(*count);
  }
  job.work = read_work(kind_of(top), source);
  top.finish();
  problems.throw_if_any();
  check_job(job, [&](std::string_view field) { return locate(document, field); }, problems);
  problems.throw_if_any();
  return job;
}

CollectiveAlgorithm read_algorithm(Fields& fields, CollectiveAlgorithm fallback) {
  constexpr std::array<std::string_view, 4> kAlgorithms = {"ring", "tree", "hierarchical", "auto"};
  return static_cast<CollectiveAlgorithm>(
      fields.choice("algorithm", kAlgorithms, static_cast<std::size_t>(fallback)));
}

RingOrder read_ring_order(Fields& fields) {
  constexpr std::array<std::string_view, 2> kOrders = {"ranks", "any"};
  return static_cast<RingOrder>(fields.choice("ring_order", kOrders, 0));
}

AllToAllAlgorithm read_all_to_all(Fields& fields, std::string_view key) {
  constexpr std::array<std::string_view, 2> kAlgorithms = {"linear", "pairwise"};
  return static_cast<AllToAllAlgorithm>(fields.choice(key, kAlgorithms, 0));
}

}  // namespace zonecut
