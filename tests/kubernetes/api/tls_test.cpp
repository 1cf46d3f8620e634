// Whom the client believes, and that it says who it is.
#include "api/api_client.hpp"
#include "fake_api_server.hpp"
#include "support/catch.hpp"
#include "zonecut/base/error.hpp"

using namespace zonecut;
using namespace zonecut::kubernetes;
using namespace zonecut::kubernetes::test;

namespace {

void say_ok(const httplib::Request&, httplib::Response& response) { say(response, 200, "{}"); }

/// What a GET ends with: "200", or why there was no answer.
std::string outcome(ApiAccess access) {
  try {
    ApiClient client(std::move(access));
    return std::to_string(client.get("/version").status);
  } catch (const IoError& error) {
    return error.what();
  }
}

}  // namespace

TEST_CASE("a server is believed by the given authority and the address asked for", "[kubernetes]") {
  const Identity authority = make_authority("ca");
  const Identity identity = make_identity(authority, {"server", "IP:127.0.0.1"});
  const FakeApiServer server(identity, nullptr, say_ok);
  ApiAccess access = server.access();
  access.ca = authority.certificate_pem();
  CHECK(outcome(access) == "200");

  SECTION("not by another authority") {
    access.ca = make_authority("other").certificate_pem();
    CHECK_THAT(outcome(access), Catch::Contains("certificate is not accepted") &&
                                    Catch::Contains("unable to get local issuer certificate"));
  }
  SECTION("not by the system's authorities") {
    access.ca.clear();
    CHECK_THAT(outcome(access), Catch::Contains("certificate is not accepted"));
  }
  SECTION("by one of several authorities") {
    access.ca = make_authority("other").certificate_pem() + access.ca;
    CHECK(outcome(access) == "200");
  }
  SECTION("by its own certificate, given as the authority") {
    access.ca = identity.certificate_pem();
    CHECK(outcome(access) == "200");
  }
  SECTION("not under another name") {
    access.server_name = "kubernetes.default";
    CHECK_THAT(outcome(access), Catch::Contains("certificate is not accepted: hostname mismatch"));
  }
  SECTION("unverified where the kubeconfig says so") {
    access.ca.clear();
    access.verify = false;
    CHECK(outcome(access) == "200");
  }
}

TEST_CASE("tls-server-name is the name that is asked for and checked", "[kubernetes]") {
  const Identity authority = make_authority("ca");
  const Identity identity = make_identity(authority, {"server", "DNS:kubernetes.default"});
  std::mutex mutex;
  std::string asked;
  const FakeApiServer server(
      identity, nullptr, [&](const httplib::Request& request, httplib::Response& response) {
        const std::lock_guard lock(mutex);
        const char* name = SSL_get_servername(request.ssl, TLSEXT_NAMETYPE_host_name);
        asked = name == nullptr ? "none" : name;
        say(response, 200, "{}");
      });
  ApiAccess access = server.access();
  access.ca = authority.certificate_pem();
  CHECK_THAT(outcome(access), Catch::Contains("IP address mismatch"));
  access.server_name = "kubernetes.default";
  CHECK(outcome(access) == "200");
  {
    const std::lock_guard lock(mutex);
    CHECK(asked == "kubernetes.default");
  }
  access.server_name = "";
  access.verify = false;
  CHECK(outcome(access) == "200");
  const std::lock_guard lock(mutex);
  CHECK(asked == "none");  // an address is no name
}

TEST_CASE("a name in the subject alone, or matched by part of a word, counts for nothing",
          "[kubernetes]") {
  const Identity authority = make_authority("ca");
  const auto reached_as = [&](const Wanted& wanted, const std::string& name) {
    const FakeApiServer server(make_identity(authority, wanted), nullptr, say_ok);
    ApiAccess access = server.access();
    access.ca = authority.certificate_pem();
    access.server_name = name;
    return outcome(access);
  };
  CHECK_THAT(reached_as({"api.example.com", ""}, "api.example.com"), Catch::Contains("mismatch"));
  CHECK(reached_as({"x", "DNS:*.example.com"}, "api.example.com") == "200");
  CHECK_THAT(reached_as({"x", "DNS:a*.example.com"}, "api.example.com"),
             Catch::Contains("mismatch"));
  CHECK_THAT(reached_as({"x", "DNS:*.example.com"}, "a.b.example.com"),
             Catch::Contains("mismatch"));
}

TEST_CASE("an expired certificate is refused", "[kubernetes]") {
  const Identity authority = make_authority("ca");
  const Identity identity = make_identity(authority, {"server", "IP:127.0.0.1", -60});
  const FakeApiServer server(identity, nullptr, say_ok);
  ApiAccess access = server.access();
  access.ca = authority.certificate_pem();
  CHECK_THAT(outcome(access), Catch::Contains("certificate has expired"));
}

TEST_CASE("a client certificate says who we are", "[kubernetes]") {
  const Identity authority = make_authority("ca");
  const Identity identity = make_identity(authority, {"server", "IP:127.0.0.1"});
  const Identity clients = make_authority("clients");
  const Identity me = make_identity(clients, {"zonecut", ""});
  const FakeApiServer server(
      identity, clients.certificate.get(),
      [](const httplib::Request& request, httplib::Response& response) {
        X509* peer = SSL_get1_peer_certificate(request.ssl);
        std::string name(64, '\0');
        X509_NAME_get_text_by_NID(X509_get_subject_name(peer), NID_commonName, name.data(), 64);
        X509_free(peer);
        say(response, 200, "{\"message\":\"" + std::string(name.c_str()) + "\"}");
      });
  ApiAccess access = server.access();
  access.ca = authority.certificate_pem();
  CHECK_THAT(outcome(access), !Catch::Equals("200"));
  access.certificate = me.certificate_pem();
  access.key = me.key_pem();
  ApiClient client(access);
  CHECK(client.get("/").message() == "zonecut");
}

TEST_CASE("certificates and keys that cannot be used are input errors", "[kubernetes]") {
  const Identity authority = make_authority("ca");
  const Identity me = make_identity(authority, {"me", ""});
  const Identity other = make_identity(authority, {"other", ""});
  const auto refused = [&](const std::string& ca, const std::string& certificate,
                           const std::string& key) {
    ApiAccess access;
    access.host = "127.0.0.1";
    access.ca = ca;
    access.certificate = certificate;
    access.key = key;
    try {
      const ApiClient client(access);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  const std::string ca = authority.certificate_pem();
  CHECK(refused(ca, me.certificate_pem(), me.key_pem()) == "accepted");
  CHECK_THAT(refused("no PEM", "", ""), Catch::StartsWith("certificate-authority: "));
  std::string broken = ca;
  broken[60] = '!';
  CHECK_THAT(refused(broken, "", ""), Catch::StartsWith("certificate-authority: "));
  CHECK_THAT(refused(ca + broken, "", ""), Catch::StartsWith("certificate-authority: "));
  CHECK_THAT(refused(ca, "no PEM", me.key_pem()), Catch::StartsWith("client-certificate: "));
  CHECK_THAT(refused(ca, me.certificate_pem(), "no PEM"), Catch::StartsWith("client-key: "));
  CHECK_THAT(refused(ca, me.certificate_pem(), other.key_pem()),
             Catch::Contains("does not belong"));
}
