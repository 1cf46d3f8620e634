#pragma once
// Certificates for tests, made on the spot.
#include <openssl/x509.h>

#include <memory>
#include <string>

namespace zonecut::kubernetes::test {

struct FreeOpenSsl {
  void operator()(X509* certificate) const noexcept { X509_free(certificate); }
  void operator()(EVP_PKEY* key) const noexcept { EVP_PKEY_free(key); }
  void operator()(X509_STORE* store) const noexcept { X509_STORE_free(store); }
};

struct Identity {
  std::unique_ptr<X509, FreeOpenSsl> certificate;
  std::unique_ptr<EVP_PKEY, FreeOpenSsl> key;
  [[nodiscard]] std::string certificate_pem() const;
  [[nodiscard]] std::string key_pem() const;
};

/// An authority that signed itself.
[[nodiscard]] Identity make_authority(const std::string& name);

struct Wanted {
  std::string name;
  std::string alternative;  ///< as OpenSSL writes it: "IP:127.0.0.1"; may be empty
  long valid_until = 3600;  ///< in seconds from now
};
[[nodiscard]] Identity make_identity(const Identity& authority, const Wanted& wanted);

}  // namespace zonecut::kubernetes::test
