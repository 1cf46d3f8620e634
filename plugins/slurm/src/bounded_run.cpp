#include "bounded_run.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <optional>
#include <utility>

#include "interrupted.hpp"
#include "process_session.hpp"

namespace zonecut::slurm {
namespace {

using Clock = std::chrono::steady_clock;

/// A file descriptor that is closed with its owner.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { close(); }
  [[nodiscard]] int number() const { return number_; }
  void close() {
    if (number_ >= 0) ::close(std::exchange(number_, -1));
  }

 private:
  int number_;
};

struct Pipe {
  Descriptor read, write;
};

std::optional<Pipe> open_pipe(int flags = 0) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC | flags) != 0) return std::nullopt;
  return Pipe{Descriptor(ends[0]), Descriptor(ends[1])};
}

void limit(__rlimit_resource resource, rlim_t most) {
  const rlimit both{most, most};
  static_cast<void>(::setrlimit(resource, &both));
}

/// What the child needs, made before the fork: after it only async-signal-safe calls are allowed.
struct Launch {
  std::vector<char*> words;
  int output = -1;
  int message = -1;
  int failure = -1;  ///< takes errno when the program cannot be executed
  pid_t parent = 0;
  rlim_t cpu_seconds = 0;
  rlim_t memory = 0;
};

/// The child: its own session, no descriptors but the three, default signals, limits.
[[noreturn]] void become(const Launch& launch) {
  ::setsid();
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != launch.parent) ::_exit(127);
  for (int signal = 1; signal < NSIG; ++signal) static_cast<void>(::signal(signal, SIG_DFL));
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_CPU, launch.cpu_seconds);
  if (launch.memory > 0) limit(RLIMIT_AS, launch.memory);
  // Out of the way of 0 to 2 first: a caller without standard streams has pipes there.
  const int output = ::fcntl(launch.output, F_DUPFD_CLOEXEC, 3);
  const int message = ::fcntl(launch.message, F_DUPFD_CLOEXEC, 3);
  const int failure = ::fcntl(launch.failure, F_DUPFD_CLOEXEC, 3);
  const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (nothing >= 0 && ::dup2(output, 1) >= 0 && ::dup2(message, 2) >= 0) {
    // One that is 0 already keeps its close-on-exec flag under dup2.
    if (nothing != 0) ::dup2(nothing, 0);
    if (nothing == 0) ::fcntl(0, F_SETFD, 0);
    ::close_range(3, ~0U, CLOSE_RANGE_CLOEXEC);
    ::execv(launch.words[0], launch.words.data());
  }
  const int reason = errno;
  static_cast<void>(!::write(failure, &reason, sizeof reason));
  ::_exit(127);
}

enum class Read { More, End, Full };

/// Appends what can be read now, up to `most` bytes in all; the rest is thrown away, which is Full.
Read take(int descriptor, std::string& text, std::size_t most) {
  std::array<char, 65536> buffer;
  const ssize_t got = ::read(descriptor, buffer.data(), buffer.size());
  if (got < 0) return errno == EINTR || errno == EAGAIN ? Read::More : Read::End;
  if (got == 0) return Read::End;
  const auto bytes = static_cast<std::size_t>(got);
  const std::size_t room = most - text.size();
  text.append(buffer.data(), std::min(bytes, room));
  return bytes > room ? Read::Full : Read::More;
}

enum class Child {
  Runs,
  Ended,  ///< and can be reaped: until then its number is no other's
  Gone,   ///< reaped by others, as where SIGCHLD is ignored: its number may be another's
};

Child state_of(pid_t child) {
  siginfo_t information{};
  while (::waitid(P_PID, static_cast<id_t>(child), &information, WEXITED | WNOHANG | WNOWAIT) !=
         0) {
    if (errno != EINTR) return Child::Gone;
  }
  return information.si_pid == 0 ? Child::Runs : Child::Ended;
}

/// Waits for its end, until then at the latest, or until `stops` says so.
Child wait_for(pid_t child, Clock::time_point until, bool (*stops)()) {
  Child state = state_of(child);
  while (state == Child::Runs && Clock::now() < until && !stops()) {
    ::usleep(500);
    state = state_of(child);
  }
  return state;
}

class Run {
 public:
  Run(pid_t child, const Bounds& bounds, Descriptor output, Descriptor message)
      : child_(child), bounds_(bounds), output_(std::move(output)), message_(std::move(message)) {}

  /// Reads both streams until they end or a bound is passed.
  void listen() {
    std::array<pollfd, 2> streams{{{output_.number(), POLLIN, 0}, {message_.number(), POLLIN, 0}}};
    while (streams[0].fd >= 0 || streams[1].fd >= 0) {
      // Not only where there is nothing to read: a flood of messages has no end.
      const int rest = left();
      if (rest == 0) return end(Ending::TimedOut);
      if (is_interrupted()) return end(Ending::Interrupted);
      const int ready = ::poll(streams.data(), streams.size(), std::min(rest, kLook));
      if (ready < 0 && errno == EINTR) continue;
      if (ready < 0) return end(Ending::TimedOut);
      if (streams[0].revents != 0) {
        const Read read = take(streams[0].fd, result_.output, bounds_.output_bytes);
        if (read == Read::Full) return end(Ending::TooLong);
        if (read == Read::End) streams[0].fd = -1;
      }
      if (streams[1].revents != 0 &&
          take(streams[1].fd, result_.message, bounds_.message_bytes) == Read::End) {
        streams[1].fd = -1;
      }
    }
  }

