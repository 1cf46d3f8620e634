#pragma once
// Whom a client trusts and who it is itself, as OpenSSL wants it. Read once from PEM text, so that
// no key touches the disk; then applied to the context of every connection. Immutable.
#include <openssl/ssl.h>

#include <memory>
#include <string>
#include <vector>

#include "api/kubeconfig.hpp"

namespace zonecut::kubernetes {

class ClientIdentity {
 public:
  /// Throws InputError where a PEM text holds no certificate or key, or the two do not match.
  explicit ClientIdentity(const ApiAccess& access);

  /// The server must prove, in the handshake, that it is `server_name` by a certificate of the
  /// given authority alone. Why it could not is written to `failure`, which must outlive the
  /// context.
  void apply(SSL_CTX& context, std::string& failure) const;

 private:
  template <auto Free>
  struct Release {
    template <class T>
    void operator()(T* object) const noexcept {
      Free(object);
    }
  };
  using Certificate = std::unique_ptr<X509, Release<X509_free>>;

  std::string name_;
  bool name_is_address_ = false;
  bool verify_ = true;
  std::unique_ptr<X509_STORE, Release<X509_STORE_free>> trusted_;
  std::vector<Certificate> chain_;  ///< ours, then those that lead from it to its authority
  std::unique_ptr<EVP_PKEY, Release<EVP_PKEY_free>> key_;

  static std::vector<Certificate> read_certificates(const std::string& pem, const char* what);
};

}  // namespace zonecut::kubernetes
