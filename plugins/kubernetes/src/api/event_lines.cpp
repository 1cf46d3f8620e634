#include "api/event_lines.hpp"

#include <fmt/format.h>

#include "zonecut/base/error.hpp"

namespace zonecut::kubernetes {

bool EventLines::take(std::string_view part, const std::function<bool(std::string_view)>& line) {
  while (true) {
    const std::size_t end = part.find('\n');
    check(end == std::string_view::npos ? part.size() : end);
    if (end == std::string_view::npos) {
      begun_.append(part);
      return true;
    }
    std::string whole = std::move(begun_);
    begun_.clear();
    whole.append(part.substr(0, end));
    part.remove_prefix(end + 1);
    if (!whole.empty() && !line(whole)) return false;
  }
}

void EventLines::check(std::size_t more) const {
  if (more > longest_ - begun_.size())
    throw InputError("watch", fmt::format("an event is longer than {} bytes", longest_));
}

}  // namespace zonecut::kubernetes
