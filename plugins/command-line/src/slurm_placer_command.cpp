// zonecut slurm-placer: chooses the servers of jobs that wait in Slurm's queue and asked for it.
#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <memory>

#include "commands.hpp"
#include "number_checks.hpp"
#include "output.hpp"
#include "situation.hpp"
#include "slurm_placer.hpp"
#include "slurm_program.hpp"
#include "slurm_snapshot.hpp"
#include "slurm_view.hpp"
#include "solver_options.hpp"
#include "zonecut/base/error.hpp"
#include "zonecut/base/text_check.hpp"
#include "zonecut/base/threads.hpp"

namespace zonecut::cli {
namespace {

constexpr std::chrono::milliseconds kChangeDeadline{15'000};

struct PlacerCommand {
  std::string cluster;  ///< empty: Slurm's own topology
  KeeperOptions placer;
  std::string lock;     ///< empty: usual_lock()
  double interval = 1;  ///< seconds between two looks
  bool once = false;
  bool release = false;
  bool dry_run = false;
};

/// Lines may quote what users wrote.
void tell(const std::string& line) {
  write_stderr("zonecut slurm-placer: " + harmless(line) + "\n");
}

SlurmPlacer::Apply applying(const PlacerCommand& command) {
  if (command.dry_run) {
    return [](const SlurmChange& change) {
      write_stdout(fmt::format("change {}\n", fmt::join(change.words(), " ")));
      return SlurmAnswer{};
    };
  }
  return [](const SlurmChange& change) { return change_in_slurm(change.words(), kChangeDeadline); };
}

/// The same for the unit, whose folder it is, and for whoever runs a placer by hand.
std::string usual_lock() {
  const char* given = std::getenv("RUNTIME_DIRECTORY");
  const std::string folder = given != nullptr ? given : "/run/zonecut-slurm-placer";
  static_cast<void>(::mkdir(folder.c_str(), 0755));
  return folder + "/lock";
}

/// One placer on this host at a time: two would plan against each other, and what one takes back
/// the other would pin again. The kernel unlocks the file with the end of the process, however it
/// ends.
class OnlyPlacer {
 public:
  explicit OnlyPlacer(const std::string& path)
      : file_(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600)) {
    if (file_ < 0) throw IoError(path, std::string("cannot be opened: ") + std::strerror(errno));
    if (::flock(file_, LOCK_EX | LOCK_NB) == 0) return;
    ::close(file_);
    throw IoError(path, "is locked: another placer runs on this host");
  }
  OnlyPlacer(const OnlyPlacer&) = delete;
  OnlyPlacer& operator=(const OnlyPlacer&) = delete;
  ~OnlyPlacer() { ::close(file_); }

 private:
  int file_;
};

/// Waits for a signal that asks to stop. False where none came.
bool stopped_within(double seconds) {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&signals, signal);
  timespec time{static_cast<std::time_t>(seconds), 0};
  time.tv_nsec = static_cast<long>((seconds - static_cast<double>(time.tv_sec)) * 1e9);
  return ::sigtimedwait(&signals, nullptr, &time) > 0;
}

/// Looks at the queue again and again until it is told to stop.
class Watch {
 public:
  Watch(const PlacerCommand& command, const Cluster& cluster)
      : command_(command), placer_(cluster, command.placer, applying(command), tell) {}

  void run() {
    tell("watches the queue");
    while (!stopped_within(look())) {
    }
  }

  /// One look. Seconds until the next.
  double look() {
    constexpr double kLongestPause = 30, kBusyPause = 0.2;
    try {
      const std::int64_t since = snapshot_ ? snapshot_->changes : 0;
      if (auto changed = ask_slurm_changes(since)) snapshot_ = std::move(changed);
      if (!snapshot_) throw IoError("slurmctld", "tells nothing");
      snapshot_->time = std::max<std::int64_t>(snapshot_->time, std::time(nullptr));
      const bool more = placer_.round(*snapshot_);
      pause_ = more ? std::min(command_.interval, kBusyPause) : command_.interval;
    } catch (const IoError& error) {
      if (command_.once) throw;
      tell(error.what());
      snapshot_.reset();
      pause_ = std::min(kLongestPause, 2 * std::max(pause_, 0.5));
    }
    return pause_;
  }

 private:
  const PlacerCommand& command_;
  SlurmPlacer placer_;
  std::optional<SlurmSnapshot> snapshot_;
  double pause_ = 0;
};

void release(const PlacerCommand& command) {
  release_jobs(ask_slurm_changes(0).value_or(SlurmSnapshot{}), applying(command), tell);
  tell("has left every waiting job to Slurm");
}

ExitCode run(const PlacerCommand& command) {
  const SignalsHeld held({SIGINT, SIGTERM, SIGHUP});
  std::optional<OnlyPlacer> only;
  if (!command.dry_run) only.emplace(command.lock.empty() ? usual_lock() : command.lock);
  if (command.release) {
    release(command);
    return ExitCode::Done;
  }
  const Cluster cluster = command.cluster.empty() ? cluster_of(ask_slurm(std::nullopt), {}, false)
                                                  : read_cluster(read_named(command.cluster));
  Watch watch(command, cluster);
  if (command.once) {
    static_cast<void>(watch.look());
  } else {
    watch.run();
    release(command);
  }
  return ExitCode::Done;
}

}  // namespace

void add_slurm_placer_command(CLI::App& app, Session& session) {
  auto options = std::make_shared<PlacerCommand>();
  options->placer.queue.placement.mapping.effort = Effort::Fast;
  CLI::App& command = *app.add_subcommand(
      "slurm-placer",
      "Choose the servers of jobs in Slurm's queue that were submitted with "
      "--zonecut=place. Watches the queue until it is stopped. Run it as root or "
      "as SlurmUser.");
  command
      .add_option("--cluster", options->cluster,
                  "What stands where: a cluster file. Without it Slurm's own topology.")
      ->type_name("FILE");
  command.add_option("--interval", options->interval, "Seconds between two looks at the queue.")
      ->type_name("SECONDS")
      ->check(NumberBetween(0.01, 3600))
      ->capture_default_str();
  command
      .add_option("--unpin-after", options->placer.unpin_after,
                  "A job that Slurm does not start on free servers for so long is left to Slurm.")
      ->type_name("SECONDS")
      ->check(WholeNumber(1, 31'536'000))
      ->capture_default_str();
  command
      .add_option(
          "--patience", options->placer.queue.patience,
          "A job keeps servers it waits for while others would be free no more than so much "
          "sooner.")
      ->type_name("SECONDS")
      ->check(WholeNumber(0, 31'536'000))
      ->capture_default_str();
  command
      .add_option(
          "--lock", options->lock,
          "A file that one placer at a time locks; /run/zonecut-slurm-placer/lock unless given.")
      ->type_name("FILE");
  auto* once = command.add_flag("--once", options->once, "Look once, place, and end.");
  auto* release = command.add_flag("--release", options->release,
                                   "Take back every pin, leave all jobs to Slurm, and end.");
  once->excludes(release);
  command.add_flag("--dry-run", options->dry_run,
                   "Change nothing: print what would be changed, a line for each job.");
  add_solver_options(command, options->placer.queue.placement.mapping);
  command.footer("Example:\n  zonecut slurm-placer --cluster /etc/zonecut/cluster.yaml");
  command.callback(
      [options, &session] { session.run = [options](const Session&) { return run(*options); }; });
}

}  // namespace zonecut::cli
