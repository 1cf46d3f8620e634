#pragma once
// The token that clients must carry, from a file that is read again when it changes.
#include <string>
#include <string_view>

#include "server/file_stamp.hpp"

namespace zonecut::kubernetes {

/// Used by one thread.
class BearerToken {
 public:
  /// Throws InputError where the file cannot be read or holds nothing.
  explicit BearerToken(std::string path);

  /// Whether an Authorization header carries the token, in a time that does not tell how much of it
  /// was right. While a changed file cannot be read, the last token counts.
  [[nodiscard]] bool is_in(std::string_view authorization);

 private:
  void read_again();

  std::string path_;
  FileStamp stamp_;
  std::string token_;
};

}  // namespace zonecut::kubernetes
