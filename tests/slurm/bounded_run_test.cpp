#include "bounded_run.hpp"

#include <sched.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <thread>

#include "process_session.hpp"
#include "support/catch.hpp"

using namespace zonecut::slurm;
using std::chrono::milliseconds;

namespace {

/// No limit of address space: these tests may run under a sanitizer.
constexpr Bounds kBounds{milliseconds(20'000), 1 << 20, 64, 0};

RunResult shell(const std::string& script, const Bounds& bounds = kBounds) {
  return run_bounded({"/bin/sh", "-c", script}, bounds);
}

Bounds within(int milliseconds_) {
  Bounds bounds = kBounds;
  bounds.deadline = milliseconds(milliseconds_);
  return bounds;
}

std::string first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

/// Within five seconds. Orphans are reaped by whoever adopts them; until then they are zombies,
/// which run no more.
bool runs_no_more(pid_t process) {
  for (int i = 0; i < 500; ++i) {
    const std::string text = first_line("/proc/" + std::to_string(process) + "/stat");
    if (text.empty() || text.find(") Z ") != std::string::npos) return true;
    std::this_thread::sleep_for(milliseconds(10));
  }
  return false;
}

/// A process that traces the one whose number the file will hold.
pid_t trace_whom(const std::string& path) {
  const pid_t tracer = ::fork();
  if (tracer != 0) return tracer;
  while (first_line(path).empty()) std::this_thread::sleep_for(milliseconds(5));
  ::ptrace(PTRACE_SEIZE, static_cast<pid_t>(std::stol(first_line(path))), nullptr, nullptr);
  for (;;) ::pause();
}

/// For a shell: waits until it is traced, without a child, whose end would stop it then.
constexpr const char* kUntilTraced =
    "value=0; while [ $value = 0 ]; do while read -r key value; do "
    "[ $key = TracerPid: ] && break; done < /proc/$$/status; done; ";

}  // namespace

TEST_CASE("a program's output, message and exit code come back", "[slurm]") {
  const RunResult result = shell("echo out; echo first >&2; echo second >&2; exit 3");
  CHECK(result.ending == Ending::Exited);
  CHECK(result.code == 3);
  CHECK(result.output == "out\n");
  CHECK(result.message == "first");
  CHECK(what_went_wrong(result, kBounds) == "said: first");
  CHECK(what_went_wrong(shell("true"), kBounds).empty());
}

TEST_CASE("a program that never stops writing messages is ended in time", "[slurm]") {
  const auto begin = std::chrono::steady_clock::now();
  // A large pipe and several writers: there is always something to read.
  const RunResult result = shell(
      "python3 -c 'import fcntl; fcntl.fcntl(2, 1031, 1 << 20)'; "
      "for i in 1 2 3 4; do dd if=/dev/zero bs=1M >&2 & done; wait",
      within(300));
  CHECK(result.ending == Ending::TimedOut);
  CHECK(std::chrono::steady_clock::now() - begin < milliseconds(1500));
}

TEST_CASE("standard input is empty and no other descriptor is handed on", "[slurm]") {
  const int leaked = ::dup(1);
  const RunResult result = shell("cat; ls /proc/self/fd | wc -l");
  ::close(leaked);
  CHECK(result.output == "4\n");  // the three, and the folder that ls reads
}

TEST_CASE("signals a caller blocks or ignores reach the program as usual", "[slurm]") {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  const auto pipe_before = std::signal(SIGPIPE, SIG_IGN);
  const RunResult result = shell("grep -E 'Sig(Blk|Ign)' /proc/self/status");
  static_cast<void>(std::signal(SIGPIPE, pipe_before));
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  CHECK(result.output == "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n");
}

TEST_CASE("what passes a bound is ended", "[slurm]") {
  CHECK(shell("sleep 1000", within(50)).ending == Ending::TimedOut);
  CHECK(shell("exec >&- 2>&-; sleep 1000", within(50)).ending == Ending::TimedOut);
  CHECK(shell("yes").ending == Ending::TooLong);
  CHECK(shell("head -c 1048576 /dev/zero").ending == Ending::Exited);
  CHECK(shell("yes >&2 & sleep 0.1; kill $!; wait; exit 0").message == "y");
  const RunResult killed = shell("kill -KILL $$");
  CHECK(killed.ending == Ending::Killed);
  CHECK(killed.code == SIGKILL);
}

TEST_CASE("nobody waits while a signal that is blocked asks the caller to stop", "[slurm]") {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
    INFO(signal);
    sigset_t blocked, before;
    sigemptyset(&blocked);
    sigaddset(&blocked, signal);
    ::pthread_sigmask(SIG_BLOCK, &blocked, &before);
    // Also where the program has closed its streams.
    for (const std::string closed : {"", "exec >&- 2>&-; sleep 0.1; "}) {
      CAPTURE(closed);
      const auto begin = std::chrono::steady_clock::now();
      const RunResult result =
          shell(closed + "kill -" + std::to_string(signal) + " $PPID; exec sleep 1000");
      CHECK(std::chrono::steady_clock::now() - begin < milliseconds(10'000));
      CHECK(result.ending == Ending::Interrupted);
      CHECK(what_went_wrong(result, kBounds) == "was not waited for: a signal came");
      // It is left to the caller.
      int came = 0;
      CHECK(::sigwait(&blocked, &came) == 0);
      CHECK(came == signal);
    }
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }
}

TEST_CASE("address space has a limit", "[slurm]") {
  Bounds bounds = kBounds;
  bounds.memory_bytes = std::size_t{64} << 20;
  const RunResult result = run_bounded({"/usr/bin/head", "-c", "1", "/dev/zero"}, bounds);
  CHECK(result.ending == Ending::Exited);
  CHECK(run_bounded({"/bin/sh", "-c", "ulimit -v"}, bounds).output == "65536\n");
}

TEST_CASE("children die with the program that started them", "[slurm]") {
  const RunResult result = shell("sleep 1000 & echo $!; trap '' TERM; sleep 1000", within(300));
  CHECK(result.ending == Ending::TimedOut);
  const auto child = static_cast<pid_t>(std::stol(result.output));
  CHECK(runs_no_more(child));
}

TEST_CASE("what passes a bound is asked to end, and has half a second for it", "[slurm]") {
  const std::string path =
      std::filesystem::temp_directory_path() / ("zonecut-asked-" + std::to_string(::getpid()));
  const std::string wait = "sleep 1000 & wait";
  const std::string last = "trap 'sleep 0.1; echo done > " + path + "; exit' TERM; ";
  for (const std::string& script : {
           last + "echo; sleep 1000 & wait",
           "( " + last + "exec >&- 2>&-; sleep 1000 & wait ) & sleep 0.1; exec sleep 1000",
           "( " + last + "echo; sleep 1000 & wait ) & sleep 0.1; exit 0",
           // It may say so, and much.
           "trap 'echo ending; echo ending >&2; echo done > " + path + "; exit' TERM; " + wait,
           "trap 'head -c 1000000 /dev/zero; echo done > " + path + "; exit' TERM; " + wait,
       }) {
    CAPTURE(script);
    std::filesystem::remove(path);
    CHECK(shell(script, within(400)).ending == Ending::TimedOut);
    CHECK(first_line(path) == "done");
  }
  std::filesystem::remove(path);
}

TEST_CASE("what does not end when it is asked to is killed, SIGCHLD ignored or not", "[slurm]") {
  const auto before = std::signal(SIGCHLD, SIG_IGN);
  const RunResult result = shell(
      "sh -c 'trap \"\" TERM; exec sleep 1000' & echo $!; sleep 0.1; exec sleep 1000", within(400));
  static_cast<void>(std::signal(SIGCHLD, before));
  CHECK(result.ending == Ending::TimedOut);
  const auto child = static_cast<pid_t>(std::stol(result.output));
  CHECK(runs_no_more(child));
  static_cast<void>(::kill(child, SIGKILL));
}

TEST_CASE("what has a process group of its own is ended with the rest", "[slurm]") {
  for (const std::string trap : {"", "trap '' TERM; "}) {
    CAPTURE(trap);
    const RunResult result = run_bounded(
        {"/bin/bash", "-c", "set -m; " + trap + "sleep 1000 & echo $!; wait"}, within(400));
    CHECK(result.ending == Ending::TimedOut);
    const auto child = static_cast<pid_t>(std::stol(result.output));
    CHECK(runs_no_more(child));
  }
}

TEST_CASE("a program that is not there is said so", "[slurm]") {
  const RunResult missing = run_bounded({"/nowhere/zonecut"}, kBounds);
  CHECK(missing.ending == Ending::NotStarted);
  CHECK(missing.code == ENOENT);
  CHECK(what_went_wrong(missing, kBounds) == "cannot be run: No such file or directory");
  CHECK(run_bounded({"/tmp"}, kBounds).code == EACCES);
}

namespace {

/// What `work` returns in a process of a new namespace of processes, with the /proc of before; none
/// where no namespace can be made.
template <class Work>
std::optional<bool> in_another_namespace(const Work& work) {
  const pid_t maker = ::fork();
  if (maker == 0) {
    if (::unshare(CLONE_NEWUSER | CLONE_NEWPID) != 0) ::_exit(77);
    // Who is started now is in it.
    const pid_t inside = ::fork();
    if (inside == 0) ::_exit(work() ? 0 : 1);
    int status = 0;
    ::waitpid(inside, &status, 0);
    ::_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
  }
  int status = 0;
  REQUIRE(::waitpid(maker, &status, 0) == maker);
  REQUIRE(WIFEXITED(status));
  if (WEXITSTATUS(status) == 77) {
    WARN("no namespace can be made here");
    return std::nullopt;
  }
  return WEXITSTATUS(status) == 0;
}

}  // namespace

TEST_CASE("numbers of another namespace of processes are nobody's", "[slurm]") {
  const pid_t session = ::getsid(0);
  CHECK_FALSE(living_in_session(session).empty());
  CHECK(in_another_namespace([&] { return living_in_session(session).empty(); }).value_or(true));
}

TEST_CASE("a program has time to end also where nobody can be seen", "[slurm]") {
  const std::string path =
      std::filesystem::temp_directory_path() / ("zonecut-unseen-" + std::to_string(::getpid()));
  std::filesystem::remove(path);
  const std::string script =
      "trap 'sleep 0.1; echo done > " + path + "; exit' TERM; sleep 1000 & wait";
  const auto ended =
      in_another_namespace([&] { return shell(script, within(400)).ending == Ending::TimedOut; });
  if (!ended) return;
  CHECK(*ended);
  CHECK(first_line(path) == "done");
  std::filesystem::remove(path);
}

TEST_CASE("exit codes are lost, not waited for, where SIGCHLD is ignored", "[slurm]") {
  const auto before = std::signal(SIGCHLD, SIG_IGN);
  const RunResult result = shell("echo out");
  static_cast<void>(std::signal(SIGCHLD, before));
  CHECK(result.output == "out\n");
  CHECK(result.ending == Ending::Lost);
  CHECK(what_went_wrong(result, kBounds) ==
        "ended, but its exit code is lost: SIGCHLD is ignored here");
}

TEST_CASE("a program that outlives SIGKILL is abandoned", "[slurm]") {
  // A tracer that never waits keeps what it traces from being reaped by its parent.
  const std::string path =
      std::filesystem::temp_directory_path() / ("zonecut-traced-" + std::to_string(::getpid()));
  std::filesystem::remove(path);
  const pid_t tracer = trace_whom(path);
  const RunResult result = shell(
      "echo $$ > " + path + "; " + kUntilTraced + "echo traced; exec sleep 1000", within(2000));
  CHECK(result.ending == Ending::TimedOut);
  const bool traced = result.output == "traced\n";
  const auto child = static_cast<pid_t>(std::stol(first_line(path)));
  int status = 0;
  if (traced) CHECK(::waitpid(child, &status, WNOHANG) == 0);
  ::kill(tracer, SIGKILL);
  CHECK(::waitpid(tracer, &status, 0) == tracer);
  if (traced) CHECK(::waitpid(child, &status, 0) == child);
  std::filesystem::remove(path);
  if (!traced) WARN("this machine does not let processes be traced");
}
