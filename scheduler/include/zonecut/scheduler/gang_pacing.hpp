#pragma once
// How often members of gangs are told, woken and let go by whoever starts them one by one: every
// word makes others work, and one too few leaves somebody waiting for ever. Members have names that
// are unique. Pure: times are milliseconds of any one clock, given by the caller. O(log members).
#include <cstdint>
#include <map>
#include <set>
#include <string>

namespace zonecut {

/// Something for people to read, about one member.
struct Notice {
  std::string topic;
  std::string text;
  bool warning = false;
  /// The text changes with what others do, so that saying every change would be noise.
  bool changes = false;
};

/// What each member was told last. A notice is said once; one that changes at most twice a minute,
/// unless it is another topic, or a warning where it was none.
class Notices {
 public:
  static constexpr std::int64_t kAgain = 30'000;
  /// Whether it is to be said now; it counts as said then.
  [[nodiscard]] bool is_due(const std::string& member, Notice notice, std::int64_t now);
  void forget(const std::string& member) { told_.erase(member); }
  template <class Gone>
  void forget_if(const Gone& is_gone) {
    std::erase_if(told_, [&](const auto& entry) { return is_gone(entry.first); });
  }

 private:
  struct Told {
    Notice notice;
    std::int64_t when = 0;
  };
  std::map<std::string, Told> told_;
};

/// Members that were refused, and whom nobody else tells when that has changed. Each is woken once
/// for every time it was refused.
class Sleepers {
 public:
  static constexpr std::int64_t kAgain = 5'000;
  /// Its gang waits, or goes elsewhere.
  void refuse(const std::string& member) { refused_.insert(member); }
  /// It is of no gang, and reservations keep it off.
  void keep_off(const std::string& member) { kept_off_.insert(member); }
  /// It was let go; no need to wake it on its gang's account.
  void accept(const std::string& member) { refused_.erase(member); }
  /// Its gang can be planned after all: whether it is to be woken.
  [[nodiscard]] bool wake(const std::string& member) { return refused_.erase(member) > 0; }
  /// Reservations may have been given up that nobody here knew of.
  void expect_release() { is_release_expected_ = true; }
  /// All that were kept off, when reservations have been given up since the last time; `releases`
  /// counts them. Every kAgain at most.
  [[nodiscard]] std::set<std::string> wake_kept_off(std::uint64_t releases, std::int64_t now);
  void forget(const std::string& member);
  template <class Gone>
  void forget_if(const Gone& is_gone) {
    std::erase_if(refused_, is_gone);
    std::erase_if(kept_off_, is_gone);
  }

 private:
  std::set<std::string> refused_;
  std::set<std::string> kept_off_;
  std::uint64_t releases_seen_ = 0;
  bool is_release_expected_ = false;
  std::int64_t woken_ = 0;
};

/// Gates that hold members back until their gang is planned.
class Gates {
 public:
  static constexpr std::int64_t kAgain = 5'000;
  /// Whether the gates of a gang may be opened: a member that was let go can be sent nowhere else
  /// afterwards, so all must be there; and servers are not kept for one that somebody else's gate
  /// holds back, maybe for hours.
  [[nodiscard]] static constexpr bool may_open(std::size_t absent, bool is_held_by_others) {
    return absent == 0 && !is_held_by_others;
  }
  /// Whether a member's gate is to be opened that is still there: not when it was a moment ago,
  /// which takes its time to be heard of.
  [[nodiscard]] bool is_due(const std::string& member, std::int64_t now) const;
  void open(const std::string& member, std::int64_t now) { opened_[member] = now; }
  void forget(const std::string& member) { opened_.erase(member); }
  template <class Gone>
  void forget_if(const Gone& is_gone) {
    std::erase_if(opened_, [&](const auto& entry) { return is_gone(entry.first); });
  }

 private:
  std::map<std::string, std::int64_t> opened_;
};

}  // namespace zonecut
