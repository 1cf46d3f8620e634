// What the objects of the API say of gangs' sizes, and how long that is believed.
#include <utility>

#include "desk/desk.hpp"

namespace zonecut::kubernetes {
namespace {

/// How long what an object says of a gang's size is believed while pods of the gang wait.
constexpr std::int64_t kShapeLasts = 30'000;
/// How long before an object that does not say it, or is not there yet, is asked for once more.
constexpr std::int64_t kShapeMissing = 5'000;

std::string shape_path(const KnownPod& known) {
  return path_of(known.member->size_source, known.pod.name_space);
}

}  // namespace

const GangShape* Desk::shape_for(const KnownPod& known) const {
  const auto found = shapes_.find(shape_path(known));
  return found == shapes_.end() || !found->second.fetched.shape ? nullptr
                                                                : &*found->second.fetched.shape;
}

bool Desk::lacks_shape(const KnownPod& known) const {
  if (!known.member || !known.member->needs_shape()) return false;
  const std::string path = shape_path(known);
  if (path.empty()) return false;
  const auto found = shapes_.find(path);
  if (found == shapes_.end()) return true;
  const std::int64_t lasts = found->second.fetched.shape ? kShapeLasts : kShapeMissing;
  return is_waiting(known.pod) && clock_() - found->second.when > lasts;
}

/// Asks for the shapes that these pods need, without the lock.
void Desk::fetch_shapes(Lock& lock, const KnownPods& pods, std::size_t most) {
  std::map<std::string, std::shared_ptr<const KnownPod>> wanted;
  for (const auto& known : pods) {
    if (wanted.size() == most) break;
    if (lacks_shape(*known)) wanted.emplace(shape_path(*known), known);
  }
  if (wanted.empty()) return;
  lock.unlock();
  std::map<std::string, FetchedShape> fetched;
  for (const auto& [path, known] : wanted)
    fetched[path] = shapes_of_(known->member->size_source, known->pod.name_space);
  lock.lock();
  for (auto& [path, shape] : fetched) {
    const std::string& gang = wanted.find(path)->second->member->gang;
    if (mirror_.pods_of(gang).empty()) continue;  // nobody would take it out again
    ShapeEntry& entry = shapes_[path];
    entry.asked_for = gang;
    // What was known stays where it could not be asked again.
    if (shape.fault.empty() || !entry.fetched.shape) entry.fetched = std::move(shape);
    entry.when = clock_();
  }
  for (const auto& [path, known] : wanted) refresh_gang(known->member->gang);
}

}  // namespace zonecut::kubernetes
