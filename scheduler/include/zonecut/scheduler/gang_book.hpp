#pragma once
// The gangs that are known, the servers reserved for their members that do not run yet, and the
// gangs that wait. A gang is planned as a whole or not at all, and no GPU is reserved twice. The
// caller says what runs where and what time it is, so that a new book comes to the same state from
// what runs. Not for several threads at once.
//
//             a plan is found              all members run
//   waiting ----------------> reserved ---------------------> complete
//      ^                          |  a member is lost: planned again around the others
//      +--------------------------+
//        expired (BookOptions), or its servers are taken and no other plan is found
#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "zonecut/scheduler/gang_plan.hpp"

namespace zonecut {

/// What is known of a gang at one moment. Times are milliseconds of one clock of the caller's.
struct GangState {
  /// `gang.standing` has the members that run, and those that have ended successfully.
  Gang gang;
  /// What the gang asks for, as a text: a plan made for another text is void.
  std::string wish;
  std::string owner;  ///< see BookOptions::ahead
  /// By member that does not run yet, the one server it can still go to, where that is settled; may
  /// be left empty.
  std::vector<std::optional<ServerId>> sent;
  /// By member that `sent` has a server for, what it is called in messages; may be left empty.
  std::vector<std::string> names;
  std::size_t pending = 0;    ///< members that exist and wait for a server
  std::size_t unready = 0;    ///< members that run but are not ready; others may come after them
  std::vector<bool> absent;   ///< by member that neither exists nor has ended; may be left empty
  std::int32_t priority = 0;  ///< higher goes first
  std::int64_t since = 0;     ///< when its first member was created; older goes first
  [[nodiscard]] std::size_t absent_count() const {
    return static_cast<std::size_t>(std::count(absent.begin(), absent.end(), true));
  }
};

struct ClusterNow {
  const Fabric& fabric;
  const UsedGpus& used;  ///< by what runs, members of gangs included
  std::int64_t now = 0;
};

struct Reservation {
  std::vector<ServerId> servers;  ///< by member, standing ones included
  Bytes cross_zone;
  std::optional<Bytes> lower_bound;
  Seconds communication;
  std::string method;
  std::vector<std::string> reasons;
  std::uint64_t number = 0;   ///< of the attempt that made it: unique in the book
  std::int64_t progress = 0;  ///< when it was planned or, if later, a member last began to run
  /// When it was planned or, if later, the number of absent members last changed or one got ready.
  std::int64_t arrival = 0;
  std::int64_t until = 0;  ///< when it ends unless it is renewed
  bool again = false;      ///< the gang had another reservation before
};

struct BookOptions {
  PlacementOptions placement;
  /// ms. A reservation ends when none of the gang's members has asked or waited for so long. It
  /// also ends when members are absent and none has come for so long, unless a member that runs is
  /// not ready yet. In the latter case the gang is not planned again before another member is
  /// there: a gang that asks for more members than ever come holds up others for this long, once.
  std::int64_t reserve = 120'000;
  /// ms. A reservation ends when no further member has begun to run for so long: its members wait
  /// for something else, and others can use the servers. The gang is tried again as long after.
  std::int64_t patience = 900'000;
  /// ms. For so long after a server was named for a member it stays that member's own, whatever
  /// becomes of the plan: the member may be on its way there.
  std::int64_t promise = 10'000;
  /// How many absent members of one owner's gangs servers are kept for, besides as many of each
  /// gang as it has members that run. Servers reserved beyond that are not kept from gangs of other
  /// owners that find no room elsewhere and stay within their own limit: otherwise one owner who
  /// asks for all servers again and again would hold up everybody. 0: a gang with absent members is
  /// not planned at all. None: default_ahead().
  std::optional<std::size_t> ahead;
  /// The most waiting gangs that one call tries to plan besides the one it is about.
  std::size_t most_retried = 16;
};

/// Half the number of servers, but at least 64, for gangs of usual sizes.
[[nodiscard]] constexpr std::size_t default_ahead(std::size_t servers) {
  return std::max<std::size_t>(servers / 2, 64);
}

/// The servers that the workload manager itself lets a member go to. Empty functions: all that are
/// eligible for the gang. `servers` is called only where a plan must be made, since it may be slow.
struct Offer {
  std::function<bool(ServerId)> includes;
  std::function<std::vector<ServerId>()> servers;  ///< sorted
};

/// Asked for one member that is about to start.
struct Question {
  std::size_t member = 0;
  Offer offer;
  /// Whether the gang may be planned now where it has no plan that holds; else only a plan that
  /// there is already answers.
  bool may_plan = true;
};

/// Whether a job that is in no gang may use `gpus` more of a server with `total` GPUs, of which
/// `used` are in use and `reserved` are kept for gangs. Always true where nothing is reserved: then
/// it is for the workload manager to say whether there is room.
[[nodiscard]] constexpr bool spares_reserved(std::int64_t total, std::int64_t used,
                                             std::int64_t reserved, std::int64_t gpus) {
  return reserved == 0 || used + reserved + gpus <= total;
}

class GangBook {
 public:
  explicit GangBook(BookOptions options) : options_(std::move(options)) {}

