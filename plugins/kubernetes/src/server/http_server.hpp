#pragma once
// The HTTP side of the extender: connections, TLS, limits, who may call, and which text answers
// which path. What the answers are is the handlers' matter. Each connection has a thread, of which
// there are so many that idle ones delay nobody.
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace zonecut::kubernetes {

struct ServerOptions {
  std::string host = "127.0.0.1";
  int port = 0;             ///< 0: any
  std::string certificate;  ///< PEM files; both or none
  std::string key;
  std::string client_ca;   ///< clients must have a certificate of it
  std::string token_file;  ///< clients must carry this bearer token; read again when it changes
  std::size_t body_limit = 64u << 20;
  std::size_t threads = 64;
  std::chrono::seconds read_timeout{5};
  std::chrono::seconds idle_timeout{1};
};

struct HttpAnswer {
  int status = 200;
  std::string body;
  std::string type = "application/json";
};

/// Throwing InputError answers 400, IoError 502, anything else 500, with {"Error": text}.
using PostHandler = std::function<HttpAnswer(const std::string& body)>;
using GetHandler = std::function<HttpAnswer()>;

/// Called after each request with the path's verb, the status and the seconds it took.
using RequestObserver = std::function<void(const std::string& verb, int status, double seconds)>;

class HttpServer {
 public:
  /// Refuses what is not safe: any host but loopback without TLS and client certificates or a
  /// token. Throws InputError, also on unreadable certificates.
  explicit HttpServer(ServerOptions options);
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;
  ~HttpServer();

  void on_post(const std::string& path, std::string verb, PostHandler handler);
  void on_get(const std::string& path, GetHandler handler);
  void observe(RequestObserver observer);

  /// Binds; the port that it got. Throws IoError where that is taken.
  int listen();
  /// Serves until stop(); call after listen().
  void run();
  /// From any thread or after a signal was seen; run() returns when requests under way are
  /// answered.
  void stop();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace zonecut::kubernetes
