#pragma once
// Where everything meets: watches tell it what there is, kube-scheduler asks it where pods go, and
// whoever carries out what it wants done asks it from time to time. It answers from memory; the one
// thing it may wait for is the object that says how large a gang is. Every function may be called
// from any thread.
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "desk/assemble.hpp"
#include "desk/mirror.hpp"
#include "extender/wire.hpp"
#include "zonecut/scheduler/gang_book.hpp"
#include "zonecut/scheduler/gang_pacing.hpp"
#include "zonecut/scheduler/gang_passing.hpp"

namespace zonecut::kubernetes {

/// What an object of the API says of a gang's size.
struct FetchedShape {
  std::optional<GangShape> shape;
  std::string fault;  ///< why it could not be had; empty: it could, or says nothing
};

/// Asks the API server, for as long as `time` at most; called without any lock held.
using ShapeSource = std::function<FetchedShape(
    const SizeSource& source, const std::string& name_space, std::chrono::milliseconds time)>;

struct WantedShape {
  SizeSource source;
  std::string name_space;
};
/// Asks for many at once in the same way; none for what is better asked for by itself.
using ShapeList = std::function<std::vector<std::optional<FetchedShape>>(
    const std::vector<WantedShape>& wanted, std::chrono::milliseconds time)>;

/// Told of what happens to gangs, from within the desk's lock: must be quick and not call back.
struct DeskObserver {
  struct Planned {
    std::string gang;
    std::size_t members;
    int gpus;
    const Reservation& plan;
    const Cluster& cluster;
    double seconds;  ///< that planning took
    bool again;      ///< some of it had a plan before
  };
  std::function<void(const Planned&)> planned;
  std::function<void(const std::string& gang, const std::string& why, double seconds)> waits;
  std::function<void(const std::string& gang)> released;
  /// Once for each object and reason.
  std::function<void(const std::string& object, const std::string& why)> size_unknown;
  /// When it has changed.
  std::function<void(const Outlook&)> outlook;
  /// Once for each pod of no gang whose words have no effect.
  std::function<void(const std::string& pod, const std::string& why)> no_gang;
};

/// Something to be written to the API.
struct WakePod {
  std::shared_ptr<const KnownPod> pod;
  int failures = 0;  ///< how often it could not be written
};
struct OpenGate {
  std::shared_ptr<const KnownPod> pod;
  std::string hostname;  ///< of the label that the selector names; empty: the pod is of no gang,
                         ///< and its gate is lifted without a choice
  std::string server;
  std::uint32_t rank = 0;
};
struct TellPod {
  std::shared_ptr<const KnownPod> pod;
  std::string reason;
  std::string message;
  bool warning = false;
};
using Errand = std::variant<WakePod, OpenGate, TellPod>;

struct DeskOptions {
  BookOptions book;
  bool gates = false;
  std::shared_ptr<const Site> fixed_site;  ///< of a cluster file; null: from the nodes
  ImportOptions import;
};

/// Asked before both caches are there, or on a replica that does not lead.
class NotReady : public IoError {
 public:
  using IoError::IoError;
};

class Desk {
 public:
  /// `clock`: milliseconds since any one moment; it must never go back. `all_shapes` may be empty:
  /// then all are asked for one by one.
  Desk(DeskOptions options, ShapeSource shapes, DeskObserver observer,
       std::function<std::int64_t()> clock, ShapeList all_shapes = {});

  // What the watches tell.
  void replace_nodes(std::vector<Node> nodes);
  void node_changed(Node node);
  void node_gone(const std::string& name);
  void replace_pods(std::vector<Pod> pods);
  void pod_changed(Pod pod);
  void pod_gone(const std::string& uid);
  void lead(bool leads);

  /// Caches are there, gangs that run in part are planned, and this replica leads. Waits for
  /// nobody.
  [[nodiscard]] bool is_ready() const { return why_not_ready() == nullptr; }
  /// Null where it is.
  [[nodiscard]] const char* why_not_ready() const { return why_not_ready_; }

  // What kube-scheduler asks. Throw NotReady.
  [[nodiscard]] FilterAnswer filter(const CandidateRequest& request);
  [[nodiscard]] std::vector<std::int64_t> prioritize(const CandidateRequest& request);
  /// The candidates whose victims may go. None for a pod of a gang: nobody is evicted for a gang
  /// that only waits.
  [[nodiscard]] std::vector<PreemptCandidate> preempt(const PreemptRequest& request);

  /// What is to be done now. Call it some times a second.
  [[nodiscard]] std::vector<Errand> errands();
  /// Whether gangs were left for the next call of errands(), so that answers need not wait for all
  /// of them: it should follow soon.
  [[nodiscard]] bool is_behind() const;
  [[nodiscard]] GangBook::Counts counts() const;
  /// How many plans were tried so far.
  [[nodiscard]] std::uint64_t attempts() const;

