#pragma once
// One connection of a client: request, answer, request, answer. All of it happens on the
// connections' thread but the making of an answer.
//
//   [handshake] -> wait (idle) -> head -> refusal? -> body -> answer (pool) -> write -> wait …
//                                            \-> write -> let go
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/thread_pool.hpp>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <unordered_set>

#include "server/exchange.hpp"
#include "server/http_server.hpp"
#include "server/tls_identity.hpp"

namespace zonecut::kubernetes {

class Connection;

/// What all connections share; used on their thread.
class ConnectionRoom {
 public:
  ConnectionRoom(const ServerOptions& options, const Exchange& exchange);

  [[nodiscard]] bool is_full() const { return connections_.size() >= most_connections_; }
  /// Ends the connection that has waited longest, one that never had a whole request if there is
  /// such a one. Does nothing where all are being answered.
  void end_longest_waiting();
  /// Whether `bytes` more of a body may be kept, for which the largest unfinished one may have to
  /// go; if that is the asking one, they may not.
  bool take(const Connection& asking, std::size_t bytes);
  void give_back(std::size_t bytes) { body_bytes_ -= bytes; }
  /// Whether one more answer may be made; finished() follows.
  bool start_answer();
  void finished() { --answers_; }
  void stop();
  [[nodiscard]] bool is_stopping() const { return stopping_; }

  boost::asio::io_context io{1};
  std::optional<boost::asio::thread_pool> pool;
  const ServerOptions& options;
  const Exchange& exchange;

 private:
  friend class Connection;
  std::unordered_set<Connection*> connections_;
  std::size_t most_connections_;
  std::size_t body_bytes_ = 0;
  std::size_t answers_ = 0;
  bool stopping_ = false;
};

class Connection {
 public:
  explicit Connection(ConnectionRoom& room);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  virtual ~Connection();
  /// Breaks it off. Not for one that is being answered.
  virtual void end() = 0;

  using Clock = std::chrono::steady_clock;
  /// A request has come whole and its answer is not written yet.
  bool is_answering = false;
  bool had_request = false;
  Clock::time_point waiting_since = Clock::now();
  std::size_t body_bytes = 0;

 protected:
  ConnectionRoom& room_;
};

/// Serves it until either side ends it; `context` null: no TLS.
void start_connection(ConnectionRoom& room, boost::asio::ip::tcp::socket socket,
                      std::shared_ptr<TlsIdentity::Context> context);

}  // namespace zonecut::kubernetes
