// The event queue, and who starts when.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <list>
#include <set>
#include <utility>

#include "simulation/placer.hpp"
#include "zonecut/base/error.hpp"

namespace zonecut {
namespace {

constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();
constexpr std::size_t kEndsBetweenProgress = 64;
constexpr double kMsInSecond = 1000;
/// ms: the last moment that is exact in the figures, too, 285,000 years after the first arrival.
constexpr std::int64_t kLastMoment = std::int64_t{1} << 53;

/// Whole ms times counts, exact up to 2^53 of the sum's own size and monotone beyond.
class Mean {
 public:
  void add(std::int64_t value, std::int64_t time) {
    sum_ += static_cast<double>(value) * static_cast<double>(time);
  }
  [[nodiscard]] double over(std::int64_t length) const {
    return length > 0 ? sum_ / static_cast<double>(length) : 0;
  }

 private:
  double sum_ = 0;
};

class Replay {
 public:
  Replay(const SimulationStart& start, const Fabric& fabric, const Workload& workload,
         std::span<const std::optional<IdealIteration>> ideals, const SimulationPolicy& policy,
         const SimulationOptions& options)
      : workload_(workload),
        options_(options),
        placer_(start, fabric, workload, ideals, policy, options),
        standing_(start.view.occupancy.job_count()) {
    outcome_.runs.resize(workload.jobs.size());
    FreeRoom empty = placer_.room();
    for (const auto& [job, in] : start.view.ends) {
      standing_[job.index()] = start.view.occupancy.held(job);
      ends_.emplace(std::max<std::int64_t>(1, std::llround(in.count * kMsInSecond)),
                    workload.jobs.size() + job.index());
      give_sound(standing_[job.index()], empty);
    }
    for (const SimulatedJob& job : workload.jobs) {
      const bool fits = placer_.fits(job, empty);
      runs_at_all_.push_back(fits && (!job.work || ideals[*job.work].has_value()));
    }
  }

  SimulationOutcome finish() && {
    const auto& jobs = workload_.jobs;
    if (!jobs.empty()) now_ = jobs.front().submit;
    while (!ends_.empty() && ends_.begin()->first < now_) end_first();
    while (next_ < jobs.size() || !ends_.empty()) {
      const std::int64_t arrival = next_ < jobs.size() ? jobs[next_].submit : kNever;
      const std::int64_t end = ends_.empty() ? kNever : ends_.begin()->first;
      pass_to(std::min(arrival, end));
      while (!ends_.empty() && ends_.begin()->first == now_) end_first();
      for (; next_ < jobs.size() && jobs[next_].submit == now_; ++next_) {
        if (runs_at_all_[next_]) queue_.push_back(next_);
      }
      start_who_may();
    }
    ZONECUT_ENSURES(queue_.empty());
    ArrivalPeriod& period = outcome_.period;
    period.busy_gpus = busy_gpus_.over(period.length);
    period.free_servers = free_servers_.over(period.length);
    period.largest_free_block = largest_block_.over(period.length);
    period.waiting_jobs = waiting_.over(period.length);
    return std::move(outcome_);
  }

 private:
  void pass_to(std::int64_t time) {
    if (next_ < workload_.jobs.size()) {
      const std::int64_t passed = time - now_;
      outcome_.period.length += passed;
      busy_gpus_.add(placer_.held_gpus(), passed);
      free_servers_.add(placer_.room().free_servers(), passed);
      largest_block_.add(placer_.room().largest_free_block(), passed);
      waiting_.add(static_cast<std::int64_t>(queue_.size()), passed);
    }
    now_ = time;
  }

  /// Jobs of the start come after those of the workload.
  [[nodiscard]] std::span<const GpuId> gpus_of(std::size_t job) const {
    const std::size_t count = workload_.jobs.size();
    return job < count ? outcome_.runs[job]->gpus : standing_[job - count];
  }

  void give_sound(std::span<const GpuId> gpus, FreeRoom& room) const {
    for (const GpuId gpu : gpus) {
      if (placer_.is_sound(gpu)) room.give(gpu.server, 1);
    }
  }

  void end_first() {
    const std::size_t job = ends_.begin()->second;
    ends_.erase(ends_.begin());
    forget_answers();
    placer_.release(job, gpus_of(job));
    if (job >= workload_.jobs.size()) return;
    if (options_.progress && ++ended_ % kEndsBetweenProgress == 0) options_.progress(ended_);
  }

  void start(std::size_t job, Stand stand, bool backfilled) {
    if (stand.duration > kLastMoment - now_) {
      throw InputError("", fmt::format("job {} would end more than 285,000 years after the first "
                                       "arrival, which is beyond what is counted exactly",
                                       workload_.jobs[job].name));
    }
    forget_answers();
    placer_.hold(job, stand);
    JobRun& run = outcome_.runs[job].emplace(std::move(stand.run));
    run.start = now_;
    run.end = now_ + stand.duration;
    run.backfilled = backfilled;
    if (job == promised_job_) run.promised = promised_;
    ends_.emplace(run.end, job);
  }

