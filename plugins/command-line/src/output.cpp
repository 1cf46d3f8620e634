#include "output.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <optional>
#include <utility>

#include "zonecut/base/error.hpp"
#include "zonecut/base/threads.hpp"

namespace zonecut::cli {
namespace {

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  [[nodiscard]] int number() const { return number_; }
  /// False when what was written could not be kept, which some file systems say only here.
  [[nodiscard]] bool close() { return ::close(std::exchange(number_, -1)) == 0; }

 private:
  int number_;
};

/// False with errno set.
bool write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

[[noreturn]] void fail(const std::string& path, std::string_view action) {
  throw IoError(path, std::string(action) + ": " + std::strerror(errno));
}

void write_in_place(const std::string& path, std::string_view text) {
  Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY));
  if (file.number() < 0) fail(path, "cannot be opened for writing");
  if (!write_all(file.number(), text)) fail(path, "cannot be written");
}

/// Removes the temporary file unless it has become the target.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::filesystem::path& target)
      : path_(target.parent_path() /
              ("." + target.filename().string() + "." + std::to_string(::getpid()) + ".tmp")),
        file_(::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666)) {
    if (file_.number() < 0) fail(target.string(), "no file can be created beside it");
  }
  ~TemporaryFile() {
    if (!kept_) ::unlink(path_.c_str());
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  void fill(std::string_view text, std::optional<mode_t> mode) {
    if (!write_all(file_.number(), text)) fail(path_.string(), "cannot be written");
    if (mode && ::fchmod(file_.number(), *mode) != 0) fail(path_.string(), "cannot be written");
    if (::fsync(file_.number()) != 0 || !file_.close()) fail(path_.string(), "cannot be written");
  }
  void become(const std::filesystem::path& target) {
    if (::rename(path_.c_str(), target.c_str()) != 0) fail(target.string(), "cannot be replaced");
    kept_ = true;
  }

 private:
  std::filesystem::path path_;
  Descriptor file_;
  bool kept_ = false;
};

}  // namespace

void prepare_streams() {
  for (const int signal : {SIGPIPE, SIGXFSZ}) static_cast<void>(std::signal(signal, SIG_IGN));
  for (int descriptor = 0; descriptor <= 2; ++descriptor) {
    if (::fcntl(descriptor, F_GETFD) != -1) continue;
    // Opened the wrong way round on purpose: using it fails, as it would have on the closed one.
    // The lowest free number is the one that was closed.
    if (::open("/dev/null", descriptor == 0 ? O_WRONLY : O_RDONLY) < 0) ::_exit(4);
  }
}

void write_stdout(std::string_view text) {
  if (write_all(STDOUT_FILENO, text)) return;
  if (errno == EPIPE) throw ReaderGone{};
  fail("standard output", "cannot be written");
}

void write_stderr(std::string_view text) noexcept {
  static_cast<void>(write_all(STDERR_FILENO, text));
}

void write_output(const std::string& path, std::string_view text) {
  if (path == "-") return write_stdout(text);
  struct stat present{};
  const bool exists = ::stat(path.c_str(), &present) == 0;
  if (exists && S_ISDIR(present.st_mode)) throw IoError(path, "is a directory");
  if (exists && !S_ISREG(present.st_mode)) return write_in_place(path, text);
  // A link keeps pointing where it points: what it names is replaced.
  std::error_code error;
  const std::filesystem::path target =
      exists ? std::filesystem::canonical(path, error) : std::filesystem::absolute(path, error);
  if (error) throw IoError(path, error.message());
  // What ends a program waits while a half-written file exists.
  const SignalsHeld held{SIGINT, SIGTERM, SIGHUP, SIGQUIT};
  TemporaryFile file(target);
  file.fill(text, exists ? std::optional(present.st_mode & 07777) : std::nullopt);
  file.become(target);
}

void write_failure(const std::string& path, std::string_view text) {
  try {
    write_output(path, text);
  } catch (const ReaderGone&) {  // NOLINT(bugprone-empty-catch)
    // The exit code says it.
  }
}

}  // namespace zonecut::cli
