#pragma once
// One connection of a client: request, answer, request, answer. All of it happens on the
// connections' thread but the making of an answer, unless it is ready at once.
//
//   [handshake] -> wait (idle) -> head -> refusal? -> body -> answer (pool) -> write -> wait …
//                                            |          \-> at once --------------^
//                                            \-> write -> let go
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/thread_pool.hpp>
#include <chrono>
#include <cstddef>
#include <list>
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
  /// such a one. Does nothing where all are being answered. O(1): whoever connects again and again
  /// has it done each time.
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
  using Queue = std::list<Connection*>;
  std::unordered_set<Connection*> connections_;
  Queue fresh_;    // had no whole request yet, longest first
  Queue waiting_;  // for another request, longest first
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
  [[nodiscard]] bool is_answering() const { return queue_ == nullptr; }
  [[nodiscard]] bool had_request() const { return queue_ != &room_.fresh_; }
  std::size_t body_bytes = 0;

 protected:
  /// A request has come whole and its answer is not written yet: it cannot be ended.
  void begin_answer() { move_to(nullptr); }
  /// Last of those who wait for another request.
  void begin_wait() { move_to(&room_.waiting_); }
  ConnectionRoom& room_;

 private:
  friend class ConnectionRoom;
  void move_to(ConnectionRoom::Queue* queue);
  ConnectionRoom::Queue* queue_ = nullptr;
  ConnectionRoom::Queue::iterator place_;
};

/// Serves it until either side ends it; `context` null: no TLS.
void start_connection(ConnectionRoom& room, boost::asio::ip::tcp::socket socket,
                      std::shared_ptr<TlsIdentity::Context> context);

}  // namespace zonecut::kubernetes
