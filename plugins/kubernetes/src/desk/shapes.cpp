// What the objects of the API say of gangs' sizes, and how long that is believed.
#include <algorithm>
#include <utility>

#include "desk/desk.hpp"

namespace zonecut::kubernetes {
namespace {

/// How long what an object says of a gang's size is believed while pods of the gang wait.
constexpr std::int64_t kShapeLasts = 30'000;
/// How long before an object that does not say it, is not there yet, or says what its pods
/// contradict (it may have been scaled), is asked for once more: twice as long each time, up to
/// some minutes.
constexpr std::int64_t kShapeMissing = 5'000;
constexpr std::int64_t kLongestMissing = 300'000;
constexpr int kMostDoublings = 6;

std::int64_t pause_after(int failures) {
  return std::min(kShapeMissing << std::clamp(failures - 1, 0, kMostDoublings), kLongestMissing);
}
/// How long all objects may be waited for that cannot be had: an API that hangs must neither keep
/// us from starting nor hold up what else is done at each look.
constexpr std::int64_t kMostLost = 2'000;
/// How long lists of objects may take when there are many, before the rest is asked for one by one.
constexpr std::int64_t kMostListing = 10'000;

std::string shape_path(const KnownPod& known) {
  return path_of(known.member->size_source, known.pod.name_space);
}

}  // namespace

const GangShape* Desk::shape_for(const KnownPod& known) const {
  const auto found = shapes_.find(shape_path(known));
  return found == shapes_.end() || !found->second.fetched.shape ? nullptr
                                                                : &*found->second.fetched.shape;
}

bool Desk::is_faulty(const std::string& gang) const {
  const auto found = gangs_.find(gang);
  return found != gangs_.end() && !found->second.fault.empty();
}

bool Desk::lacks_shape(const KnownPod& known) const {
  if (!known.member || !known.member->needs_shape()) return false;
  const std::string path = shape_path(known);
  if (path.empty()) return false;
  const auto found = shapes_.find(path);
  if (found == shapes_.end()) return true;
  const ShapeEntry& entry = found->second;
  const std::int64_t lasts = entry.fetched.shape && !is_faulty(known.member->gang)
                                 ? std::max(kShapeLasts, pause_after(entry.failures))
                                 : pause_after(entry.failures);
  return is_waiting(known.pod) && clock_() - found->second.when > lasts;
}

/// Those of these pods that need shapes, one of each object; first whose object was asked for
/// longest ago.
KnownPods Desk::lacking_shapes(const KnownPods& pods, std::size_t most) const {
  std::map<std::string, std::int64_t> asked;  // when, by path
  KnownPods lacking;
  for (const auto& known : pods) {
    if (!lacks_shape(*known)) continue;
    const auto found = shapes_.find(shape_path(*known));
    const std::int64_t when = found == shapes_.end() ? 0 : found->second.when;
    if (asked.emplace(shape_path(*known), when).second) lacking.push_back(known);
  }
  const auto when = [&](const auto& known) { return asked.find(shape_path(*known))->second; };
  std::stable_sort(lacking.begin(), lacking.end(),
                   [&](const auto& a, const auto& b) { return when(a) < when(b); });
  if (lacking.size() > most) lacking.resize(most);
  return lacking;
}

/// Asks for the shapes that these pods need, without the lock. Some may be left for the next time.
void Desk::fetch_shapes(Lock& lock, const KnownPods& pods, std::size_t most) {
  const KnownPods lacking = lacking_shapes(pods, most);
  if (lacking.empty()) return;
  lock.unlock();
  FetchedShapes fetched(lacking.size());
  ask_for_rest(lacking, fetched);
  lock.lock();
  keep_shapes(lacking, std::move(fetched));
}

/// As there may be thousands of them, they are listed.
void Desk::fetch_all_shapes(Lock& lock, const KnownPods& pods) {
  const KnownPods lacking = lacking_shapes(pods, pods.size());
  if (lacking.empty()) return;
  lock.unlock();
  FetchedShapes fetched = list_shapes(lacking);
  ask_for_rest(lacking, fetched);
  lock.lock();
  keep_shapes(lacking, std::move(fetched));
}

Desk::FetchedShapes Desk::list_shapes(const KnownPods& lacking) const {
  if (!all_shapes_) return FetchedShapes(lacking.size());
  std::vector<WantedShape> wanted;
  for (const auto& known : lacking)
    wanted.push_back({known->member->size_source, known->pod.name_space});
  return all_shapes_(wanted, std::chrono::milliseconds(kMostListing));
}

void Desk::ask_for_rest(const KnownPods& lacking, FetchedShapes& fetched) const {
  std::int64_t lost = 0;
  for (std::size_t i = 0; i < lacking.size() && lost < kMostLost; ++i) {
    if (fetched[i]) continue;
    const std::int64_t begin = clock_();
    fetched[i] = shapes_of_(lacking[i]->member->size_source, lacking[i]->pod.name_space,
                            std::chrono::milliseconds(kMostLost - lost));
    if (!fetched[i]->fault.empty()) lost += clock_() - begin;
  }
}

void Desk::keep_shapes(const KnownPods& lacking, FetchedShapes fetched) {
  std::vector<bool> said(lacking.size(), false);
  for (std::size_t i = 0; i < lacking.size(); ++i) {
    const std::string& gang = lacking[i]->member->gang;
    // Where no pod of it is left, nobody would take it out again.
    if (!fetched[i] || mirror_.pods_of(gang).empty()) continue;
    const std::string path = shape_path(*lacking[i]);
    ShapeEntry& entry = shapes_[path];
    entry.asked_for = gang;
    FetchedShape& now = *fetched[i];
    const bool is_said = now.fault.empty() && now.shape;
    if (is_said) entry.warned.clear();
    if (!now.fault.empty() && entry.warned != now.fault) {
      entry.warned = now.fault;
      if (observer_.size_unknown) observer_.size_unknown(path, now.fault);
    }
    // What was known stays where it could not be asked again.
    if (now.fault.empty() || !entry.fetched.shape) entry.fetched = std::move(now);
    entry.when = clock_();
    said[i] = is_said;
  }
  for (std::size_t i = 0; i < lacking.size(); ++i) {
    if (!fetched[i]) continue;
    const std::string& gang = lacking[i]->member->gang;
    refresh_gang(gang);
    const auto entry = shapes_.find(shape_path(*lacking[i]));
    if (entry == shapes_.end()) continue;
    entry->second.failures = said[i] && !is_faulty(gang) ? 0 : entry->second.failures + 1;
  }
}

}  // namespace zonecut::kubernetes
