#pragma once
// Limits how often the members of gangs (such as pods) are sent notices, asked to try again and
// ungated. Each of these makes work for the workload manager, while a member that misses one may
// wait for ever. Members have unique names. Pure: times are milliseconds of one clock of the
// caller's. O(log members) a call.
#include <cstdint>
#include <map>
#include <set>
#include <string>

namespace zonecut {

/// A message about one member, for people to read.
struct Notice {
  std::string topic;
  std::string text;
  bool warning = false;
  /// The text follows what others do and changes often: not every change is worth a message.
  bool changes = false;
};

/// The last notice of each member. The same notice is not sent twice in a row. Where both have
/// `changes`, another text on the same topic is sent after kAgain at the soonest, unless only one
/// is a warning.
class Notices {
 public:
  static constexpr std::int64_t kAgain = 30'000;  ///< ms
  /// Whether the notice is to be sent now; if so it counts as sent.
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

/// Members that were refused a server, and that the workload manager does not try again by itself
/// when there is one. Each refusal is followed by one wake-up at most.
class Sleepers {
 public:
  static constexpr std::int64_t kAgain = 5'000;  ///< ms
  /// The member was refused since its gang waits, or is planned elsewhere.
  void refuse(const std::string& member) { refused_.insert(member); }
  /// The member, which is in no gang, was refused since the servers are reserved.
  void keep_off(const std::string& member) { kept_off_.insert(member); }
  /// The member was accepted: nothing to wake it for.
  void accept(const std::string& member) { refused_.erase(member); }
  /// The member's gang has a plan now: whether the member is to be woken.
  [[nodiscard]] bool wake(const std::string& member) { return refused_.erase(member) > 0; }
  /// Reservations may have ended before `releases` was counted: wake_kept_off() need not wait for
  /// it to grow.
  void expect_release() { is_release_expected_ = true; }
  /// All members that were kept off, if a reservation has ended since the last call that returned
  /// some: `releases` is GangBook::releases(). Every kAgain at most.
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

/// Scheduling gates that hold members back until their gang is planned.
class Gates {
 public:
  static constexpr std::int64_t kAgain = 5'000;  ///< ms
  /// Whether the gates of a gang may be opened. All its members must be there, since one that is
  /// let go cannot be sent elsewhere afterwards; and none may have another gate, which may hold it
  /// back for hours while servers are kept for it.
  [[nodiscard]] static constexpr bool may_open(std::size_t absent, bool is_held_by_others) {
    return absent == 0 && !is_held_by_others;
  }
  /// Whether to open the gate of a member that still has one: not within kAgain after open(), since
  /// it takes a while until the change is heard of.
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
