#include <httplib.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "kubernetes/server/running_server.hpp"
#include "server/bearer_token.hpp"
#include "support/catch.hpp"
#include "zonecut/base/error.hpp"

using namespace zonecut;
using namespace zonecut::kubernetes;
namespace fs = std::filesystem;

namespace {

/// A folder that goes with it, and certificates in it that sign themselves.
class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "zonecut-http-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { fs::remove_all(path_); }

  [[nodiscard]] std::string file(const std::string& name) const { return (path_ / name).string(); }

  std::string write(const std::string& name, const std::string& text) const {
    // As the kubelet does it: another file in its place.
    const std::string fresh = file(name + ".new");
    std::ofstream(fresh) << text;
    fs::rename(fresh, file(name));
    return file(name);
  }

  void certify(const std::string& name) const {
    const std::string command =
        "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -keyout " +
        file(name + ".key") + " -out " + file(name + ".crt") + " -subj /CN=" + name +
        " -addext subjectAltName=IP:127.0.0.1 2>/dev/null";
    REQUIRE(std::system(command.c_str()) == 0);
  }

 private:
  fs::path path_;
};

ServerOptions tls_options(const Folder& folder) {
  folder.certify("server");
  ServerOptions options;
  options.certificate = folder.file("server.crt");
  options.key = folder.file("server.key");
  return options;
}

/// The status of POST /v1/echo by a client with the certificate of that name, or none; 0 where the
/// connection failed.
int status_with(const RunningServer& server, const Folder& folder, const std::string& name) {
  std::signal(SIGPIPE, SIG_IGN);  // the client's library writes to connections that are closed
  const std::string certificate = name.empty() ? "" : folder.file(name + ".crt");
  const std::string key = name.empty() ? "" : folder.file(name + ".key");
  httplib::SSLClient client("127.0.0.1", server.port(), certificate, key);
  client.set_ca_cert_path(folder.file("server.crt").c_str());
  const auto answer = client.Post("/v1/echo", "x", "text/plain");
  return answer ? answer->status : 0;
}

int status_with_token(const RunningServer& server, const std::string& authorization,
                      const char* path = "/metrics") {
  httplib::Client client("127.0.0.1", server.port());
  const auto answer = authorization.empty()
                          ? client.Get(path)
                          : client.Get(path, httplib::Headers{{"Authorization", authorization}});
  return answer ? answer->status : 0;
}

bool is_refused(const ServerOptions& options) {
  try {
    const HttpServer server(options);
    return false;
  } catch (const InputError&) {
    return true;
  }
}

}  // namespace

TEST_CASE("a host that others can reach needs TLS and callers that are known", "[kubernetes]") {
  const Folder folder;
  ServerOptions options = tls_options(folder);
  folder.certify("client");
  const std::string token = folder.write("token", "secret\n");
  const std::string certificate = options.certificate;
  const std::string key = options.key;
  for (const char* const host : {"0.0.0.0", "::", "", "10.1.2.3"}) {
    INFO(host);
    options = {};
    options.host = host;
    CHECK(is_refused(options));
    options.token_file = token;
    CHECK(is_refused(options));  // a token that all can read on its way
    options.certificate = certificate;
    options.key = key;
    CHECK_FALSE(is_refused(options));
    options.token_file.clear();
    CHECK(is_refused(options));
    options.client_ca = folder.file("client.crt");
    CHECK_FALSE(is_refused(options));
  }
  for (const char* const host : {"127.0.0.1", "127.1.2.3", "::1"}) {
    options = {};
    options.host = host;
    CHECK_FALSE(is_refused(options));
  }
}

TEST_CASE("credentials that cannot be used are refused at once", "[kubernetes]") {
  const Folder folder;
  const ServerOptions good = tls_options(folder);
  folder.certify("other");
  CHECK_FALSE(is_refused(good));
  ServerOptions options = good;
  options.key.clear();
  CHECK(is_refused(options));
  options.key = folder.file("other.key");  // of another certificate
  CHECK(is_refused(options));
  options = good;
  options.certificate = folder.file("none.crt");
  CHECK(is_refused(options));
  options = good;
  options.client_ca = folder.write("ca", "no certificate");
  CHECK(is_refused(options));
  options = {};
  options.client_ca = folder.file("other.crt");  // without TLS
  CHECK(is_refused(options));
  options = {};
  options.token_file = folder.file("none");
  CHECK(is_refused(options));
  options.token_file = folder.write("empty", " \n");
  CHECK(is_refused(options));
}

