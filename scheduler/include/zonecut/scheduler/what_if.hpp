#pragma once
// What-if questions: what if links fail or are repaired, servers are drained, jobs end, routing or
// capacities change? A Setting is the state of the cluster at one moment; changed() returns a
// changed copy of it; look() says how each job fares in a setting. The answer to a question is the
// difference between the looks before and after. A setting is a value: nothing else is changed.
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "zonecut/scheduler/engine.hpp"

namespace zonecut {

/// The state of the cluster at one moment. Borrows the cluster through its view.
struct Setting {
  ClusterView view;
  FabricSpec fabric;  ///< of the backend
  Routing routing;
  /// Drained for maintenance: jobs that run there must leave; sorted.
  std::vector<ServerId> emptied;
  std::vector<JobId> ended;  ///< jobs of the view that have ended; sorted

  /// The state as it is, with the cluster's own backend.
  Setting(ClusterView now, const Routing& routes)
      : view(std::move(now)), fabric(view.cluster->backend()), routing(routes) {}
};

/// A job of a setting, whose view says which GPUs it holds.
struct SettledJob {
  JobId id;
  Job job;
  Constraints constraints;
  RunningTraffic running;  ///< its name is unique among the jobs; without servers it waits
};

/// A job that runs in the view. Throws InputError where its servers are not as many as it needs.
[[nodiscard]] SettledJob settled(const ClusterView& view, const RunningJob& running, Job job,
                                 Constraints constraints);

/// A job that runs on these servers, by vertex. If `known`, it is that job of the setting's view
/// and holds its GPUs already. Else it is added to the view, where it takes GPUs of these servers
/// that nobody holds, usable ones first.
[[nodiscard]] SettledJob settle_on(Setting& setting, Job job, Constraints constraints,
                                   std::span<const ServerId> servers, std::optional<JobId> known);

/// A job that does not run yet: it is added to the view, placed after the jobs `beside` have moved
/// as far as they must, and takes its GPUs. Where nothing fits it waits. As long as look().
[[nodiscard]] SettledJob settle(Setting& setting, Job job, Constraints constraints,
                                std::span<const SettledJob> beside,
                                const PlacementOptions& options);

/// A copy of the setting with these changes made one after the other: "fail=zone1/CTSW-3,
/// drain=zone2/rack1, routing=e-ecmp" (docs/what-if.md). `where` names the source of the text in
/// messages. Throws InputError with the first mistake. O(changes · domains), and the time of
/// building a fabric where a link is named.
[[nodiscard]] Setting changed(const Setting& setting, std::string_view changes,
                              const std::string& where);

/// Whether changes of this kind of each_of() help the jobs that are left: repairs, and jobs that
/// end.
[[nodiscard]] constexpr bool is_to_help(std::string_view kind) {
  return kind == "failure" || kind == "job";
}

enum class Fate : std::uint8_t {
  Stays,    ///< runs where it ran
  Begins,   ///< it waited, and now there is room
  Moves,    ///< some or all of its ranks must leave their servers, and there is room elsewhere
  Stuck,    ///< it has servers, but failed links leave some of its flows without a path
  Stopped,  ///< there is no room for ranks that must leave, or still none for one that waits
  Ended,
};

/// What an order costs per iteration.
struct OrderFigures {
  Seconds communication;
  Bytes cross_zone;
  /// bundle_name() of the links that bind slowest_outside(), and that phase's name; empty where all
  /// wait for NVLink, the former also where that phase waits longer for receivers.
  std::string binding;
  std::string binding_phase;
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

/// A job that holds GPUs and whose traffic is unknown.
struct MuteJob {
  std::string name;
  std::int64_t gpus = 0;  ///< that it holds
  bool is_hit = false;    ///< it loses servers or GPUs
};

struct Outlook {
  std::vector<JobOutlook> jobs;  ///< in the order of the jobs
  std::vector<MuteJob> mute;     ///< only those that are hit, by id
  /// Of LookOptions::anew: what its best new placement would cost, or why there is none.
  std::optional<std::variant<OrderFigures, NoFit>> anew;
};

/// The changes of one kind, one text for each thing that can change:
///
///   a switch name ("CTSW")      each of these switches fails
///   a level ("rack")            each of its domains is drained
///   "server"                    each fails
///   "failure"                   each of the setting is repaired
///   "job"                       each that holds GPUs ends
///
/// Changes that reach no job are left out: of switches in domains where no job of `now` runs, and
/// of domains and servers where nobody holds GPUs or runs. `now` is look() of the setting, so that
/// jobs which must move count where they have gone. Throws InputError where the cluster has no such
/// kind.
[[nodiscard]] std::vector<std::string> each_of(const Setting& setting, const Outlook& now,
                                               std::string_view kind, const std::string& where);

struct LookOptions {
  PlacementOptions placement;
  std::optional<std::size_t> anew;   ///< index of a job that is placed anew, too (Outlook::anew)
  std::optional<std::size_t> asked;  ///< index of the job that was asked about: InputErrors about
                                     ///< other jobs name these, its own pass as they are
};

/// How each job fares in the setting. Jobs are taken one after the other: ranks whose server is
/// down, emptied, cut off or without their GPUs move as keep() moves them; a job whose constraints
/// keep() does not take, or for which it finds no room, is placed anew as a whole; then jobs that
/// wait are placed. Each job is predicted beside all others. Throws InputError as predict() does.
/// As long as a prediction for each job, and keep() or place() for each that moves or begins.
[[nodiscard]] Outlook look(const Setting& setting, std::span<const SettledJob> jobs,
                           const LookOptions& options);

struct SideBySide;

/// Looks at one setting, and then at others that differ from it in little. Gives the same answers
/// as look(), in less time: what a change does not reach is not predicted again. Borrows the jobs
/// and the setting's cluster. Any number of threads may call when() at once.
class Lookout {
 public:
  /// Throws as look() does; so does when().
  Lookout(const Setting& now, std::span<const SettledJob> jobs, const LookOptions& options);
  Lookout(const Lookout&) = delete;
  Lookout& operator=(const Lookout&) = delete;
  ~Lookout();

  [[nodiscard]] const Outlook& now() const noexcept { return now_; }
  /// `changed` is a setting of the same cluster. O(links + GPUs + jobs), and as long as a
  /// prediction for each job that the change reaches.
  [[nodiscard]] Outlook when(const Setting& changed, const LookOptions& options) const;

 private:
  std::span<const SettledJob> jobs_;
  Outlook now_;
  std::unique_ptr<const SideBySide> together_;
};

/// What a change costs all jobs together: figures after it less those before it, so that a figure
/// is negative where the change helps. In the order in which harms are compared.
struct Harm {
  std::int64_t stopped_gpus = 0;      ///< of jobs that are Stuck or Stopped
  std::int64_t interrupted_gpus = 0;  ///< of jobs that must move, and of mute ones that are hit
  /// GPUs' worth of work lost to longer communication: the sum of GPUs times lost_share().
  double lost_gpus = 0;
  friend auto operator<=>(const Harm&, const Harm&) = default;
};
[[nodiscard]] Harm harm_of(const Outlook& before, const Outlook& after,
                           std::span<const SettledJob> jobs);

/// The share of a job's work that is lost when its communication takes `after` an iteration instead
/// of `before`: d / (T + d), where d is the difference and T = `iteration`, but at least `before`.
/// Negative where communication gets shorter.
[[nodiscard]] double lost_share(Seconds before, Seconds after, std::optional<Seconds> iteration);

}  // namespace zonecut
