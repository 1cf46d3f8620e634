#include "output.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <list>
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

void write_to(int descriptor, const std::string& name, std::string_view text) {
  if (write_all(descriptor, text)) return;
  if (errno == EPIPE) throw ReaderGone{};
  fail(name, "cannot be written");
}

void write_in_place(const std::string& path, std::string_view text) {
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY));
  if (file.number() < 0) fail(path, "cannot be opened for writing");
  write_to(file.number(), path, text);
}

/// Removes the temporary file unless it has become the target.
class TemporaryFile {
 public:
  /// `number` tells those of one process in one folder apart. The name is short whatever the
  /// target's is, for names have a limit.
  TemporaryFile(std::filesystem::path target, std::size_t number)
      : target_(std::move(target)),
        path_(target_.parent_path() / fmt::format(".zonecut.{}.{}.tmp", ::getpid(), number)),
        file_(::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666)) {
    if (file_.number() < 0) fail(target_.string(), "no file can be created beside it");
  }
  ~TemporaryFile() {
    if (!kept_) ::unlink(path_.c_str());
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  void fill(std::string_view text, std::optional<mode_t> mode) {
    if (!write_all(file_.number(), text)) fail(target_.string(), "cannot be written");
    if (mode && ::fchmod(file_.number(), *mode) != 0) fail(target_.string(), "cannot be written");
    if (::fsync(file_.number()) != 0 || !file_.close()) fail(target_.string(), "cannot be written");
  }
  void become_target() {
    if (::rename(path_.c_str(), target_.c_str()) != 0) fail(target_.string(), "cannot be replaced");
    kept_ = true;
  }

 private:
  std::filesystem::path target_;
  std::filesystem::path path_;
  Descriptor file_;
  bool kept_ = false;
};

/// What a name leads to, through links whether or not there is anything at their end.
std::filesystem::path end_of_links(const std::string& path) {
  constexpr int kMostLinks = 40;  // as many as the kernel follows
  std::filesystem::path target = std::filesystem::absolute(path);
  std::error_code error;
  for (int link = 0; std::filesystem::is_symlink(target, error); ++link) {
    if (link == kMostLinks) throw IoError(path, "leads through too many links");
    target = target.parent_path() / std::filesystem::read_symlink(target);
  }
  return target;
}

/// A result on its way: a regular file's text waits beside its target, all else is yet to be
/// written.
class Staged {
 public:
  Staged(const Output& output, std::size_t number) : output_(output) {
    if (output.path == "-") return;
    struct stat present{};
    const bool exists = ::stat(output.path.c_str(), &present) == 0;
    if (exists && S_ISDIR(present.st_mode)) throw IoError(output.path, "is a directory");
    if (exists && !S_ISREG(present.st_mode)) return;
    // Its folder may allow that it is replaced all the same.
    if (exists && ::access(output.path.c_str(), W_OK) != 0) fail(output.path, "cannot be written");
    try {
      // A link keeps pointing where it points: what it names is replaced.
      file_.emplace(end_of_links(output.path), number);
    } catch (const std::filesystem::filesystem_error& error) {
      throw IoError(output.path, error.code().message());
    }
    file_->fill(output.text, exists ? std::optional(present.st_mode & 07777) : std::nullopt);
  }
  [[nodiscard]] bool is_file() const { return file_.has_value(); }
  void finish() {
    if (file_) return file_->become_target();
    if (output_.path == "-") return write_stdout(output_.text);
    write_in_place(output_.path, output_.text);
  }

 private:
  Output output_;
  std::optional<TemporaryFile> file_;
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

void write_stdout(std::string_view text) { write_to(STDOUT_FILENO, "standard output", text); }

void write_stderr(std::string_view text) noexcept {
  static_cast<void>(write_all(STDERR_FILENO, text));
}

void write_outputs(std::initializer_list<Output> outputs) {
  // What ends a program waits while a half-written file exists.
  const SignalsHeld held{SIGINT, SIGTERM, SIGHUP, SIGQUIT};
  std::list<Staged> staged;
  for (const Output& output : outputs) {
    if (!output.path.empty()) staged.emplace_back(output, staged.size());
  }
  for (const bool files : {true, false}) {
    for (Staged& result : staged) {
      if (result.is_file() == files) result.finish();
    }
  }
}

void write_output(const std::string& path, std::string_view text) { write_outputs({{path, text}}); }

void write_failure(const std::string& path, std::string_view text) {
  try {
    write_output(path, text);
  } catch (const ReaderGone&) {  // NOLINT(bugprone-empty-catch)
    // The exit code says it.
  }
}

}  // namespace zonecut::cli
