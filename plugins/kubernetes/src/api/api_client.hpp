#pragma once
// The API server as a client sees it: one request at a time over TLS, and watches. One client may
// be used by many threads; each request takes a connection of its own from a small pool. The
// process must ignore SIGPIPE, which a TLS connection raises that the server closed.
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "api/kubeconfig.hpp"

namespace zonecut::kubernetes {

struct ApiAnswer {
  int status = 0;
  nlohmann::json body;    ///< null where there is none
  std::size_t bytes = 0;  ///< of its text
  [[nodiscard]] bool is_success() const noexcept { return status >= 200 && status < 300; }
  /// The Status object's message, or the status number.
  [[nodiscard]] std::string message() const;
};

namespace api {
class Requests;
}

enum class PatchKind { Merge, StrategicMerge, Json };

/// How long a request may take.
struct RequestLimits {
  std::chrono::milliseconds time{5000};  ///< until the whole answer is there, connecting included
  /// Where the server asks for patience (429, or 503 with Retry-After) it has this much, in all;
  /// an answer that asks for more is returned.
  std::chrono::milliseconds patience{5000};
  const std::atomic<bool>* stop = nullptr;  ///< ends the request when set
};

/// What one watch of a collection says. Called from the watching thread; what a sink throws ends
/// the watch and comes out of it.
struct WatchSink {
  /// A list begins: the first, or one that had to be made again. What was listed since the last
  /// `replaced` counts no more.
  std::function<void()> listing;
  std::function<void(nlohmann::json)> listed;   ///< one object of it, as its page came
  std::function<void()> replaced;               ///< the list is whole: there is nothing else
  std::function<void(nlohmann::json)> changed;  ///< added or modified
  std::function<void(nlohmann::json)> deleted;
  /// The server says that all there was has been told: about every minute where nothing changes.
  std::function<void()> up_to_date;
  /// What went wrong and in how many milliseconds it is tried again; for logs and metrics.
  std::function<void(const std::string&, std::chrono::milliseconds)> failed;
};

class ApiClient {
 public:
  /// Throws InputError where a certificate or key of `access` cannot be read.
  explicit ApiClient(ApiAccess access);
  ApiClient(const ApiClient&) = delete;
  ApiClient& operator=(const ApiClient&) = delete;
  ~ApiClient();

  /// All throw IoError where no answer came within the time limit; an answer of any status is an
  /// answer. A 401 reads the token's file again and tries once more; 429 waits as told. Only a GET
  /// is sent again when a kept-alive connection breaks: a write that threw may have been done.
  /// Paths are of plain characters, a stranger's words in them percent-encoded; else InputError.
  [[nodiscard]] ApiAnswer get(const std::string& path, const RequestLimits& limits = {});
  [[nodiscard]] ApiAnswer post(const std::string& path, const nlohmann::json& body,
                               const RequestLimits& limits = {});
  [[nodiscard]] ApiAnswer put(const std::string& path, const nlohmann::json& body,
                              const RequestLimits& limits = {});
  [[nodiscard]] ApiAnswer patch(const std::string& path, PatchKind kind, const nlohmann::json& body,
                                const RequestLimits& limits = {});

  /// Hands the pages of a collection to `take`, each an array of objects or null, until it says
  /// false or there are no more; `limits` are those of each page. The last answer: of a page, or
  /// one that refuses it.
  [[nodiscard]] ApiAnswer list(const std::string& path,
                               const std::function<bool(const nlohmann::json&)>& take,
                               const RequestLimits& limits = {});

  /// Lists in pages, then watches with bookmarks from there, for ever: after the end of a watch it
  /// goes on from the last version, after a 410 it lists anew with jitter, after failures it waits
  /// longer each time (up to 30 s, with jitter). Returns within a fifth of a second after `stop` is
  /// set or shut() called.
  void watch(const std::string& path, const WatchSink& sink, const std::atomic<bool>& stop);
  /// Waits for `time`, or until soon after `stop` is set or shut() called.
  void pause(std::chrono::milliseconds time, const std::atomic<bool>& stop);
  /// Ends requests, watches and pauses under way; requests that follow throw IoError.
  void shut();
  [[nodiscard]] bool is_shut() const noexcept;

 private:
  std::unique_ptr<api::Requests> requests_;
};

}  // namespace zonecut::kubernetes
