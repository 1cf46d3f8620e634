#include "desk/assemble.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <optional>
#include <span>
#include <utility>

#include "objects/time.hpp"
#include "zonecut/base/counts.hpp"
#include "zonecut/base/error.hpp"
#include "zonecut/partition/job_file.hpp"
#include "zonecut/partition/job_size.hpp"
#include "zonecut/scheduler/gang_ranks.hpp"

namespace zonecut::kubernetes {
namespace {

/// Larger gangs are taken for a mistake.
constexpr std::uint32_t kMostMembers = 131'072;

/// In the order that people count their names.
void sort_by_name(KnownPods& pods) {
  std::vector<std::pair<CountedName, std::shared_ptr<const KnownPod>>> counted;
  counted.reserve(pods.size());
  for (auto& known : pods) {
    const CountedName name = counted_name(known->pod.name);
    counted.emplace_back(name, std::move(known));
  }
  std::sort(counted.begin(), counted.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  std::transform(counted.begin(), counted.end(), pods.begin(),
                 [](auto& one) { return std::move(one.second); });
}

class Assembly {
 public:
  Assembly(const KnownPods& pods, const GangShape* shape, const KnownBefore& before, Mirror& mirror)
      : pods_(pods), shape_(shape), before_(before), mirror_(mirror) {
    sort_by_name(pods_);
    std::stable_partition(pods_.begin(), pods_.end(),
                          [](const auto& known) { return is_living(known->pod); });
  }

  Assembled assembled() && {
    try {
      read();
    } catch (const InputError& error) {
      result_.fault = to_text(error.problems().front());
    }
    return std::move(result_);
  }

 private:
  void read() {
    const KnownPod& first = *pods_.front();
    result_.state.gang.name = first.member->gang;
    result_.state.owner = first.pod.name_space;
    const std::optional<std::uint32_t> members = size();
    if (!members) {
      result_.fault = unknown_size(*first.member);
      return;
    }
    if (*members > kMostMembers) {
      result_.fault = fmt::format("has {}; at most {} are planned", counted(*members, "pod"),
                                  grouped(kMostMembers));
      return;
    }
    result_.is_single = *members < 2;
    if (result_.is_single) return;
    if (!mirror_.site()) {
      result_.fault = "there is no cluster to plan it on: " + mirror_.why_no_site();
      return;
    }
    taken_.resize(*members);
    result_.state.gang.standing.resize(*members);
    give_ranks();
    if (!result_.fault.empty()) return;
    stand();
    read_job();
    const KnownPods open = those_to_place();
    result_.state.gang.eligible = mirror_.eligible(open);
    if (result_.state.gang.eligible.all().empty() && differ(open)) {
      result_.fault = "its pods ask for different nodes, and no node may take every one of them";
      return;
    }
    result_.state.priority = first.pod.priority;
    result_.state.since = since();
  }

  static std::string unknown_size(const GangMember& member) {
    if (member.size_source.kind.empty())
      return "how many pods it has is not said: annotate its pods with zonecut.dev/size";
    return fmt::format(
        "how many pods it has is not known: {} {} does not say it, or cannot be "
        "read; zonecut.dev/size on its pods says it as well",
        member.size_source.kind, member.size_source.name);
  }

  /// Whether the pod's words count: those of a run before this one do not.
  [[nodiscard]] bool speaks(const KnownPod& known) const {
    return is_living(known.pod) || !is_living(pods_.front()->pod);
  }

  std::optional<std::uint32_t> size() const {
    std::optional<std::uint32_t> said;
    for (const auto& known : pods_) {
      if (!speaks(*known)) break;
      const auto here = known->member->size;
      if (said && here && *said != *here) {
        throw InputError(
            known->pod.full_name(),
            fmt::format("says that its gang has {} pods, another pod says {}", *here, *said));
      }
      if (here) said = here;
    }
    if (said || shape_ == nullptr) return said;
    return shape_->pods();
  }

  void give_ranks() {
    std::vector<const KnownPod*> living;
    std::vector<RankClaim> claims;
    for (const auto& known : pods_) {
      if (!is_living(known->pod)) break;  // those that live come first
      living.push_back(known.get());
      RankClaim& claim = claims.emplace_back();
      claim.name = counted_name(known->pod.name);
      claim.said = rank_of(*known->member, shape_);
      if (claim.said) continue;
      claim.before = had(*known);
      claim.server = server_of(known->pod);
    }
    const Ranks ranks = ranks_of(claims, taken_.size(), planned());
    for (std::size_t i = 0; i < living.size(); ++i) {
      if (!ranks.places[i]) continue;
      taken_[*ranks.places[i]] = true;
      result_.place[living[i]->pod.uid] = *ranks.places[i];
    }
    if (ranks.clash) result_.fault = text_of(*ranks.clash, living, claims);
  }

  std::string text_of(const RankClash& clash, const std::vector<const KnownPod*>& living,
                      const std::vector<RankClaim>& claims) const {
    if (clash.why == RankClash::Why::TooMany) {
      return fmt::format("has {}, more than its size of {}", counted(clash.claim, "pod"),
                         taken_.size());
    }
    return fmt::format("{} has rank {}, which {}", living[clash.claim]->pod.full_name(),
                       *claims[clash.claim].said,
                       clash.why == RankClash::Why::Taken ? "another pod has as well"
                                                          : "is beyond the size of its gang");
  }

  std::optional<std::size_t> had(const KnownPod& known) const {
    if (before_.assembled == nullptr) return std::nullopt;
    const auto found = before_.assembled->place.find(known.pod.uid);
    return found == before_.assembled->place.end() ? std::nullopt : std::optional(found->second);
  }

  std::span<const ServerId> planned() const {
    if (before_.plan == nullptr) return {};
    return before_.plan->servers;
  }

  std::optional<ServerId> server_of(const Pod& pod) const {
    if (pod.node.empty() || !mirror_.site()) return std::nullopt;
    return mirror_.site()->cluster.find_server(pod.node);
  }

  /// Members that run stand where they run, those that ended well where they ran.
  void stand() {
    std::vector<bool> absent = taken_;
    absent.flip();
    result_.state.sent.resize(taken_.size());
    for (const auto& known : pods_) {
      const Pod& pod = known->pod;
      if (pod.deleting || pod.phase == PodPhase::Failed) continue;
      const auto place = result_.place.find(pod.uid);
      const bool lives_here = place != result_.place.end();
      const auto rank =
          lives_here ? std::optional<std::uint32_t>(place->second) : rank_of_ended(*known);
      if (!rank || *rank >= taken_.size()) continue;
      absent[*rank] = false;
      if (lives_here || !taken_[*rank]) result_.state.gang.standing[*rank] = server_of(pod);
      if (lives_here && !pod.node.empty()) result_.state.unready += pod.unready;
      if (!lives_here || !pod.node.empty()) continue;
      ++result_.state.pending;
      result_.state.sent[*rank] = mirror_.sent_to(pod);
      if (!result_.state.sent[*rank]) continue;
      result_.state.names.resize(taken_.size());
      result_.state.names[*rank] = "pod " + pod.name;
    }
    result_.state.absent = std::move(absent);
  }

  /// None for what is left of another run, of which nobody says that it has ended well.
  std::optional<std::uint32_t> rank_of_ended(const KnownPod& known) const {
    const KnownPod& first = *pods_.front();
    const auto size = known.member->size;
    if (known.pod.gpus != first.pod.gpus || job_of(known.pod) != job_of(first.pod) ||
        (size && *size != taken_.size()))
      return std::nullopt;
    try {
      return rank_of(*known.member, shape_);
    } catch (const InputError&) {
      return std::nullopt;  // beyond a size that has shrunk since
    }
  }

  /// Whose wishes count: of those that run they are fulfilled. The others are taken for one
  /// another, since the plan may send each to any of the servers.
  KnownPods those_to_place() const {
    KnownPods waiting;
    std::copy_if(pods_.begin(), pods_.end(), std::back_inserter(waiting),
                 [](const auto& known) { return is_waiting(known->pod); });
    if (waiting.empty()) waiting.push_back(pods_.front());
    return waiting;
  }

  static bool differ(const KnownPods& pods) {
    return std::any_of(pods.begin(), pods.end(),
                       [&](const auto& known) { return known->wishes != pods.front()->wishes; });
  }

  void read_job() {
    GangState& state = result_.state;
    const KnownPod& first = *pods_.front();
    const std::string_view job = job_of(first.pod);
    for (const auto& known : pods_) {
      if (!speaks(*known)) break;
      if (known->pod.gpus == first.pod.gpus && job_of(known->pod) == job) continue;
      result_.fault = "its pods ask for different numbers of GPUs, or name different jobs";
      return;
    }
    const std::string required = word(first.pod, kRequiredLevelWord);
    const std::string preferred = word(first.pod, kPreferredLevelWord);
    state.wish =
        fmt::format("{}|{}|{}|{}|{}", job, taken_.size(), first.pod.gpus, required, preferred);
    state.gang.constraints.required_level = level(required, kRequiredLevelWord);
    state.gang.constraints.preferred_level = level(preferred, kPreferredLevelWord);
    if (before_.assembled != nullptr && before_.assembled->fault.empty() &&
        before_.assembled->state.wish == state.wish) {
      state.gang.job = before_.assembled->state.gang.job;
      return;
    }
    // A job that says nothing is a ring.
    JobFile file = parse_job_words(job.empty() ? "tp=1" : std::string(job), "zonecut.dev/job");
    const std::size_t gpus = taken_.size() * static_cast<std::size_t>(first.pod.gpus);
    if (gpus > static_cast<std::size_t>(std::numeric_limits<int>::max()))
      throw InputError(state.gang.name, "asks for more GPUs than can be counted");
    fit_to({taken_.size(), 1, static_cast<std::size_t>(first.pod.gpus)}, file);
    if (file.job.ranks_per_server != first.pod.gpus) {
      throw InputError(
          "zonecut.dev/job",
          fmt::format("has {} ranks, but {} of {} GPUs need one for each of {} GPUs",
                      file.job.ranks(), counted(taken_.size(), "pod"), first.pod.gpus, gpus));
    }
    state.gang.job = file.job;
  }

  static std::string word(const Pod& pod, const char* key) {
    const auto found = pod.annotations.find(key);
    return found == pod.annotations.end() ? "" : found->second;
  }

  std::optional<int> level(const std::string& name, const char* key) const {
    if (name.empty() || !mirror_.site()) return std::nullopt;
    const Cluster& cluster = mirror_.site()->cluster;
    const auto level = cluster.find_level(name);
    if (!level) {
      throw InputError(key, fmt::format("the cluster has no level \"{}\"", name),
                       fmt::format("its levels: {}", fmt::join(cluster.levels().subspan(1), ", ")));
    }
    return level;
  }

  std::int64_t since() const {
    std::int64_t first = milliseconds_of(pods_.front()->pod.created);
    for (const auto& known : pods_) first = std::min(first, milliseconds_of(known->pod.created));
    return first;
  }

  KnownPods pods_;
  const GangShape* shape_;
  const KnownBefore& before_;
  Mirror& mirror_;
  std::vector<bool> taken_;
  Assembled result_;
};

}  // namespace

Assembled assemble(const KnownPods& pods, const GangShape* shape, const KnownBefore& before,
                   Mirror& mirror) {
  ZONECUT_ENSURES(!pods.empty());
  return Assembly(pods, shape, before, mirror).assembled();
}

}  // namespace zonecut::kubernetes
