#pragma once
// What the server shows its clients and asks of them over TLS: its certificate, and the authority
// that theirs must be of. The files are read again when they change.
#include <array>
#include <boost/asio/ssl/context.hpp>
#include <memory>
#include <string>

#include "server/file_stamp.hpp"

namespace zonecut::kubernetes {

/// Used by one thread.
class TlsIdentity {
 public:
  using Context = boost::asio::ssl::context;

  /// `client_ca` may be empty: no client is asked. Throws InputError on files that cannot be used.
  TlsIdentity(std::string certificate, std::string key, std::string client_ca);

  /// For the next connection. While changed files do not fit each other yet, what was read before.
  [[nodiscard]] std::shared_ptr<Context> context();

 private:
  using Stamps = std::array<FileStamp, 3>;
  [[nodiscard]] Stamps stamps() const;
  [[nodiscard]] std::shared_ptr<Context> load() const;

  std::string certificate_;
  std::string key_;
  std::string client_ca_;
  Stamps stamps_;
  std::shared_ptr<Context> context_;
};

/// Whether the client at the other end has shown a certificate that is of the authority.
[[nodiscard]] bool has_shown_certificate(SSL* connection);

}  // namespace zonecut::kubernetes
