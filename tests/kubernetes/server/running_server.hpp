#pragma once
// A server on a port of 127.0.0.1 that some test talks to, and plain sockets to talk by.
#include <cstdint>
#include <string>
#include <string_view>
#include <thread>

#include "server/http_server.hpp"

namespace zonecut::kubernetes {

/// Serves POST /v1/echo (what came), POST /v1/length (its length), GET /healthz (for anyone) and
/// GET /metrics, until it goes out of scope.
class RunningServer {
 public:
  explicit RunningServer(ServerOptions options = {});
  RunningServer(const RunningServer&) = delete;
  RunningServer& operator=(const RunningServer&) = delete;
  ~RunningServer();

  [[nodiscard]] int port() const { return port_; }
  HttpServer& server() { return server_; }
  /// Starts to serve; after further paths were added.
  RunningServer& run();

 private:
  HttpServer server_;
  int port_ = 0;
  std::thread thread_;
};

class Socket {
 public:
  explicit Socket(int port);
  Socket(Socket&& other) noexcept : descriptor_(other.descriptor_) { other.descriptor_ = -1; }
  Socket& operator=(Socket&&) = delete;
  ~Socket();

  /// Whether it was taken.
  bool send(std::string_view text) const;
  /// Until the server ends the connection, or nothing came for 10 s.
  [[nodiscard]] std::string read_to_end() const;
  /// One answer with Content-Length; what follows is lost.
  [[nodiscard]] std::string read_answer() const;
  [[nodiscard]] bool is_open() const;

 private:
  int descriptor_;
};

/// Everything the server says to this text, sent at once, up to the end of the connection.
[[nodiscard]] std::string said_to(int port, std::string_view text);

[[nodiscard]] std::string post_text(const std::string& path, const std::string& body,
                                    const std::string& more_headers = "");

}  // namespace zonecut::kubernetes
