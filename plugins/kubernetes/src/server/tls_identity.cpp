#include "server/tls_identity.hpp"

#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <utility>

#include "zonecut/base/document.hpp"
#include "zonecut/base/error.hpp"

namespace zonecut::kubernetes {
namespace {

constexpr std::size_t kFileLimit = 1u << 20;

/// What OpenSSL says of a file that is not there names no reason.
const std::string& readable(const std::string& file) {
  static_cast<void>(read_file(file, kFileLimit));
  return file;
}

void require(const boost::system::error_code& error, const std::string& file) {
  if (error) throw InputError(file, "TLS cannot use this: " + error.message(), "expected PEM");
}

/// Who resumes a session shows no certificate again, which would outlive a changed authority.
void never_resume(SSL_CTX* context) {
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_options(context, SSL_OP_NO_TICKET | SSL_OP_NO_RENEGOTIATION);
  SSL_CTX_set_num_tickets(context, 0);
}

}  // namespace

TlsIdentity::TlsIdentity(std::string certificate, std::string key, std::string client_ca)
    : certificate_(std::move(certificate)),
      key_(std::move(key)),
      client_ca_(std::move(client_ca)),
      stamps_(stamps()),
      context_(load()) {}

std::shared_ptr<TlsIdentity::Context> TlsIdentity::context() {
  if (const Stamps now = stamps(); now != stamps_) {
    try {
      context_ = load();
      stamps_ = now;
    } catch (const InputError&) {  // half of a change; the next connection looks again
    }
  }
  return context_;
}

TlsIdentity::Stamps TlsIdentity::stamps() const {
  return {stamp_of(certificate_), stamp_of(key_), stamp_of(client_ca_)};
}

std::shared_ptr<TlsIdentity::Context> TlsIdentity::load() const {
  auto context = std::make_shared<Context>(Context::tls_server);
  SSL_CTX* const native = context->native_handle();
  SSL_CTX_set_min_proto_version(native, TLS1_2_VERSION);
  SSL_CTX_set_mode(native, SSL_MODE_RELEASE_BUFFERS);
  never_resume(native);
  boost::system::error_code error;
  context->use_certificate_chain_file(readable(certificate_), error);
  require(error, certificate_);
  context->use_private_key_file(readable(key_), Context::pem, error);
  require(error, key_);
  if (client_ca_.empty()) return context;
  context->load_verify_file(readable(client_ca_), error);
  require(error, client_ca_);
  SSL_CTX_set_client_CA_list(native, SSL_load_client_CA_file(client_ca_.c_str()));
  // A client without one is refused later, path by path: probes have none.
  context->set_verify_mode(boost::asio::ssl::verify_peer);
  return context;
}

bool has_shown_certificate(SSL* connection) {
  return SSL_get0_peer_certificate(connection) != nullptr &&
         SSL_get_verify_result(connection) == X509_V_OK;
}

}  // namespace zonecut::kubernetes