  void start_who_may() {
    while (!queue_.empty() && placer_.fits(queue_.front())) {
      const std::size_t first = queue_.front();
      queue_.pop_front();
      start(first, placer_.stand_of(first), false);
      ZONECUT_ENSURES(!outcome_.runs[first]->promised || now_ <= *outcome_.runs[first]->promised);
    }
    if (options_.queue == QueueRule::Backfill) backfill();
  }

  /// When the first in the queue can start if nobody else does, and what is free then.
  struct Reservation {
    std::int64_t time;
    FreeRoom room;
  };
  [[nodiscard]] Reservation reserved_for(const SimulatedJob& first) const {
    Reservation reservation{now_, placer_.room()};
    auto end = ends_.begin();
    while (!placer_.fits(first, reservation.room)) {
      ZONECUT_ENSURES(end != ends_.end());
      reservation.time = end->first;
      // All that end at this moment.
      for (; end != ends_.end() && end->first == reservation.time; ++end)
        give_sound(gpus_of(end->second), reservation.room);
    }
    return reservation;
  }

  /// EASY (Lifka 1995; Mu'alem and Feitelson 2001): those behind the first start where it can still
  /// start at its reservation.
  void backfill() {
    if (queue_.empty() || placer_.room().free_gpus() == 0) return;
    const SimulatedJob& first = workload_.jobs[queue_.front()];
    std::optional<Reservation> reservation = std::exchange(reservation_, std::nullopt);
    bool has_started = false;
    std::size_t seen = 0;
    for (auto at = std::next(queue_.begin());
         at != queue_.end() && seen < options_.backfill_depth && placer_.room().free_gpus() > 0;
         ++seen) {
      const std::size_t job = *at;
      if (!placer_.fits(job) || turned_down_.contains(job)) {
        ++at;
        continue;
      }
      if (!reservation) {
        reservation = reserved_for(first);
        promise(queue_.front(), reservation->time);
      }
      auto stand = stand_beside(job, first, *reservation);
      if (!stand) {
        turned_down_.insert(job);
        ++at;
        continue;
      }
      at = queue_.erase(at);
      start(job, *std::move(stand), true);
      has_started = true;
    }
    if (has_started) {
      forget_answers();
    } else {
      reservation_ = std::move(reservation);
    }
  }

  /// Until something starts or ends, the first in the queue can start when it could before, and who
  /// would have delayed it would do so later, too.
  void forget_answers() {
    reservation_.reset();
    turned_down_.clear();
  }

  void promise(std::size_t job, std::int64_t time) {
    if (promised_job_ == job && promised_ <= time) return;
    promised_job_ = job;
    promised_ = time;
  }

  /// Where a job may start at once without delaying the first in the queue. What it still holds
  /// when the first starts is taken from the reservation.
  [[nodiscard]] std::optional<Stand> stand_beside(std::size_t index, const SimulatedJob& first,
                                                  Reservation& reservation) {
    const SimulatedJob& job = workload_.jobs[index];
    const std::size_t spare = reservation.room.places(first.gpus_each) - first.vertices;
    // Where it is clear that it runs too long and takes too much, no place need be looked for: each
    // of its places takes one of the first's, or several.
    const std::size_t takes = job.vertices * (job.gpus_each / first.gpus_each);
    if (takes > spare && now_ + job.duration > reservation.time) return std::nullopt;
    Stand stand = placer_.stand_of(index);
    if (now_ + stand.duration <= reservation.time) return stand;
    for (const GpuId gpu : stand.run.gpus) reservation.room.take(gpu.server, 1);
    if (placer_.fits(first, reservation.room)) return stand;
    for (const GpuId gpu : stand.run.gpus) reservation.room.give(gpu.server, 1);
    return std::nullopt;
  }

  const Workload& workload_;
  const SimulationOptions& options_;
  Placer placer_;
  std::vector<std::vector<GpuId>> standing_;  // of the jobs of the start that end, by id
  std::vector<bool> runs_at_all_;
  std::size_t next_ = 0;  // of the arrivals
  std::int64_t now_ = 0;
  std::set<std::pair<std::int64_t, std::size_t>> ends_;
  std::list<std::size_t> queue_;
  std::optional<Reservation> reservation_;  // of the first in the queue, see forget_answers()
  std::set<std::size_t> turned_down_;       // jobs that would delay it
  std::optional<std::size_t> promised_job_;
  std::int64_t promised_ = 0;
  std::size_t ended_ = 0;
  Mean busy_gpus_, free_servers_, largest_block_, waiting_;
  SimulationOutcome outcome_;
};

}  // namespace

SimulationOutcome simulate(const SimulationStart& start, const Fabric& fabric,
                           const Workload& workload,
                           std::span<const std::optional<IdealIteration>> ideals,
                           const SimulationPolicy& policy, const SimulationOptions& options) {
  return Replay(start, fabric, workload, ideals, policy, options).finish();
}

}  // namespace zonecut
