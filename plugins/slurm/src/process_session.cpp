#include "process_session.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <string>

namespace zonecut::slurm {
namespace {

struct CloseFolder {
  void operator()(DIR* folder) const { ::closedir(folder); }
};

/// "number (name) state parent group session …", where the name may hold anything.
std::optional<SessionProcess> living(const char* number, pid_t session) {
  const std::string path = std::string("/proc/") + number + "/stat";
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return std::nullopt;
  std::array<char, 256> text{};
  const ssize_t got = ::read(file, text.data(), text.size() - 1);
  ::close(file);
  const char* const after = got > 0 ? std::strrchr(text.data(), ')') : nullptr;
  char state = 0;
  int parent = 0, group = 0, found = 0;
  if (after == nullptr ||
      std::sscanf(after, ") %c %d %d %d", &state, &parent, &group, &found) != 4 ||
      found != session || state == 'Z' || state == 'X')
    return std::nullopt;
  return SessionProcess{static_cast<pid_t>(std::atoi(number)), group};
}

/// Whether /proc numbers processes as this one does. In a namespace of processes it may be that of
/// another, whose numbers are other processes' here.
bool is_ours() {
  std::array<char, 16> self{};
  return ::readlink("/proc/self", self.data(), self.size() - 1) > 0 &&
         std::atoi(self.data()) == ::getpid();
}

}  // namespace

std::vector<SessionProcess> living_in_session(pid_t session) {
  std::vector<SessionProcess> processes;
  if (!is_ours()) return processes;
  const std::unique_ptr<DIR, CloseFolder> folder(::opendir("/proc"));
  if (!folder) return processes;
  while (const dirent* const entry = ::readdir(folder.get())) {
    if (std::isdigit(static_cast<unsigned char>(entry->d_name[0])) == 0) continue;
    if (const auto process = living(entry->d_name, session)) processes.push_back(*process);
  }
  return processes;
}

}  // namespace zonecut::slurm
