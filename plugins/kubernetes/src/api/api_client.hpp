#pragma once
// The API server as a client sees it: one request at a time over TLS, and watches. One client may
// be used by many threads; each request takes a connection of its own from a small pool.
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "api/kubeconfig.hpp"

namespace zonecut::kubernetes {

struct ApiAnswer {
  int status = 0;
  nlohmann::json body;  ///< null where there is none
  [[nodiscard]] bool is_success() const noexcept { return status >= 200 && status < 300; }
  /// The Status object's message, or the status number.
  [[nodiscard]] std::string message() const;
};

enum class PatchKind { Merge, StrategicMerge, Json };

/// What one watch of a collection says. Called from the watching thread.
struct WatchSink {
  /// All objects there are: after the first list, and after each one that had to be made again.
  std::function<void(std::vector<nlohmann::json>)> replaced;
  std::function<void(nlohmann::json)> changed;  ///< added or modified
  std::function<void(nlohmann::json)> deleted;
  /// What went wrong and in how many milliseconds it is tried again; for logs and metrics.
  std::function<void(const std::string&, std::chrono::milliseconds)> failed;
};

class ApiClient {
 public:
  explicit ApiClient(ApiAccess access);
  ApiClient(const ApiClient&) = delete;
  ApiClient& operator=(const ApiClient&) = delete;
  ~ApiClient();

  /// All throw IoError where no answer came within the time limit (default 5 s); an answer of any
  /// status is an answer. A 401 reads the credentials again and tries once more; 429 waits as told.
  [[nodiscard]] ApiAnswer get(const std::string& path);
  [[nodiscard]] ApiAnswer post(const std::string& path, const nlohmann::json& body);
  [[nodiscard]] ApiAnswer put(const std::string& path, const nlohmann::json& body);
  [[nodiscard]] ApiAnswer patch(const std::string& path, PatchKind kind,
                                const nlohmann::json& body);

  /// Lists in pages, then watches with bookmarks from there, for ever: after the end of a watch it
  /// goes on from the last version, after a 410 it lists anew with jitter, after failures it waits
  /// longer each time (up to 30 s, with jitter). Returns soon after `stop` is set and wake()
  /// called.
  void watch(const std::string& path, const WatchSink& sink, const std::atomic<bool>& stop);
  /// Ends requests under way; those that follow fail.
  void shut();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace zonecut::kubernetes