  /// Adds a gang, or replaces what is known of it. Its reservation stays unless the wish changed.
  void set(GangState state, std::int64_t now);
  /// The gang is gone; its reservation ends.
  void forget(const std::string& gang);
  [[nodiscard]] bool knows(const std::string& gang) const { return entries_.contains(gang); }
  /// GPUs have come free, or servers have come or changed: gangs that were refused may fit now.
  void room_was_gained() noexcept { ++gains_; }
  /// The gang was refused before this book was made, so retry() is to try it, too.
  void note_refusal(const std::string& gang);

  /// The server planned for the member, which is then promised to it (BookOptions::promise). None
  /// where the gang waits, or where the offer excludes that server and no plan with another one is
  /// found. Waiting gangs whose turn comes before are tried first. The gang must be known. A gang
  /// waits if planning it throws anything, and why_waiting() says what; so below. As long as
  /// plan_gang() for each gang that is tried.
  [[nodiscard]] std::optional<ServerId> server_for(const std::string& gang,
                                                   const Question& question, const ClusterNow& now);
  /// The reservation of the gang, planned now if it has none that holds; null where it waits.
  [[nodiscard]] const Reservation* plan(const std::string& gang, const ClusterNow& now);
  /// Tries, in order of turn, the waiting gangs that may fit now, and those whose reserved servers
  /// were lost. True where there are more of them than one call tries (BookOptions::most_retried):
  /// call again. Every one of them is tried in the end, however often room is gained meanwhile.
  bool retry(const ClusterNow& now);
  /// Sorts by turn: higher priority first, then older. Gangs that are not known come last.
  void sort_by_turn(std::vector<std::string>& gangs) const;
  /// Renews the reservations of gangs whose members wait and ends those that have expired
  /// (BookOptions). Returns the names of the gangs whose reservations ended.
  std::vector<std::string> expire(std::int64_t now);
  /// The gangs that got a new plan since the last call, other than in answer to server_for() or
  /// plan() for themselves: their members should ask again.
  [[nodiscard]] std::vector<std::string> take_replanned();
  /// Follows a change of the cluster: reservations keep their servers by name, and end where one of
  /// the servers is gone. Every gang must be set() again before the next question.
  void move_to(const Cluster& before, const Cluster& after);

  /// Null where the gang has none, or is not known.
  [[nodiscard]] const Reservation* reservation(const std::string& gang) const;
  /// Why the gang waits; empty where it does not, or was not tried yet.
  [[nodiscard]] std::string why_waiting(const std::string& gang) const;
  /// GPUs reserved for members that do not run yet, of all gangs but `but_for`; by server, of which
  /// there are `servers`.
  [[nodiscard]] UsedGpus reserved(std::size_t servers, const std::string& but_for = {}) const;
  /// The part of reserved() that is kept from everybody else (BookOptions::ahead).
  [[nodiscard]] UsedGpus kept(std::size_t servers) const;

