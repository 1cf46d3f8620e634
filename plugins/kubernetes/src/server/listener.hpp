#pragma once
// The connections of the server: one thread moves the bytes of all of them, a pool of others makes
// the answers. What a client can hold up is a connection, never a thread. Where there are too many
// connections, the one that has waited longest without a whole request makes room; where unfinished
// bodies take too much memory, the largest does. So many slow clients cost each other their places,
// not those who send at once.
#include <memory>

#include "server/exchange.hpp"
#include "server/http_server.hpp"
#include "server/tls_identity.hpp"

namespace zonecut::kubernetes {

class Listener {
 public:
  /// `identity` null: no TLS. Both outlive it.
  Listener(const ServerOptions& options, const Exchange& exchange, TlsIdentity* identity);
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;
  ~Listener();

  int bind();
  void run();
  void stop();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace zonecut::kubernetes
