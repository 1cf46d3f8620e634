#pragma once
// Notices that a file was written or put in another's place, as the kubelet does with secrets.
#include <sys/stat.h>

#include <compare>
#include <cstdint>
#include <string>

namespace zonecut::kubernetes {

struct FileStamp {
  std::uint64_t inode = 0;
  std::int64_t size = -1;  ///< -1: there is none
  std::int64_t seconds = 0;
  std::int64_t nanoseconds = 0;
  friend bool operator==(const FileStamp&, const FileStamp&) = default;
};

[[nodiscard]] inline FileStamp stamp_of(const std::string& path) {
  struct stat status{};
  if (path.empty() || ::stat(path.c_str(), &status) != 0) return {};
  return {status.st_ino, status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec};
}

}  // namespace zonecut::kubernetes