TEST_CASE("without the token only paths for anyone are answered", "[kubernetes]") {
  const Folder folder;
  ServerOptions options;
  options.token_file = folder.write("token", "secret\n");
  RunningServer server(options);
  server.run();
  CHECK(status_with_token(server, "Bearer secret") == 200);
  CHECK(status_with_token(server, "bearer secret") == 200);
  for (const char* const wrong : {"", "Bearer", "Bearer ", "Bearer secre", "Bearer secrets",
                                  "Bearer Secret", "Basic secret", "secret", "Bearer  secret"}) {
    INFO(wrong);
    CHECK(status_with_token(server, wrong) == 401);
  }
  CHECK(status_with_token(server, "", "/healthz") == 200);
  CHECK(status_with_token(server, "", "/nowhere") == 401);
  CHECK(status_with_token(server, "", "/v1/echo") == 401);
  CHECK(status_with_token(server, "Bearer secret", "/v1/echo") == 405);
  CHECK(status_with_token(server, "Bearer secret", "/nowhere") == 404);
}

TEST_CASE("a body is not read before the token was", "[kubernetes]") {
  const Folder folder;
  ServerOptions options;
  options.token_file = folder.write("token", "secret");
  RunningServer server(options);
  server.run();
  CHECK(said_to(server.port(), "POST /v1/echo HTTP/1.1\r\nContent-Length: 1000\r\n\r\n")
            .starts_with("HTTP/1.1 401 Unauthorized\r\n"));
}

TEST_CASE("a token that was changed counts from the next request on", "[kubernetes]") {
  const Folder folder;
  ServerOptions options;
  options.token_file = folder.write("token", "first");
  RunningServer server(options);
  server.run();
  CHECK(status_with_token(server, "Bearer first") == 200);
  folder.write("token", "second");
  CHECK(status_with_token(server, "Bearer first") == 401);
  CHECK(status_with_token(server, "Bearer second") == 200);
  folder.write("token", "");
  CHECK(status_with_token(server, "Bearer second") == 200);
  CHECK(status_with_token(server, "Bearer ") == 401);
  fs::remove(options.token_file);
  CHECK(status_with_token(server, "Bearer second") == 200);
}

TEST_CASE("over TLS clients without the right certificate are refused", "[kubernetes]") {
  const Folder folder;
  ServerOptions options = tls_options(folder);
  folder.certify("client");
  folder.certify("stranger");
  options.client_ca = folder.file("client.crt");
  RunningServer server(options);
  server.run();
  CHECK(status_with(server, folder, "client") == 200);
  CHECK(status_with(server, folder, "") == 401);
  CHECK(status_with(server, folder, "stranger") == 0);
  httplib::SSLClient probe("127.0.0.1", server.port());
  probe.enable_server_certificate_verification(false);
  CHECK(probe.Get("/healthz")->status == 200);
  CHECK(probe.Get("/metrics")->status == 401);
}

TEST_CASE("many requests over one TLS connection, large ones too, are answered", "[kubernetes]") {
  const Folder folder;
  RunningServer server(tls_options(folder));
  server.run();
  httplib::SSLClient client("127.0.0.1", server.port());
  client.set_ca_cert_path(folder.file("server.crt").c_str());
  client.set_keep_alive(true);
  for (const std::size_t size : {0u, 1u, 4095u, 16'384u, 70'000u, 3'000'000u}) {
    std::string body(size, 'x');
    for (std::size_t i = 0; i < size; ++i) body[i] = static_cast<char>('a' + i * i % 23);
    const auto answer = client.Post("/v1/echo", body, "text/plain");
    REQUIRE(answer);
    CHECK(answer->body == body);
  }
}

TEST_CASE("plain HTTP to a TLS port gets nothing and harms nobody", "[kubernetes]") {
  const Folder folder;
  RunningServer server(tls_options(folder));
  server.run();
  CHECK(said_to(server.port(), post_text("/v1/echo", "x")).find("HTTP/1.1") == std::string::npos);
  const Socket silent(server.port());
  CHECK(status_with(server, folder, "") == 200);
}

TEST_CASE("a certificate that was changed is shown to the next client", "[kubernetes]") {
  const Folder folder;
  const ServerOptions options = tls_options(folder);
  RunningServer server(options);
  server.run();
  CHECK(status_with(server, folder, "") == 200);
  folder.certify("fresh");
  fs::rename(folder.file("fresh.key"), options.key);
  httplib::SSLClient client("127.0.0.1", server.port());
  client.set_ca_cert_path(options.certificate.c_str());
  CHECK(client.Get("/healthz"));  // the key is new, the certificate not yet: still the old pair
  fs::rename(folder.file("fresh.crt"), options.certificate);
  CHECK(status_with(server, folder, "") == 200);  // the client trusts the new one only
}
