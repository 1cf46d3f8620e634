#pragma once
// The Authorization header: a bearer token, read again from its file as it rotates, or user name
// and password. May be used by many threads.
#include <chrono>
#include <mutex>
#include <string>

#include "api/kubeconfig.hpp"

namespace zonecut::kubernetes {

class Credentials {
 public:
  explicit Credentials(const ApiAccess& access);

  /// The header's value; empty where there are none. The token's file is read when it was not for
  /// some seconds; while it cannot be, the last token that could be stays. Throws IoError where
  /// none ever could.
  [[nodiscard]] std::string authorization();
  /// After a 401: lets the next authorization() read the file. False where there is none.
  [[nodiscard]] bool expire();

 private:
  void read_token_file();

  const std::string file_;
  std::mutex mutex_;
  std::string header_;
  bool is_expired_ = true;
  std::chrono::steady_clock::time_point read_at_;
};

}  // namespace zonecut::kubernetes
