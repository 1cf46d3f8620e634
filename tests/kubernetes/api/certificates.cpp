#include "certificates.hpp"

#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <stdexcept>

namespace zonecut::kubernetes::test {
namespace {

void demand(bool holds) {
  if (!holds) throw std::runtime_error("OpenSSL made no certificate");
}

template <class Write>
std::string pem(Write write) {
  BIO* bio = BIO_new(BIO_s_mem());
  demand(bio != nullptr && write(bio) == 1);
  char* text = nullptr;
  const long length = BIO_get_mem_data(bio, &text);
  std::string copy(text, static_cast<std::size_t>(length));
  BIO_free(bio);
  return copy;
}

void extend(X509& certificate, X509& issuer, int kind, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, &issuer, &certificate, nullptr, nullptr, 0);
  X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, &context, kind, value.c_str());
  demand(extension != nullptr && X509_add_ext(&certificate, extension, -1) == 1);
  X509_EXTENSION_free(extension);
}

Identity begin(const std::string& name, long valid_until) {
  Identity made{std::unique_ptr<X509, FreeOpenSsl>(X509_new()),
                std::unique_ptr<EVP_PKEY, FreeOpenSsl>(EVP_EC_gen("P-256"))};
  demand(made.certificate && made.key);
  X509* certificate = made.certificate.get();
  static long serial = 0;
  X509_set_version(certificate, 2);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate), ++serial);
  X509_gmtime_adj(X509_getm_notBefore(certificate), -7200);
  X509_gmtime_adj(X509_getm_notAfter(certificate), valid_until);
  X509_set_pubkey(certificate, made.key.get());
  X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate), "CN", MBSTRING_ASC,
                             reinterpret_cast<const unsigned char*>(name.c_str()), -1, -1, 0);
  return made;
}

}  // namespace

std::string Identity::certificate_pem() const {
  return pem([&](BIO* bio) { return PEM_write_bio_X509(bio, certificate.get()); });
}

std::string Identity::key_pem() const {
  return pem([&](BIO* bio) {
    return PEM_write_bio_PrivateKey(bio, key.get(), nullptr, nullptr, 0, nullptr, nullptr);
  });
}

Identity make_authority(const std::string& name) {
  Identity made = begin(name, 3600);
  X509& certificate = *made.certificate;
  X509_set_issuer_name(&certificate, X509_get_subject_name(&certificate));
  extend(certificate, certificate, NID_basic_constraints, "critical,CA:TRUE");
  demand(X509_sign(&certificate, made.key.get(), EVP_sha256()) > 0);
  return made;
}

Identity make_identity(const Identity& authority, const Wanted& wanted) {
  Identity made = begin(wanted.name, wanted.valid_until);
  X509& certificate = *made.certificate;
  X509_set_issuer_name(&certificate, X509_get_subject_name(authority.certificate.get()));
  if (!wanted.alternative.empty())
    extend(certificate, *authority.certificate, NID_subject_alt_name, wanted.alternative);
  demand(X509_sign(&certificate, authority.key.get(), EVP_sha256()) > 0);
  return made;
}

}  // namespace zonecut::kubernetes::test
