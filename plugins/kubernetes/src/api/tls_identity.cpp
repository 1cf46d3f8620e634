#include "api/tls_identity.hpp"

#include <arpa/inet.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <array>

#include "zonecut/base/error.hpp"

namespace zonecut::kubernetes {
namespace {

struct FreeBio {
  void operator()(BIO* bio) const noexcept { BIO_free(bio); }
};

std::unique_ptr<BIO, FreeBio> memory(const std::string& text) {
  std::unique_ptr<BIO, FreeBio> bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
  ZONECUT_ENSURES(bio != nullptr);
  return bio;
}

bool is_address(const std::string& name) {
  std::array<unsigned char, sizeof(in6_addr)> bytes{};
  return inet_pton(AF_INET, name.c_str(), bytes.data()) == 1 ||
         inet_pton(AF_INET6, name.c_str(), bytes.data()) == 1;
}

/// A key that asks for a passphrase has nobody to answer.
int no_passphrase(char*, int, int, void*) { return -1; }

/// Called in the handshake, on the connecting thread.
int note_failure(int is_good, X509_STORE_CTX* store) {
  if (is_good == 1) return 1;
  const auto* ssl = static_cast<const SSL*>(
      X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx()));
  auto* failure = static_cast<std::string*>(SSL_CTX_get_app_data(SSL_get_SSL_CTX(ssl)));
  *failure = X509_verify_cert_error_string(X509_STORE_CTX_get_error(store));
  return 0;
}

/// httplib names the host it connects to in the handshake, an address too. This runs after that
/// and before the first byte is sent: the name that the certificate must have, or none.
template <bool kNamed>
void name_server(const SSL* ssl, int where, int) {
  if ((where & SSL_CB_HANDSHAKE_START) == 0) return;
  const char* name =
      kNamed ? X509_VERIFY_PARAM_get0_host(SSL_get0_param(const_cast<SSL*>(ssl)), 0) : nullptr;
  SSL_ctrl(const_cast<SSL*>(ssl), SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name,
           const_cast<char*>(name));
}

}  // namespace

std::vector<ClientIdentity::Certificate> ClientIdentity::read_certificates(const std::string& pem,
                                                                           const char* what) {
  const auto bio = memory(pem);
  std::vector<Certificate> found;
  ERR_clear_error();
  while (X509* one = PEM_read_bio_X509(bio.get(), nullptr, no_passphrase, nullptr))
    found.emplace_back(one);
  const bool at_end = ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
  ERR_clear_error();
  if (found.empty() || !at_end)
    throw InputError(what, "found no certificate that can be read, expected PEM text");
  return found;
}

ClientIdentity::ClientIdentity(const ApiAccess& access)
    : name_(access.server_name.empty() ? access.host : access.server_name),
      name_is_address_(is_address(name_)),
      verify_(access.verify),
      trusted_(X509_STORE_new()) {
  ZONECUT_ENSURES(trusted_ != nullptr);
  if (access.ca.empty()) {
    X509_STORE_set_default_paths(trusted_.get());
  } else {
    for (const Certificate& authority : read_certificates(access.ca, "certificate-authority"))
      ZONECUT_ENSURES(X509_STORE_add_cert(trusted_.get(), authority.get()) == 1);
  }
  if (access.certificate.empty()) return;
  chain_ = read_certificates(access.certificate, "client-certificate");
  key_.reset(PEM_read_bio_PrivateKey(memory(access.key).get(), nullptr, no_passphrase, nullptr));
  ERR_clear_error();
  if (!key_) {
    throw InputError("client-key", "found no key that can be read, expected PEM text",
                     "a key with a passphrase is not read");
  }
  if (X509_check_private_key(chain_.front().get(), key_.get()) != 1) {
    ERR_clear_error();
    throw InputError("client-key", "does not belong to the client-certificate");
  }
}

void ClientIdentity::apply(SSL_CTX& context, std::string& failure) const {
  SSL_CTX_set_min_proto_version(&context, TLS1_2_VERSION);
  SSL_CTX_set1_cert_store(&context, trusted_.get());
  SSL_CTX_set_app_data(&context, &failure);
  SSL_CTX_set_verify(&context, verify_ ? SSL_VERIFY_PEER : SSL_VERIFY_NONE, note_failure);

  X509_VERIFY_PARAM* wanted = SSL_CTX_get0_param(&context);
  X509_VERIFY_PARAM_set_hostflags(
      wanted, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT);
  // Any given authority is trusted, one that another signed as well, as Go's clients do.
  X509_VERIFY_PARAM_set_flags(wanted, X509_V_FLAG_PARTIAL_CHAIN);
  if (name_is_address_) {
    ZONECUT_ENSURES(X509_VERIFY_PARAM_set1_ip_asc(wanted, name_.c_str()) == 1);
  } else {
    ZONECUT_ENSURES(X509_VERIFY_PARAM_set1_host(wanted, name_.c_str(), name_.size()) == 1);
  }
  SSL_CTX_set_info_callback(&context, name_is_address_ ? name_server<false> : name_server<true>);

  if (!key_) return;
  ZONECUT_ENSURES(SSL_CTX_use_certificate(&context, chain_.front().get()) == 1);
  ZONECUT_ENSURES(SSL_CTX_use_PrivateKey(&context, key_.get()) == 1);
  for (std::size_t i = 1; i < chain_.size(); ++i)
    ZONECUT_ENSURES(SSL_CTX_add1_chain_cert(&context, chain_[i].get()) == 1);
}

}  // namespace zonecut::kubernetes