  /// Waits for the end, ends what is left of the session, and says how it went.
  RunResult finish() {
    Child state = wait_for(child_, ended_ ? Clock::now() : until_, is_interrupted);
    if (!ended_ && state == Child::Runs)
      end(is_interrupted() ? Ending::Interrupted : Ending::TimedOut);
    if (!ended_ && state == Child::Gone) end(Ending::Lost);
    if (ended_ && state != Child::Gone) state = ask_to_end();
    if (state != Child::Gone) {
      ::kill(-child_, SIGKILL);
      ::kill(child_, SIGKILL);
    }
    // A child that a broken file system or a tracer holds outlives SIGKILL, and is abandoned.
    if (state == Child::Runs) state = wait_for(child_, Clock::now() + kDying, [] { return false; });
    if (state == Child::Ended) reap();
    result_.message.resize(std::min(result_.message.size(), result_.message.find('\n')));
    return std::move(result_);
  }

 private:
  static constexpr int kLook = 20;  ///< milliseconds from one look for signals to the next
  static constexpr std::chrono::milliseconds kGrace{500};  ///< for what is asked to end
  static constexpr std::chrono::milliseconds kDying{100};  ///< for a killed child to be gone

  void end(Ending ending) {
    result_.ending = ending;
    ended_ = true;
  }
  /// Programs of Slurm's give back what they hold when they are asked to end. Killed, a salloc
  /// leaves its job, and the command in it, which has a process group of its own.
  Child ask_to_end() {
    const auto until = Clock::now() + kGrace;
    ::kill(-child_, SIGTERM);
    std::vector<SessionProcess> left = living_in_session(child_);
    for (const SessionProcess& process : left) {
      if (process.group != child_) ::kill(process.number, SIGTERM);
    }
    // Without a /proc to see others by, for the child at least.
    while ((!left.empty() || state_of(child_) == Child::Runs) && Clock::now() < until) {
      throw_away(std::chrono::milliseconds(5));
      left = living_in_session(child_);
    }
    // Of its own group, too: nobody kills that where the child has been reaped by others.
    for (const SessionProcess& process : left) ::kill(process.number, SIGKILL);
    return state_of(child_);
  }
  /// For so long, what is written: who is asked to end may say so first, and would be killed by a
  /// pipe that is closed, or wait for one that is full.
  void throw_away(std::chrono::milliseconds time) {
    const auto until = Clock::now() + time;
    std::string nothing;
    do {
      std::array<pollfd, 2> streams{
          {{output_.number(), POLLIN, 0}, {message_.number(), POLLIN, 0}}};
      static_cast<void>(::poll(streams.data(), streams.size(), static_cast<int>(time.count())));
      if (streams[0].revents != 0 && take(streams[0].fd, nothing, 0) == Read::End) output_.close();
      if (streams[1].revents != 0 && take(streams[1].fd, nothing, 0) == Read::End) message_.close();
    } while (Clock::now() < until);
  }
  void reap() {
    int status = 0;
    if (::waitpid(child_, &status, WNOHANG) != child_ || ended_) return;
    result_.code = WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status);
    end(WIFEXITED(status) ? Ending::Exited : Ending::Killed);
  }
  /// Milliseconds to the deadline, 0 when it has passed.
  [[nodiscard]] int left() const {
    const auto rest = std::chrono::ceil<std::chrono::milliseconds>(until_ - Clock::now());
    return static_cast<int>(std::max<std::int64_t>(0, rest.count()));
  }

  pid_t child_;
  const Bounds& bounds_;
  Descriptor output_, message_;
  Clock::time_point until_ = Clock::now() + bounds_.deadline;
  RunResult result_;
  bool ended_ = false;  ///< and `result_` says how
};

RunResult not_started(int reason) { return {Ending::NotStarted, reason, {}, {}}; }

}  // namespace

RunResult run_bounded(const std::vector<std::string>& words, const Bounds& bounds) {
  std::optional<Pipe> output = open_pipe();
  std::optional<Pipe> message = open_pipe();
  std::optional<Pipe> failure = open_pipe(O_NONBLOCK);
  if (!output || !message || !failure) return not_started(errno);
  Launch launch;
  for (const std::string& word : words) launch.words.push_back(const_cast<char*>(word.c_str()));
  launch.words.push_back(nullptr);
  launch.output = output->write.number();
  launch.message = message->write.number();
  launch.failure = failure->write.number();
  launch.parent = ::getpid();
  launch.cpu_seconds = static_cast<rlim_t>(bounds.deadline.count() / 1000 + 2);
  launch.memory = bounds.memory_bytes;
  const pid_t child = ::fork();
  if (child < 0) return not_started(errno);
  if (child == 0) become(launch);
  Run run(child, bounds, std::move(output->read), std::move(message->read));
  output->write.close();
  message->write.close();
  failure->write.close();
  run.listen();
  RunResult result = run.finish();
  int reason = 0;
  if (::read(failure->read.number(), &reason, sizeof reason) == sizeof reason)
    return not_started(reason);
  return result;
}

std::string what_went_wrong(const RunResult& result, const Bounds& bounds) {
  switch (result.ending) {
    case Ending::Exited:
      if (result.code == 0) return {};
      return result.message.empty() ? "ended with exit code " + std::to_string(result.code)
                                    : "said: " + result.message;
    case Ending::Killed:
      return "was ended by signal " + std::to_string(result.code);
    case Ending::TimedOut:
      return "did not answer within " + std::to_string(bounds.deadline.count()) + " ms";
    case Ending::Interrupted:
      return "was not waited for: a signal came";
    case Ending::TooLong:
      return "wrote more than " + std::to_string(bounds.output_bytes) + " bytes";
    case Ending::Lost:
      return "ended, but its exit code is lost: SIGCHLD is ignored here";
    case Ending::NotStarted:
      return std::string("cannot be run: ") + std::strerror(result.code);
  }
  return "failed";
}

}  // namespace zonecut::slurm
