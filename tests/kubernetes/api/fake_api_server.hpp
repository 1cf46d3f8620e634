#pragma once
// A server on 127.0.0.1 that plays what a real API server cannot be made to do: each answer is
// given by a function of the test.
#include <httplib.h>

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "api/kubeconfig.hpp"
#include "certificates.hpp"

namespace zonecut::kubernetes::test {

/// Something that comes true once, on another thread.
class Signal {
 public:
  void set() {
    const std::lock_guard lock(mutex_);
    is_set_ = true;
    changed_.notify_all();
  }
  /// False where it does not come true within ten seconds.
  [[nodiscard]] bool wait() {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(10), [&] { return is_set_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_set_ = false;
};

class FakeApiServer {
 public:
  /// Takes every request; called from several threads.
  using Answer = std::function<void(const httplib::Request&, httplib::Response&)>;

  /// Without TLS.
  explicit FakeApiServer(Answer answer);
  /// With TLS; asks for certificates of `clients` unless it is null.
  FakeApiServer(const Identity& server, const X509* clients, Answer answer);
  FakeApiServer(const FakeApiServer&) = delete;
  FakeApiServer& operator=(const FakeApiServer&) = delete;
  ~FakeApiServer();

  /// How to reach it; trusts nobody yet.
  [[nodiscard]] ApiAccess access() const;
  /// A stop that ends answers which hang, see hang().
  void release();
  /// Keeps an answer waiting until release(), at most twenty seconds.
  void hang();

 private:
  void start(Answer answer);

  std::unique_ptr<httplib::Server> server_;
  bool tls_ = false;
  int port_ = 0;
  std::thread thread_;
  std::mutex mutex_;
  std::condition_variable released_;
  bool is_released_ = false;
};

/// Answers with JSON.
void say(httplib::Response& response, int status, const std::string& body);
/// Answers in chunks, then closes as HTTP wants it, or breaks off.
void say_chunks(httplib::Response& response, std::vector<std::string> chunks, bool is_whole);

}  // namespace zonecut::kubernetes::test
