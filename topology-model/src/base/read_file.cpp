#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <system_error>

#include "zonecut/base/document.hpp"

namespace zonecut {
namespace {

struct Close {
  void operator()(std::FILE* file) const noexcept {
    if (file != stdin) static_cast<void>(std::fclose(file));
  }
};

std::string reason(int error) { return std::generic_category().message(error); }

}  // namespace

std::string read_file(const std::string& path, std::size_t limit) {
  errno = 0;
  const std::unique_ptr<std::FILE, Close> file(path == "-" ? stdin
                                                           : std::fopen(path.c_str(), "rb"));
  if (!file) throw InputError(path, fmt::format("cannot be opened: {}", reason(errno)));

  std::string text;
  std::array<char, 1 << 16> chunk;
  while (const std::size_t got = std::fread(chunk.data(), 1, chunk.size(), file.get())) {
    if (got > limit - text.size())
      throw InputError(path, fmt::format("is larger than {} bytes", limit));
    text.append(chunk.data(), got);
  }
  if (std::ferror(file.get()) != 0)
    throw InputError(path, fmt::format("cannot be read: {}", reason(errno)));
  return text;
}

}  // namespace zonecut
