#include "zonecut/partition/job.hpp"

#include <fmt/format.h>

#include "job/job_check.hpp"
#include "job/rank_count.hpp"

namespace zonecut {
namespace {

struct CountRanks {
  std::int64_t operator()(const Training& work) const { return rank_count(work); }
  std::int64_t operator()(const Recommendation& work) const { return work.ranks; }
  std::int64_t operator()(const Inference& work) const {
    return std::int64_t{work.prefill_replicas} * work.prefill_tp +
           std::int64_t{work.decode_replicas} * work.decode_tp;
  }
  std::int64_t operator()(const ExplicitTraffic& work) const { return work.ranks; }
};

}  // namespace

int Job::ranks() const {
  const std::int64_t ranks = std::visit(CountRanks{}, work);
  if (ranks < 1 || ranks > kMostRanks) {
    throw InputError("job",
                     "the number of ranks is not between 1 and " + std::to_string(kMostRanks));
  }
  return static_cast<int>(ranks);
}

std::string assumed_model_text(const Job& job) {
  const auto* training = std::get_if<Training>(&job.work);
  if (training == nullptr || !training->model_assumed) return {};
  return fmt::format(
      "{} is assumed, as the job names none; model=NAME, or model: NAME in its file, names another",
      training->model.name);
}

}  // namespace zonecut
