#include "gang/gang_member.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "gang/gang_sources.hpp"
#include "gang/pod_words.hpp"
#include "objects/json_text.hpp"
#include "objects/read_words.hpp"
#include "zonecut/base/error.hpp"

namespace zonecut::kubernetes {
namespace {

constexpr std::string_view kJobWord = "zonecut.dev/job";

/// Every pod of a JobSet with one kind of Jobs knows its place in it once the size is known.
void place_in_only_role(const Pod& pod, GangMember& member) {
  const auto jobs = number_of(word_of(pod, "jobset.sigs.k8s.io/global-replicas"));
  const auto own = number_of(word_of(pod, "jobset.sigs.k8s.io/replicatedjob-replicas"));
  if (!member.index || !member.size || !jobs || jobs != own) return;
  if (*jobs == 0 || member.copy >= *jobs || *member.size % *jobs != 0) return;
  const std::uint32_t pods = *member.size / *jobs;
  if (*member.index < pods) member.rank = member.copy * pods + *member.index;
}

void check_size(const Pod& pod, const GangMember& member) {
  if (!member.size) return;
  const std::string where = pod.full_name() + "#/metadata";
  if (*member.size == 0) throw InputError(where, "a gang has at least one pod, found 0");
  if (member.rank && *member.rank >= *member.size) {
    throw InputError(where,
                     fmt::format("place {} lies beyond the {} pods of gang {}; places begin at 0",
                                 *member.rank, *member.size, member.gang));
  }
}

void check_job(const Pod& pod) {
  const auto job = word_of(pod, kJobWord);
  if (!job || job->value.size() <= kLongestWord) return;
  throw InputError(job->where, fmt::format("expected words of a job of at most {} bytes, found {}",
                                           kLongestWord, in_quotes(job->value)));
}

}  // namespace

std::string_view job_of(const Pod& pod) {
  // Not by word_of(): this is asked of every pod of a gang whenever one of them changes.
  for (const Labels* const words : {&pod.annotations, &pod.labels}) {
    const auto found = words->find(kJobWord);
    if (found != words->end() && !found->second.empty()) return found->second;
  }
  return {};
}

std::vector<std::string_view> words_for_gangs(const Pod& pod) {
  static constexpr std::array<std::string_view, 5> kWords{
      kJobWord, "zonecut.dev/size", "zonecut.dev/rank", "zonecut.dev/required-level",
      "zonecut.dev/preferred-level"};
  if (text_of(word_of(pod, "zonecut.dev/size")) == "1") return {};
  std::vector<std::string_view> said;
  std::copy_if(kWords.begin(), kWords.end(), std::back_inserter(said),
               [&](std::string_view word) { return word_of(pod, word).has_value(); });
  return said;
}

std::optional<GangMember> gang_of(const Pod& pod) {
  const auto own_gang = word_of(pod, "zonecut.dev/gang");
  std::optional<GangMember> member = gang_by_controllers(pod, own_gang.has_value());
  if (!member && !own_gang) return std::nullopt;
  if (!member) member.emplace();
  if (own_gang) {
    member->source = "zonecut.dev";
    member->gang = gang_name(pod, member->source, own_gang->value, own_gang->where);
  }
  if (const auto size = number_of(word_of(pod, "zonecut.dev/size")); size) {
    member->size = size;
    if (member->size_source.kind == "JobSet") place_in_only_role(pod, *member);
  }
  if (const auto rank = number_of(word_of(pod, "zonecut.dev/rank")); rank) member->rank = rank;
  check_job(pod);
  check_size(pod, *member);
  return member->size == 1U ? std::nullopt : member;
}

}  // namespace zonecut::kubernetes
