#include "reasons.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "place_noun.hpp"
#include "refusal.hpp"
#include "spread.hpp"
#include "zone_word.hpp"
#include "zonecut/base/counts.hpp"
#include "zonecut/scheduler/lint.hpp"
#include "zonecut/scheduler/period.hpp"
#include "zonecut/scheduler/slowest_phase.hpp"

namespace zonecut {
namespace {

/// A slowdown of less is no reason.
constexpr double kNoticed = 1.01;

class Reasons {
 public:
  Reasons(const PlacementProblem& problem, const Constraints& constraints,
          std::span<const VertexSlice> slices, const Placement& placement)
      : problem_(problem),
        cluster_(*problem.view.cluster),
        constraints_(constraints),
        slices_(slices),
        placement_(placement),
        room_(room_of_zones(problem, constraints, problem.room)),
        zone_word_(zone_word(cluster_)) {}

  [[nodiscard]] std::vector<std::string> list() {
    where();
    cut();
    binding();
    tensors();
    rings();
    beside();
    left();
    return std::move(reasons_);
  }

 private:
  [[nodiscard]] std::string zones(std::size_t count) const { return counted(count, zone_word_); }

  void where() {
    const std::span<const DomainId> all = cluster_.domains_at(cluster_.zone_level());
    std::vector<std::size_t> share(all.size(), 0);
    for (const ServerId server : placement_.servers) {
      ++share[cluster_.position_in_level(cluster_.domain_of(server, cluster_.zone_level()))];
    }
    const auto used = static_cast<std::size_t>(
        std::count_if(share.begin(), share.end(), [](std::size_t s) { return s > 0; }));
    if (constraints_.only) {
      reasons_.push_back("the servers were given: only the order of ranks was chosen, over " +
                         zones(used));
    } else if (used == 1) {
      reasons_.push_back(fmt::format("the whole job fits one {}: nothing crosses", zone_word_));
    } else {
      reasons_.push_back(why_several(used, all));
    }
    if (used == 1) return;
    std::string shares;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (share[i] == 0) continue;
      shares += fmt::format("{}{} {} of {}", shares.empty() ? "" : ", ", cluster_.path(all[i]),
                            grouped(share[i]), grouped(room_in(cluster_, room_, all[i])));
    }
    reasons_.push_back(fmt::format("{}s taken of those free: {}", place_noun(problem_), shares));
  }

  [[nodiscard]] std::string why_several(std::size_t used, std::span<const DomainId> all) const {
    std::size_t most = 0;
    std::size_t most_in_slices = 0;
    for (const DomainId zone : all) {
      most = std::max(most, room_in(cluster_, room_, zone));
      most_in_slices = std::max(most_in_slices, sliced_room_in(cluster_, room_, zone, slices_));
    }
    const std::size_t needed = placement_.servers.size();
    const std::string of_all =
        fmt::format("{} of {} {} used", grouped(used), zones(all.size()), used == 1 ? "is" : "are");
    if (needed > most) {
      const bool held_back =
          constraints_.spread || constraints_.whole_racks || !constraints_.excluded.empty();
      return fmt::format("no {} holds the job: it needs {}, the most {} in one is {}; {}",
                         zone_word_, counted(needed, place_noun(problem_)),
                         held_back ? "its constraints allow" : "free", grouped(most), of_all);
    }
    if (needed > most_in_slices)
      return fmt::format("no {} holds the job in its slices; {}", zone_word_, of_all);
    const std::size_t reaching = roomiest_zone(problem_, constraints_).room;
    if (needed > reaching) {
      return fmt::format(
          "no {} holds the job over links that work: it needs {}, the most that reach each other "
          "in one is {}; {}",
          zone_word_, counted(needed, place_noun(problem_)), grouped(reaching), of_all);
    }
    return fmt::format("one {} could hold the job, but this order is predicted to be faster; {}",
                       zone_word_, of_all);
  }

