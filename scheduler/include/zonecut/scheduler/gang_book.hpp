#pragma once
// The gangs that are known, the servers reserved for those of their members that do not run yet,
// and which gangs wait. A gang is planned whole or not at all, and no GPU is reserved twice.
// Whoever feeds the book says what runs where and what time it is, so after a restart a new book
// comes to the same state from what runs. Not for several threads at once.
//
//            decide(): fits                all members run
//   waiting ----------------> reserved ---------------------> complete
//      ^                          |  a member is lost: planned again around the others
//      +--------------------------+
//        nobody renewed it in time, or nothing came of it, or its other members do not come, or
//        it cannot be kept
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

/// What a gang is at this moment. Times are milliseconds of any one clock.
struct GangState {
  /// Standing are members that run, and those that have ended well, where they ran.
  Gang gang;
  /// Equal texts mean equal jobs, sizes and constraints: a plan made for another text is void.
  std::string wish;
  std::string owner;  ///< whose it is: see BookOptions::ahead
  /// By member, the one server that it can still go to, where that is settled though it does not
  /// run yet; empty: of none.
  std::vector<std::optional<ServerId>> sent;
  std::size_t pending = 0;    ///< members that exist and wait
  std::size_t unready = 0;    ///< members that run and are not ready: others may come after them
  std::vector<bool> absent;   ///< by member: neither exists nor has ended well; empty: none
  std::int32_t priority = 0;  ///< higher goes first
  std::int64_t since = 0;     ///< when its first member was created; older goes first
  [[nodiscard]] std::size_t absent_count() const {
    return static_cast<std::size_t>(std::count(absent.begin(), absent.end(), true));
  }
};

struct ClusterNow {
  const Cluster& cluster;
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
  std::int64_t progress = 0;  ///< when it was planned, or a member last began to run
  std::int64_t arrival = 0;   ///< when it was planned, or the number of absent members changed
  std::int64_t until = 0;     ///< when it ends unless it is renewed
  bool again = false;         ///< the gang had another one before
};

struct BookOptions {
  PlacementOptions placement;
  /// A reservation that nobody renews lasts so long; as long one that is renewed while members are
  /// absent and none comes, unless one that runs is not ready: patience counts then. Such a gang is
  /// not planned again before a further member is there: whoever asks for more than will ever come
  /// holds up others this long, once.
  std::int64_t reserve = 120'000;
  /// One that is renewed but of which no further member begins to run lasts so long: its members
  /// wait for something else, and others can use the servers. It is tried again as long after.
  std::int64_t patience = 900'000;
  std::int64_t promise = 10'000;  ///< a server that was named for a member stays its own so long
  /// Absent members that servers are kept for, those of all gangs of one owner together, beside as
  /// many more of a gang as run of it. What is planned beyond that goes to gangs of others that
  /// find no room elsewhere and stay within theirs: else an owner that asks for all servers of the
  /// cluster again and again would hold up all others. 0: nothing is planned for a gang with absent
  /// members. None: default_ahead().
  std::optional<std::size_t> ahead;
  /// Waiting gangs that are tried before another one's turn, or at once where nobody asks.
  std::size_t most_retried = 16;
};

/// Half as many as there are servers, but as many as gangs of usual sizes have.
[[nodiscard]] constexpr std::size_t default_ahead(std::size_t servers) {
  return std::max<std::size_t>(servers / 2, 64);
}

/// The servers that a member may go to by what the workload manager knows besides. Two questions,
/// since the second takes long and is rarely asked; empty functions: all that are eligible.
struct Offer {
  std::function<bool(ServerId)> includes;
  std::function<std::vector<ServerId>()> servers;  ///< sorted
};

/// Asked for one member that is about to start.
struct Question {
  std::size_t member = 0;
  Offer offer;
  /// Whether the gang may be planned anew where its plan does not hold, or only the plan be told.
  bool may_plan = true;
};

/// Whether something that is in no gang may use `gpus` more of a server's `total` GPUs, of which
/// `used` are in use: it must not take what is reserved. Where nothing is, others judge the room.
[[nodiscard]] constexpr bool spares_reserved(std::int64_t total, std::int64_t used,
                                             std::int64_t reserved, std::int64_t gpus) {
  return reserved == 0 || used + reserved + gpus <= total;
}

class GangBook {
 public:
  explicit GangBook(BookOptions options) : options_(std::move(options)) {}

