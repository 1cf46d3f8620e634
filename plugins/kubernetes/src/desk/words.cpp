// What the desk says of gangs and pods: to whoever observes, in events, and by waking them.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdint>
#include <utility>

#include "desk/desk.hpp"
#include "zonecut/base/error.hpp"
#include "zonecut/base/units.hpp"
#include "zonecut/partition/job_file.hpp"
#include "zonecut/partition/job_size.hpp"
#include "zonecut/scheduler/period.hpp"

namespace zonecut::kubernetes {
namespace {

/// Whether its words describe a job of the pod's own GPUs.
enum class OwnJob : std::uint8_t {
  No,     ///< a model alone, too, of which any number of pods may be meant
  Maybe,  ///< tp=8 of eight GPUs, which are also the words of so many replicas
  Yes,    ///< tp=8,dp=1: of no other number of GPUs
};

OwnJob own_job_of(const Pod& pod) {
  try {
    JobFile file = parse_job_words(std::string(job_of(pod)), "zonecut.dev/job");
    if (!says_any_size(file)) return OwnJob::No;
    const OwnJob fitting = says_its_size(file) ? OwnJob::Yes : OwnJob::Maybe;
    fit_to({1, 1, static_cast<std::size_t>(pod.gpus)}, file);
    return file.job.ranks_per_server == pod.gpus ? fitting : OwnJob::No;
  } catch (const InputError&) {
    return OwnJob::No;
  }
}

}  // namespace

void Desk::tell_replanned() {
  for (const std::string& gang : book_.take_replanned()) {
    const Reservation* plan = book_.reservation(gang);
    if (plan == nullptr) continue;
    tell_planned(gang, *plan, 0);
    wake_refused(gang);
  }
}

void Desk::wake_refused(const std::string& gang) {
  for (const auto& known : mirror_.pods_of(gang)) {
    if (is_waiting(known->pod) && sleepers_.wake(known->pod.uid))
      errands_.emplace_back(WakePod{known});
  }
}

/// Kubernetes tells nobody that a reservation has ended.
void Desk::wake_kept_off() {
  for (const std::string& uid : sleepers_.wake_kept_off(book_.releases(), clock_())) {
    if (const auto known = mirror_.pod(uid); known && is_waiting(known->pod))
      errands_.emplace_back(WakePod{known});
  }
}

void Desk::tell_planned(const std::string& gang, const Reservation& plan, double seconds) {
  const bool again = waits_told_.erase(gang) == 0 && plan.again;
  if (!observer_.planned) return;
  const GangState& state = gangs_.find(gang)->second.state;
  observer_.planned({gang, state.gang.members(), state.gang.gpus(), plan, mirror_.site()->cluster,
                     seconds, again});
}

void Desk::note_wait(const std::string& gang, double seconds) {
  std::string why = book_.why_waiting(gang);
  std::string& told = waits_told_[gang];
  if (told == why) return;
  told = std::move(why);
  if (observer_.waits) observer_.waits(gang, told, seconds);
}

bool Desk::tell(const std::shared_ptr<const KnownPod>& pod, TellPod text) {
  const Notice notice{text.reason, text.message, text.warning, text.reason == "GangWaiting"};
  if (!notices_.is_due(pod->pod.uid, notice, clock_())) return false;
  text.pod = pod;
  errands_.emplace_back(std::move(text));
  return true;
}

/// Whoever wrote words for a gang onto a pod that is in none takes it for a member of one.
void Desk::tell_no_gang(const std::shared_ptr<const KnownPod>& known) {
  const auto words = words_for_gangs(known->pod);
  if (words.empty()) return;
  const GangShape* const shape = known->member ? shape_for(*known) : nullptr;
  if (known->member && (shape == nullptr || shape->pods() > 0)) return;  // alone as its object says
  const bool says_more = words.size() > 1 || job_of(known->pod).empty();
  const OwnJob own = says_more ? OwnJob::No : own_job_of(known->pod);
  if (own == OwnJob::Yes) return;
  // Not by who made it: the replicas of a Deployment may be those of one job.
  if (own == OwnJob::Maybe && !known->member && !mirror_.has_twin(*known)) return;
  std::string why =
      fmt::format("{} {} no effect: ", fmt::join(words, ", "), words.size() == 1 ? "has" : "have");
  if (shape != nullptr) {
    const SizeSource& source = known->member->size_source;
    why += fmt::format(
        "by {} {} its pods are no gang, as fewer run at once than there are, or its template asks "
        "for no GPU",
        source.kind, source.name);
  } else {
    why += "the pod is of no gang, as no Job or the like made it and zonecut.dev/gang is not said";
  }
  why += "; it is placed by itself. Meant so: zonecut.dev/size \"1\"";
  if (own == OwnJob::Maybe) why += ", or dp in zonecut.dev/job";
  if (tell(known, {nullptr, "GangMissing", why, true}) && observer_.no_gang)
    observer_.no_gang(known->pod.full_name(), why);
}

std::string Desk::planned_text(const Assembled& assembled, const Reservation& plan,
                               std::size_t member) const {
  std::string text = fmt::format(
      "rank {} of {} on {}: {}, {} per {} between {}s", member, assembled.state.gang.members(),
      mirror_.site()->cluster.server(plan.servers[member]).name, plan.method,
      to_text(plan.cross_zone), period_of(assembled.state.gang.job),
      mirror_.site()
          ->cluster.levels()[static_cast<std::size_t>(mirror_.site()->cluster.zone_level())]);
  if (plan.lower_bound) text += fmt::format(", proven bound {}", to_text(*plan.lower_bound));
  return text;
}

}  // namespace zonecut::kubernetes
