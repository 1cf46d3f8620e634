#pragma once
// What would be if something were another way: links that fail or are mended, servers that are
// emptied, jobs that end, other routing, other capacities. A setting is what there is at one
// moment; changes make another setting of it; look() says of a setting how each of its jobs fares,
// and a question is two looks side by side. Nothing is changed but copies of values.
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "zonecut/scheduler/engine.hpp"

namespace zonecut {

/// What there is at one moment. Borrows the cluster through its view.
struct Setting {
  ClusterView view;
  FabricSpec fabric;  ///< of the backend
  Routing routing;
  std::vector<ServerId> emptied;  ///< to be worked on: whoever runs there must leave; sorted
  std::vector<JobId> ended;       ///< sorted

  /// Nothing changed.
  Setting(ClusterView now, const Routing& routes)
      : view(std::move(now)), fabric(view.cluster->backend()), routing(routes) {}
};

/// A job where it runs, or would. It holds its GPUs in the setting's view.
struct SettledJob {
  JobId id;
  Job job;
  Constraints constraints;
  RunningTraffic running;  ///< no two have the same name; no servers: it waits
};

/// A job of the view that runs. Throws InputError where its servers do not hold it.
[[nodiscard]] SettledJob settled(const ClusterView& view, const RunningJob& running, Job job,
                                 Constraints constraints);

/// A job that runs on these servers, by vertex: it is `known` in the setting and holds its GPUs
/// there, or becomes one of its jobs and holds GPUs there that nobody does, usable ones first.
[[nodiscard]] SettledJob settle_on(Setting& setting, Job job, Constraints constraints,
                                   std::span<const ServerId> servers, std::optional<JobId> known);

/// A job that is nowhere yet, placed and held once the others have gone where they must go; it
/// waits where nothing fits.
[[nodiscard]] SettledJob settle(Setting& setting, Job job, Constraints constraints,
                                std::span<const SettledJob> beside,
                                const PlacementOptions& options);

/// Applies "fail=zone1/CTSW-3, drain=zone2/rack1, routing=e-ecmp" (docs/what-if.md) to a copy, one
/// after the other. `where` says whose text it is, for messages. Throws InputError with the first
/// mistake. O(changes · domains).
[[nodiscard]] Setting changed(const Setting& setting, std::string_view changes,
                              const std::string& where);

/// Whether changes of this kind are made to help: mended failures and jobs that end.
[[nodiscard]] constexpr bool is_to_help(std::string_view kind) {
  return kind == "failure" || kind == "job";
}

enum class Fate : std::uint8_t {
  Stays,
  Begins,   ///< it waited, and has room
  Moves,    ///< some or all of its ranks must leave their servers, and have where to go
  Stuck,    ///< failures have left some of its flows without a path
  Stopped,  ///< some of its ranks have no server left, or it goes on waiting
  Ended,
};

/// What an order costs per iteration.
struct OrderFigures {
  Seconds communication;
  Bytes cross_zone;
  std::string binding;  ///< the links that bind the slowest phase that leaves its servers, or empty
  std::string binding_phase;  ///< that phase
};

struct RankMove {
  std::size_t vertex;  ///< a server's worth of ranks
  ServerId from;
  ServerId to;
};

struct JobOutlook {
  Fate fate = Fate::Stays;
  std::vector<ServerId> servers;        ///< by vertex; where it runs, unless Stopped or Ended
  std::vector<RankMove> moves;          ///< of Moves
  std::optional<OrderFigures> figures;  ///< none: Stuck, Stopped or Ended
  std::vector<Blocker> blockers;        ///< of Stuck and Stopped
};

/// A job that loses servers or GPUs, and of which nobody knows what it sends.
struct MuteJob {
  std::string name;
  std::int64_t gpus = 0;  ///< that it holds
  bool is_hit = false;
};

struct Outlook {
  std::vector<JobOutlook> jobs;  ///< in their order
  std::vector<MuteJob> mute;     ///< those that are hit, by id
  /// What placing the job that was asked about anew would cost, or why it cannot be.
  std::optional<std::variant<OrderFigures, NoFit>> anew;
};

/// The texts that change one thing each: of all switches called so ("CTSW", each fails), of all
/// domains of a level ("rack", each is emptied), of every "server" (fails), "failure" (mended) or
/// "job" that holds GPUs (ends). Domains and servers that hold nothing of any job are left out, and
/// switches of domains that hold nothing of the jobs of `now`, what look() says of the setting:
/// what had to leave its servers counts where it went. Throws InputError where there is nothing of
/// that kind.
[[nodiscard]] std::vector<std::string> each_of(const Setting& setting, const Outlook& now,
                                               std::string_view kind, const std::string& where);

struct LookOptions {
  PlacementOptions placement;
  std::optional<std::size_t> anew;   ///< index of the job to be placed anew, too; none: nobody
  std::optional<std::size_t> asked;  ///< whose mistakes have their place in the job's file
};

/// How each job fares. Ranks whose server is down, emptied, cut off or has lost its GPUs go where
/// keep() takes them, job after job; jobs whose constraints keep() cannot hold, or that find no
/// room so, are placed anew. Every job is predicted beside all others. Throws InputError as
/// predict() does. O(jobs) pieces of a prediction, and what keep() and place() take for those that
/// move.
[[nodiscard]] Outlook look(const Setting& setting, std::span<const SettledJob> jobs,
                           const LookOptions& options);

struct SideBySide;

/// Looks at one setting, and then at others that differ from it: the same answers as look() gives,
/// in less time, since what a change does not reach is not predicted again. Borrows the jobs and
/// the setting's cluster. Any number of threads may ask at once.
class Lookout {
 public:
  /// Throws as look() does; so does when().
  Lookout(const Setting& now, std::span<const SettledJob> jobs, const LookOptions& options);
  Lookout(const Lookout&) = delete;
  Lookout& operator=(const Lookout&) = delete;
  ~Lookout();

  [[nodiscard]] const Outlook& now() const noexcept { return now_; }
  /// `changed` is a setting of the same cluster. Besides what links, servers and jobs there are,
  /// O(pieces of a prediction) of the jobs that something has changed for.
  [[nodiscard]] Outlook when(const Setting& changed, const LookOptions& options) const;

 private:
  std::span<const SettledJob> jobs_;
  Outlook now_;
  std::unique_ptr<const SideBySide> together_;
};

/// What a change does to all jobs together; below 0 what it spares them.
struct Harm {
  std::int64_t stopped_gpus = 0;      ///< of jobs that end Stuck or Stopped
  std::int64_t interrupted_gpus = 0;  ///< of jobs that must move, and of mute ones that are hit
  /// GPUs' worth of work that longer communication takes: of a job whose iteration of T becomes
  /// T + d, d / (T + d) of its GPUs.
  double lost_gpus = 0;
  friend auto operator<=>(const Harm&, const Harm&) = default;
};
[[nodiscard]] Harm harm_of(const Outlook& before, const Outlook& after,
                           std::span<const SettledJob> jobs);

/// Of an iteration of T, which becomes T + d: d / (T + d). Without T all of it is communication.
[[nodiscard]] double lost_share(Seconds before, Seconds after, std::optional<Seconds> iteration);

}  // namespace zonecut