 private:
  struct ShapeEntry {
    FetchedShape fetched;
    std::int64_t when = 0;
    std::string asked_for;  ///< the gang; it goes with it
    int failures = 0;       ///< how often it did not say it, or its pods did not agree, in a row
    std::string warned;     ///< the fault that was told last
  };
  /// A gang whose gates stay, since when so many of its members are not there.
  struct Incomplete {
    std::size_t absent = 0;
    std::int64_t since = 0;
  };
  using Lock = std::unique_lock<std::mutex>;

  [[nodiscard]] ClusterNow now() const;
  void require_ready(const Lock& lock) const;
  void note_readiness();
  void take_in();
  void tell_outlook();
  void forget_pod(const std::string& uid);
  void refresh_gang(const std::string& gang);
  [[nodiscard]] const GangShape* shape_for(const KnownPod& pod) const;
  [[nodiscard]] bool is_faulty(const std::string& gang) const;
  [[nodiscard]] bool lacks_shape(const KnownPod& pod) const;
  [[nodiscard]] KnownPods lacking_shapes(const KnownPods& pods, std::size_t most) const;
  using FetchedShapes = std::vector<std::optional<FetchedShape>>;
  void fetch_shapes(Lock& lock, const KnownPods& pods, std::size_t most);
  void fetch_all_shapes(Lock& lock, const KnownPods& pods);
  [[nodiscard]] FetchedShapes list_shapes(const KnownPods& lacking) const;
  void ask_for_rest(const KnownPods& lacking, FetchedShapes& fetched) const;
  void keep_shapes(const KnownPods& lacking, FetchedShapes fetched);
  void start_up(Lock& lock);
  void remember_refused();
  void begin_book();
  /// Plans by `ask` and tells the observer what became of it.
  template <class Ask>
  auto watched(const std::string& gang, const Ask& ask);
  void tell_replanned();
  void wake_refused(const std::string& gang);
  void wake_kept_off();
  void note_wait(const std::string& gang, double seconds);
  void tell_planned(const std::string& gang, const Reservation& plan, double seconds);
  /// An event for the pod, unless it was the last thing that it was told: whether it was not.
  bool tell(const std::shared_ptr<const KnownPod>& pod, TellPod text);
  void tell_no_gang(const std::shared_ptr<const KnownPod>& pod);
  [[nodiscard]] std::string planned_text(const Assembled& assembled, const Reservation& plan,
                                         std::size_t member) const;
  [[nodiscard]] FilterAnswer answer_gang(const CandidateRequest& request,
                                         const std::shared_ptr<const KnownPod>& pod);
  [[nodiscard]] FilterAnswer answer_plain(const CandidateRequest& request);
  [[nodiscard]] Offer offer_of(const CandidateRequest& request) const;
  void open_gates();
  [[nodiscard]] bool is_new(const std::string& gang) const;
  void open_gang(const std::string& gang, bool may_try);
  void tell_incomplete(const std::string& gang, const KnownPods& pods);

  const DeskOptions options_;
  const ShapeSource shapes_of_;
  const ShapeList all_shapes_;
  const DeskObserver observer_;
  const std::function<std::int64_t()> clock_;

  mutable std::mutex mutex_;
  Mirror mirror_;
  std::optional<Outlook> told_outlook_;
  GangBook book_;
  std::uint64_t attempts_before_ = 0;  // of books before this one
  std::map<std::string, Assembled> gangs_;
  std::map<std::string, ShapeEntry> shapes_;       // by path
  std::map<std::string, std::string> waits_told_;  // by gang
  std::map<std::string, Incomplete> incomplete_;   // by gang
  Notices notices_;                                // events, by uid
  Sleepers sleepers_;                              // uids that kube-scheduler holds back
  Gates gates_;                                    // by uid
  Passing passing_;                                // pods of no gang, by uid
  std::vector<Errand> errands_;
  bool has_nodes_ = false;
  bool has_pods_ = false;
  bool leads_ = true;
  bool started_ = false;
  bool is_behind_ = false;
  std::atomic<const char*> why_not_ready_;
};

namespace refusals {
// Constant texts: one that changes would wake the pod again and again.
inline constexpr const char* kWaits = "zonecut: the gang waits until all of it can be placed";
inline constexpr const char* kElsewhere = "zonecut: another node is planned for this rank";
inline constexpr const char* kReserved = "zonecut: its free GPUs are reserved for a gang";
inline constexpr const char* kGone = "zonecut: the pod was deleted";
inline constexpr const char* kFault = "zonecut: the gang cannot be planned; see the pod's events";

constexpr bool is_marked(std::string_view text) { return text.starts_with(kRefusalMark); }
static_assert(is_marked(kWaits) && is_marked(kElsewhere) && is_marked(kReserved) &&
              is_marked(kGone) && is_marked(kFault));
}  // namespace refusals

}  // namespace zonecut::kubernetes
