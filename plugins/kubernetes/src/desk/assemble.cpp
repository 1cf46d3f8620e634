#include "desk/assemble.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include "objects/time.hpp"
#include "zonecut/base/counts.hpp"
#include "zonecut/base/error.hpp"
#include "zonecut/partition/job_file.hpp"
#include "zonecut/partition/job_size.hpp"

namespace zonecut::kubernetes {
namespace {

/// Larger gangs are taken for a mistake.
constexpr std::uint32_t kMostMembers = 131'072;

bool lives(const Pod& pod) { return !pod.deleting && !has_ended(pod); }

/// The number at the end of a name: 10 of "worker-10".
std::optional<std::size_t> trailing_number(const std::string& name) {
  const std::size_t digits = name.find_last_not_of("0123456789") + 1;
  std::size_t number = 0;
  const char* const end = name.data() + name.size();
  const auto [at, error] = std::from_chars(name.data() + digits, end, number);
  if (error != std::errc{} || at != end) return std::nullopt;
  return number;
}

/// In the order that people count their names: worker-2 before worker-10.
void sort_by_name(KnownPods& pods) {
  struct Keyed {
    std::string_view stem;
    std::size_t number;
    std::shared_ptr<const KnownPod> pod;
  };
  std::vector<Keyed> keyed;
  keyed.reserve(pods.size());
  for (auto& known : pods) {
    const std::string& name = known->pod.name;
    const std::size_t stem = name.find_last_not_of("0123456789") + 1;
    keyed.push_back({std::string_view(name).substr(0, stem), trailing_number(name).value_or(0),
                     std::move(known)});
  }
  std::sort(keyed.begin(), keyed.end(), [](const Keyed& a, const Keyed& b) {
    return std::tie(a.stem, a.number, a.pod->pod.name) <
           std::tie(b.stem, b.number, b.pod->pod.name);
  });
  std::transform(keyed.begin(), keyed.end(), pods.begin(),
                 [](Keyed& one) { return std::move(one.pod); });
}

class Assembly {
 public:
  Assembly(const KnownPods& pods, const GangShape* shape, const KnownBefore& before, Mirror& mirror)
      : pods_(pods), shape_(shape), before_(before), mirror_(mirror) {
    sort_by_name(pods_);
    std::stable_partition(pods_.begin(), pods_.end(),
                          [](const auto& known) { return lives(known->pod); });
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
    const Pod& pod = first.pod;
    result_.state.gang.eligible = mirror_.eligible(pod);
    result_.state.priority = pod.priority;
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
    return lives(known.pod) || !lives(pods_.front()->pod);
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

  bool take(const KnownPod& known, std::size_t member) {
    if (member >= taken_.size() || taken_[member]) return false;
    taken_[member] = true;
    result_.place[known.pod.uid] = member;
    return true;
  }

  void give_ranks() {
    KnownPods open;
    for (const auto& known : pods_) {
      if (!lives(known->pod)) continue;
      const auto rank = rank_of(*known->member, shape_);
      if (!rank) {
        open.push_back(known);
      } else if (!take(*known, *rank)) {
        result_.fault = fmt::format(
            "{} has rank {}, which {}", known->pod.full_name(), *rank,
            *rank < taken_.size() ? "another pod has as well" : "is beyond the size of its gang");
        return;
      }
    }
    if (before_.assembled != nullptr) settle(open, [&](const KnownPod& k) { return had(k); });
    if (before_.plan != nullptr) settle(open, [&](const KnownPod& k) { return planned_at(k); });
    settle(open, [](const KnownPod& k) { return trailing_number(k.pod.name); });
    settle(open, [&](const KnownPod&) { return lowest(); });
    if (!open.empty()) {
      result_.fault =
          fmt::format("has {}, more than its size of {}",
                      counted(open.size() + result_.place.size(), "pod"), taken_.size());
    }
  }

  template <class Wish>
  void settle(KnownPods& open, const Wish& wish) {
    std::erase_if(open, [&](const auto& known) {
      const std::optional<std::size_t> member = wish(*known);
      return member && take(*known, *member);
    });
  }

  std::optional<std::size_t> had(const KnownPod& known) const {
    const auto found = before_.assembled->place.find(known.pod.uid);
    return found == before_.assembled->place.end() ? std::nullopt : std::optional(found->second);
  }

  std::optional<std::size_t> planned_at(const KnownPod& known) const {
    const auto server = server_of(known.pod);
    const std::vector<ServerId>& servers = before_.plan->servers;
    if (!server || servers.size() != taken_.size()) return std::nullopt;
    for (std::size_t v = 0; v < servers.size(); ++v) {
      if (servers[v] == *server && !taken_[v]) return v;
    }
    return std::nullopt;
  }

  std::optional<std::size_t> lowest() const {
    const auto free = std::find(taken_.begin(), taken_.end(), false);
    if (free == taken_.end()) return std::nullopt;
    return static_cast<std::size_t>(free - taken_.begin());
  }

  std::optional<ServerId> server_of(const Pod& pod) const {
    if (pod.node.empty() || !mirror_.site()) return std::nullopt;
    return mirror_.site()->cluster.find_server(pod.node);
  }

  /// Members that run stand where they run, those that ended well where they ran.
  void stand() {
    std::vector<bool> there = taken_;
    result_.state.sent.resize(taken_.size());
    for (const auto& known : pods_) {
      const Pod& pod = known->pod;
      if (pod.deleting || pod.phase == PodPhase::Failed) continue;
      const auto place = result_.place.find(pod.uid);
      const bool lives_here = place != result_.place.end();
      const auto rank =
          lives_here ? std::optional<std::uint32_t>(place->second) : rank_of_ended(*known);
      if (!rank || *rank >= taken_.size()) continue;
      there[*rank] = true;
      if (lives_here || !taken_[*rank]) result_.state.gang.standing[*rank] = server_of(pod);
      if (!lives_here || !pod.node.empty()) continue;
      ++result_.state.pending;
      result_.state.sent[*rank] = mirror_.sent_to(pod);
    }
    result_.absent = static_cast<std::size_t>(std::count(there.begin(), there.end(), false));
  }

  /// None for what is left of another run, of which nobody says that it has ended well.
  std::optional<std::uint32_t> rank_of_ended(const KnownPod& known) const {
    const KnownPod& first = *pods_.front();
    const auto size = known.member->size;
    if (known.pod.gpus != first.pod.gpus || known.member->job != first.member->job ||
        (size && *size != taken_.size()))
      return std::nullopt;
    try {
      return rank_of(*known.member, shape_);
    } catch (const InputError&) {
      return std::nullopt;  // beyond a size that has shrunk since
    }
  }

  void read_job() {
    GangState& state = result_.state;
    const KnownPod& first = *pods_.front();
    for (const auto& known : pods_) {
      if (!speaks(*known)) break;
      if (known->pod.gpus == first.pod.gpus && known->member->job == first.member->job) continue;
      result_.fault = "its pods ask for different numbers of GPUs, or name different jobs";
      return;
    }
    const std::string required = word(first.pod, kRequiredLevelWord);
    const std::string preferred = word(first.pod, kPreferredLevelWord);
    state.wish = fmt::format("{}|{}|{}|{}|{}", first.member->job, taken_.size(), first.pod.gpus,
                             required, preferred);
    state.gang.constraints.required_level = level(required, kRequiredLevelWord);
    state.gang.constraints.preferred_level = level(preferred, kPreferredLevelWord);
    if (before_.assembled != nullptr && before_.assembled->fault.empty() &&
        before_.assembled->state.wish == state.wish) {
      state.gang.job = before_.assembled->state.gang.job;
      return;
    }
    // A job that says nothing is a ring.
    JobFile file =
        parse_job_words(first.member->job.empty() ? "tp=1" : first.member->job, "zonecut.dev/job");
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
    const auto level = mirror_.site()->cluster.find_level(name);
    if (!level) throw InputError(key, fmt::format("the cluster has no level \"{}\"", name));
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
