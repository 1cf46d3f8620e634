#include "zonecut/scheduler/gang_pacing.hpp"

#include <utility>

namespace zonecut {

bool Notices::is_due(const std::string& member, Notice notice, std::int64_t now) {
  const auto [at, is_first] = told_.try_emplace(member);
  Told& told = at->second;
  if (!is_first && told.notice.topic == notice.topic) {
    if (told.notice.text == notice.text) return false;
    const bool is_no_news =
        told.notice.changes && notice.changes && told.notice.warning == notice.warning;
    if (is_no_news && now - told.when < kAgain) return false;
  }
  told = {std::move(notice), now};
  return true;
}

std::set<std::string> Sleepers::wake_kept_off(std::uint64_t releases, std::int64_t now) {
  if ((releases == releases_seen_ && !is_release_expected_) || now - woken_ < kAgain) return {};
  is_release_expected_ = false;
  releases_seen_ = releases;
  woken_ = now;
  return std::exchange(kept_off_, {});
}

void Sleepers::forget(const std::string& member) {
  refused_.erase(member);
  kept_off_.erase(member);
}

bool Gates::is_due(const std::string& member, std::int64_t now) const {
  const auto opened = opened_.find(member);
  return opened == opened_.end() || now - opened->second >= kAgain;
}

}  // namespace zonecut
