#include "objects/read_words.hpp"

#include <algorithm>
#include <array>

namespace zonecut::kubernetes {
namespace {

constexpr std::array<std::string_view, 23> kRead{
    "batch.kubernetes.io/job-completion-index",
    "jobset.sigs.k8s.io/global-replicas",
    "jobset.sigs.k8s.io/job-index",
    "jobset.sigs.k8s.io/jobset-name",
    "jobset.sigs.k8s.io/replicatedjob-name",
    "jobset.sigs.k8s.io/replicatedjob-replicas",
    "kueue.x-k8s.io/pod-group-name",
    "kueue.x-k8s.io/pod-group-pod-index-label",
    "kueue.x-k8s.io/pod-group-total-count",
    "kueue.x-k8s.io/pod-index-offset",
    "leaderworkerset.sigs.k8s.io/size",
    "scheduling.k8s.io/group-name",
    "scheduling.volcano.sh/group-name",
    "volcano.sh/job-name",
    "volcano.sh/task-index",
    "volcano.sh/task-spec",
    "zonecut.dev/gang",
    "zonecut.dev/job",
    "zonecut.dev/preferred-level",
    "zonecut.dev/rank",
    "zonecut.dev/required-level",
    "zonecut.dev/server",
    "zonecut.dev/size",
};
static_assert(std::is_sorted(kRead.begin(), kRead.end()));

}  // namespace

bool is_read_annotation(std::string_view key) {
  return std::binary_search(kRead.begin(), kRead.end(), key);
}

void drop_unread(Labels& annotations) {
  std::erase_if(annotations, [](const auto& entry) { return !is_read_annotation(entry.first); });
  for (auto& [key, value] : annotations) {
    if (value.size() > kLongestWord) value = value.substr(0, kLongestWord + 1);
  }
}

}  // namespace zonecut::kubernetes
