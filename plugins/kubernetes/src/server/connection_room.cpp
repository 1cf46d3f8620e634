#include <sys/resource.h>

#include <algorithm>

#include "server/connection.hpp"
#include "zonecut/base/threads.hpp"

namespace zonecut::kubernetes {
namespace {

/// Requests that may wait for a thread, for each thread there is.
constexpr std::size_t kQueuePerThread = 16;
constexpr std::size_t kBodiesAtOnce = 4;

std::size_t most_connections(const ServerOptions& options) {
  rlimit files{};
  if (getrlimit(RLIMIT_NOFILE, &files) != 0) return options.connections;
  return std::max<std::size_t>(std::min<std::size_t>(options.connections, files.rlim_cur / 4 * 3),
                               1);
}

}  // namespace

ConnectionRoom::ConnectionRoom(const ServerOptions& given_options, const Exchange& given_exchange)
    : options(given_options),
      exchange(given_exchange),
      most_connections_(most_connections(given_options)) {
  const SignalsHeld held;  // they are for the threads of whoever runs this
  pool.emplace(given_options.threads);
}

void ConnectionRoom::end_longest_waiting() {
  Queue& first = fresh_.empty() ? waiting_ : fresh_;
  if (first.empty()) return;
  Connection& longest = *first.front();
  longest.move_to(&waiting_);  // it goes when what it is at has been told
  longest.end();
}

bool ConnectionRoom::take(const Connection& asking, std::size_t bytes) {
  while (body_bytes_ + bytes > kBodiesAtOnce * options.body_limit) {
    const auto size = [&](const Connection* connection) {
      if (connection->is_answering()) return std::size_t{0};
      return connection->body_bytes + (connection == &asking ? bytes : 0);
    };
    const auto largest = std::max_element(
        connections_.begin(), connections_.end(),
        [&](const Connection* a, const Connection* b) { return size(a) < size(b); });
    if (*largest == &asking || size(*largest) == 0) return false;
    (*largest)->end();
  }
  body_bytes_ += bytes;
  return true;
}

bool ConnectionRoom::start_answer() {
  if (answers_ >= options.threads * (1 + kQueuePerThread)) return false;
  ++answers_;
  return true;
}

void ConnectionRoom::stop() {
  stopping_ = true;
  for (Connection* const connection : connections_) {
    if (!connection->is_answering()) connection->end();
  }
}

}  // namespace zonecut::kubernetes