  /// How many reservations of gangs that were not complete have ended so far.
  [[nodiscard]] std::uint64_t releases() const noexcept { return releases_; }
  /// How many times a plan was tried so far.
  [[nodiscard]] std::uint64_t attempts() const noexcept { return attempts_; }

  struct Counts {
    std::size_t gangs = 0;
    std::size_t waiting = 0;
    std::size_t reservations = 0;  ///< of gangs that are not complete
    std::int64_t reserved_gpus = 0;
    Bytes cross_zone;  ///< of all plans
  };
  [[nodiscard]] Counts counts() const;

 private:
  /// A server that was named for a member, which may be on its way there.
  struct Promise {
    ServerId server{0};
    std::int64_t until = 0;
  };

  struct Entry {
    GangState state;
    std::optional<Reservation> reservation;
    std::vector<Promise> promised;  // by member; they outlive the plan that they were made by
    std::string why;                // it waits
    // The last attempt, where it failed. Another would fail the same way while all of this holds.
    bool was_refused = false;           // since it last had a plan: retry() tries it
    std::uint64_t refused_gains = 0;    // gains_ at the attempt; 0: it is worth another in any case
    std::uint64_t refused_servers = 0;  // mark of the servers it was tried on
    bool refused_in_part = false;       // servers would not have been kept for all its members
    std::int64_t refused_until = 0;  // when the promises that stood in its way lapse; 0: none did
    std::int64_t not_before = 0;     // when it may be tried again after BookOptions::patience
    std::int64_t unasked_after = 0;  // when retry() may try it: its members, who ask, come first
    bool had_plan = false;
    std::optional<std::size_t> given_up;  // number of absent members when they were given up
  };
  using Entries = std::map<std::string, Entry, std::less<>>;
  /// Of two gangs the one with the lesser turn comes first: priority, age, name.
  using Turn = std::tuple<std::int64_t, std::int64_t, std::string>;

  bool holds(const Entry& entry, const ClusterNow& now) const;
  std::string settle(const Entry& entry, const ClusterNow& now, Gang& gang, UsedGpus& used,
                     std::int64_t& promised_until) const;
  /// What came of one attempt.
  struct Trial {
    std::optional<Placement> placement;
    std::string why;                  // there is none
    std::int64_t promised_until = 0;  // it was made around promises that lapse then
  };
  Trial trial(const Entry& entry, Gang gang, UsedGpus used, const ClusterNow& now);
  /// Absent members that servers are kept for.
  struct Ahead {
    std::map<const Entry*, std::size_t> kept;         // of each gang that has a plan and lacks some
    std::map<std::string_view, std::size_t> further;  // that each owner of one may have besides
  };
  Ahead ahead(std::size_t servers) const;
  std::size_t most_ahead(std::size_t servers) const;
  bool is_kept_whole(const Entry& entry, const Ahead& ahead, std::size_t servers) const;
  UsedGpus kept_from(const Entry& entry, const Ahead& ahead, std::size_t servers) const;
  bool awaits_members(const Entry& entry) const;
  void displace(const Ahead& planned, const ClusterNow& now);
  bool is_refused(const Entry& entry, const Ahead& ahead, const ClusterNow& now) const;
  void release(Entry& entry);
  static void allow_retry(Entry& entry);
  std::string end_of(const Entry& entry, std::int64_t now) const;
  bool try_plan(const std::string& name, Entry& entry, const ClusterNow& now, const Offer& offer);
  void try_those_before(const Entry& entry, const ClusterNow& now);
  std::vector<Entries::iterator> waiting(const ClusterNow& now);
  static std::vector<Entries::iterator> in_turn(std::vector<Entries::iterator> turn);
  std::vector<Entries::iterator> tried_at_once(std::vector<Entries::iterator> turn);

  Entries entries_;
  BookOptions options_;
  std::uint64_t gains_ = 1;  // how often room was gained, and 1
  std::uint64_t attempts_ = 0;
  std::uint64_t releases_ = 0;
  std::vector<std::string> replanned_;
  std::optional<Turn> retried_to_;
};

}  // namespace zonecut
