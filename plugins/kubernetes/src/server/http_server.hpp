#pragma once
// The HTTP side of the extender: connections, TLS, limits, who may call, and which text answers
// which path. What the answers are is the handlers' matter. A connection costs no thread: only a
// request that has come whole gets one, so that idle and slow clients delay nobody.
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
  std::string certificate;  ///< PEM files; both or none; read again when they change
  std::string key;
  std::string client_ca;   ///< clients must have a certificate of it
  std::string token_file;  ///< clients must carry this bearer token; read again when it changes
  std::size_t body_limit = 64u << 20;    ///< unpacked; all that wait to be whole have 4 times this
  std::size_t threads = 64;              ///< handlers at once
  std::size_t connections = 16'384;      ///< at once; at most 3/4 of the files the process may open
  std::chrono::seconds read_timeout{5};  ///< from a request's first byte to its last; for an
                                         ///< answer too
  /// Longer than kube-scheduler keeps a connection (90 s), so that no request meets one that is
  /// just being closed.
  std::chrono::seconds idle_timeout{120};
};

struct HttpAnswer {
  int status = 200;
  std::string body;
  std::string type = "application/json";
  std::string allow = {};  ///< of a 405: the methods that the path takes
};

/// Called from many threads. Throwing InputError answers 400, IoError 502, anything else 500, with
/// {"Error": text}.
using PostHandler = std::function<HttpAnswer(const std::string& body)>;
using GetHandler = std::function<HttpAnswer()>;

/// Called from many threads after each request with the verb of its path ("other" where it has
/// none, or was refused before that was looked at), the status and the seconds since it had come
/// whole.
using RequestObserver = std::function<void(const std::string& verb, int status, double seconds)>;

enum class Access : std::uint8_t {
  Callers,  ///< who has the certificate and the token that the options ask for
  /// For a kubelet's probes, which have neither: answered on the connections' thread, however many
  /// requests wait. The handler must return at once and wait for nobody.
  Anyone,
};

class HttpServer {
 public:
  /// Refuses what is not safe: any host but loopback without TLS and one of client certificates
  /// and a token. Throws InputError, also on unreadable certificates.
  explicit HttpServer(ServerOptions options);
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;
  ~HttpServer();

  void on_post(const std::string& path, std::string verb, PostHandler handler);
  void on_get(const std::string& path, GetHandler handler, Access access = Access::Callers);
  void observe(RequestObserver observer);

  /// Binds; the port that it got. Throws IoError where that is taken.
  int listen();
  /// Serves until stop(); call after listen().
  void run();
  /// From any thread; run() returns when the requests that had come whole are answered.
  void stop();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace zonecut::kubernetes