  /// What is known of a gang from now on. Its reservation stays unless the wish has changed.
  void set(GangState state, std::int64_t now);
  /// Nothing of it is left; its reservation ends.
  void forget(const std::string& gang);
  [[nodiscard]] bool knows(const std::string& gang) const { return entries_.contains(gang); }
  /// GPUs have come free, or servers have come or changed: what waits is worth another try.
  void room_was_gained() noexcept { ++gains_; }
  /// A gang without a plan was refused before this book was made: retry() tries it, too.
  void was_refused(const std::string& gang);

  /// The server of the member, which is its own for a while then: or none where the gang waits, or
  /// where the server is not offered and no other plan was found. Waiting gangs that come first are
  /// tried first. A gang that is not known is a broken contract. One at whose planning anything is
  /// thrown waits, here and below.
  [[nodiscard]] std::optional<ServerId> server_for(const std::string& gang,
                                                   const Question& question, const ClusterNow& now);
  /// The servers of the whole gang, planned now if it has none; null where it waits.
  [[nodiscard]] const Reservation* plan(const std::string& gang, const ClusterNow& now);
  /// Tries what waits and is worth it, in order, and replaces servers that running gangs have lost.
  /// Where there are too many for one call some are left: true. Every one of them has its turn,
  /// however often room is gained meanwhile.
  bool retry(const ClusterNow& now);
  /// Puts those that go first before others; gangs that are not known last.
  void sort_by_turn(std::vector<std::string>& gangs) const;
  /// Renews the reservations of gangs whose members wait. Ends those that nobody renewed or that
  /// came to nothing; their names.
  std::vector<std::string> expire(std::int64_t now);
  /// The gangs that got a new plan since the last call, other than by an answer for one of their
  /// own members: whoever waits for them should ask again.
  [[nodiscard]] std::vector<std::string> take_replanned();
  /// After the cluster has changed: reservations keep their servers by name, or end where one of a
  /// member is gone that does not run yet. Every gang must be set again before the next question.
  void move_to(const Cluster& before, const Cluster& after);

  [[nodiscard]] const Reservation* reservation(const std::string& gang) const;
  /// Why it waits; empty where it does not, or was not tried yet.
  [[nodiscard]] std::string why_waiting(const std::string& gang) const;
  /// GPUs reserved for members that do not run yet, of all gangs but one.
  [[nodiscard]] UsedGpus reserved(std::size_t servers, const std::string& but_for = {}) const;
  /// Those of them that are kept from everybody: see BookOptions::ahead.
  [[nodiscard]] UsedGpus kept(std::size_t servers) const;

  /// How often reserved servers were given up so far, other than to members that run there.
  [[nodiscard]] std::uint64_t releases() const noexcept { return releases_; }
  /// How many plans were tried so far.
  [[nodiscard]] std::uint64_t attempts() const noexcept { return attempts_; }

  struct Counts {
    std::size_t gangs = 0;
    std::size_t waiting = 0;
    std::size_t reservations = 0;  ///< with members that do not run yet
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
    std::vector<Promise> promised;      // by member; they outlive the plan that they were made by
    std::string why;                    // it waits
    std::uint64_t refused_gains = 0;    // gains_ when it was refused; 0: not yet
    std::uint64_t refused_servers = 0;  // which servers it was refused for
    bool refused_in_part = false;       // servers would not have been kept for all of it
    std::int64_t refused_until = 0;     // when the promises lapse that stood in the way; 0: none
    std::int64_t not_before = 0;        // it came to nothing then
    std::int64_t unasked_after = 0;     // what is offered did not do: its members ask first
    bool had_plan = false;
    std::optional<std::size_t> given_up;  // absent members that were no longer waited for
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
  std::string end_of(const Entry& entry, std::int64_t now) const;
  bool try_plan(const std::string& name, Entry& entry, const ClusterNow& now, const Offer& offer);
  void try_those_before(const Entry& entry, const ClusterNow& now);
  std::vector<Entries::iterator> waiting(const ClusterNow& now);
  static std::vector<Entries::iterator> in_turn(std::vector<Entries::iterator> turn);
  std::vector<Entries::iterator> tried_at_once(std::vector<Entries::iterator> turn);

  Entries entries_;
  BookOptions options_;
  std::uint64_t gains_ = 2;  // one less is an earlier one
  std::uint64_t attempts_ = 0;
  std::uint64_t releases_ = 0;
  std::vector<std::string> replanned_;
  std::optional<Turn> retried_to_;
};

}  // namespace zonecut