  void cut() {
    if (placement_.prediction.cross_zone.count == 0) return;
    std::string text =
        fmt::format("{} between {}s {}", to_text(placement_.prediction.cross_zone), zone_word_,
                    is_served(problem_.job) ? "a second of service" : "an iteration");
    if (placement_.gap && *placement_.gap > 1) {
      text += fmt::format("; only {} are proven to be needed ({})",
                          to_text(*placement_.lower_bound), placement_.bound_method);
    } else if (placement_.lower_bound && placement_.gap) {
      text += *placement_.gap < 5e-5
                  ? fmt::format(", which is the least there is ({})", placement_.bound_method)
                  : fmt::format(", at most {:.2g} % above the least there is ({})",
                                *placement_.gap * 100, placement_.bound_method);
    } else if (placement_.lower_bound) {
      text += fmt::format("; none is proven to be needed ({})", placement_.bound_method);
    } else if (problem_.proof != Proof::None) {
      text += "; no bound is known for this traffic";
    }
    reasons_.push_back(text);
    smaller_cut();
  }

  /// Seconds come before bytes: says so where a smaller cut was found and not chosen.
  void smaller_cut() {
    const Candidate* smallest = smallest_cut(placement_);
    if (smallest == nullptr) return;
    reasons_.push_back(fmt::format("a smaller cut was found, {}, but takes longer: {} against {}",
                                   to_text(smallest->cross_zone), to_text(smallest->communication),
                                   to_text(placement_.prediction.communication)));
  }

  /// "dp takes longest (198 ms); a-r1-s1 NICs (8 x 400 Gbps), inward binds it"
  [[nodiscard]] std::string slowest(const PhasePrediction& phase) const {
    const std::string text =
        fmt::format("phase {} takes longest ({})", phase.name, to_text(phase.exposed));
    if (waits_for_receivers(phase)) return text + "; its connections wait for their receivers";
    if (!phase.binding) return text + " and waits for NVLink";
    return fmt::format("{}; {} binds it", text,
                       bundle_name(problem_.fabric, phase.binding->bundle));
  }

  void binding() {
    const Prediction& prediction = placement_.prediction;
    if (prediction.phases.empty()) return;
    const PhasePrediction& phase = prediction.phases[prediction.binding_phase];
    reasons_.push_back(slowest(phase));
    if (phase.binding) return;
    if (const PhasePrediction* outside = slowest_outside(prediction.phases))
      reasons_.push_back("of those that wait for links " + slowest(*outside));
  }

  void beside() {
    const Prediction& prediction = placement_.prediction;
    if (problem_.background.empty()) return;
    if (prediction.communication > prediction.undisturbed) {
      reasons_.push_back(
          fmt::format("beside the jobs that run it takes {} to communicate, {} if it were alone",
                      to_text(prediction.communication), to_text(prediction.undisturbed)));
    } else {
      reasons_.push_back("the jobs that run take nothing of the links it waits for");
    }
    for (const Disturbance& job : placement_.disturbed) {
      if (job.beside.count <= job.alone.count * kNoticed) continue;
      reasons_.push_back(
          fmt::format("job {} then takes {} per {} to communicate, {} without this one", job.job,
                      to_text(job.beside), period_word(job.served), to_text(job.alone)));
    }
  }

  void tensors() {
    if (const auto split = split_tensor_groups(problem_, placement_.servers))
      reasons_.push_back(split->what + ": " + split->hint);
  }

  void rings() {
    if (placement_.rings.empty()) return;
    reasons_.push_back(
        fmt::format("the neighbours in {} are chosen so that each passes through every {} once",
                    counted(placement_.rings.size(), "ring"), zone_word_));
  }

  void left() {
    const Leftover& left = placement_.leftover;
    const int block = left.largest_free_block[static_cast<std::size_t>(cluster_.zone_level())];
    reasons_.push_back(fmt::format(
        "left free: {}, {}, at most {} of them in one {}", counted(left.free_gpus, "GPU"),
        counted(left.free_servers, "whole server"), grouped(block), zone_word_));
  }

  const PlacementProblem& problem_;
  const Cluster& cluster_;
  const Constraints& constraints_;
  std::span<const VertexSlice> slices_;
  const Placement& placement_;
  Room room_;
  const std::string& zone_word_;
  std::vector<std::string> reasons_;
};

}  // namespace

std::vector<std::string> reasons_for(const PlacementProblem& problem,
                                     const Constraints& constraints,
                                     std::span<const VertexSlice> slices,
                                     const Placement& placement) {
  return Reasons(problem, constraints, slices, placement).list();
}

}  // namespace zonecut
