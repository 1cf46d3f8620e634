#include <map>

#include "api/base64.hpp"
#include "api/kubeconfig.hpp"
#include "api/server_address.hpp"
#include "support/catch.hpp"
#include "temporary_folder.hpp"
#include "zonecut/base/error.hpp"

using namespace zonecut;
using namespace zonecut::kubernetes;
using zonecut::kubernetes::test::TemporaryFolder;

TEST_CASE("base64 gives the bytes, over line breaks as well", "[kubernetes]") {
  CHECK(decode_base64("") == "");
  CHECK(decode_base64("Zg==") == "f");
  CHECK(decode_base64("Zm8=") == "fo");
  CHECK(decode_base64("Zm9v") == "foo");
  CHECK(decode_base64("Zm9v\nYmFy\r\n") == "foobar");
  CHECK(decode_base64("AP+/") == std::string("\x00\xff\xbf", 3));
}

TEST_CASE("what is not quite base64 is refused", "[kubernetes]") {
  for (const char* text : {"Z", "Zg", "Zg=", "Z===", "====", "Zg==Zg==", "Zm=v", "Zm9v!", "Zm 9v",
                           "Zm9v=", "Zh==", "Zm9=", "Zm-_"}) {
    INFO(text);
    CHECK_FALSE(decode_base64(text));
  }
}

TEST_CASE("a server's address has a scheme, a host, and mostly a port", "[kubernetes]") {
  const auto full = read_server_address("https://api.example.com:6443/k8s/clusters/c-1/");
  REQUIRE(full);
  CHECK(full->tls);
  CHECK(full->host == "api.example.com");
  CHECK(full->port == 6443);
  CHECK(full->base_path == "/k8s/clusters/c-1");

  CHECK(read_server_address("https://10.0.0.1")->port == 443);
  CHECK(read_server_address("http://localhost")->port == 80);
  CHECK_FALSE(read_server_address("http://localhost")->tls);
  CHECK(read_server_address("https://localhost/")->base_path.empty());
  const auto sixth = read_server_address("https://[fd00::1]:6443");
  REQUIRE(sixth);
  CHECK(sixth->host == "fd00::1");
  CHECK(sixth->port == 6443);
}

TEST_CASE("an address that is not one is refused", "[kubernetes]") {
  for (const char* text :
       {"", "localhost:6443", "ftp://h", "https://", "https://:6443", "https://h:", "https://h:0",
        "https://h:65536", "https://h:+1", "https://u:p@h", "https://h:1 ", "https://h/a?b",
        "https://h/a b", "https://[::1", "https://[]:1", "https://fd00::1:6443", "https://a b",
        "https://h\r\nX: y"}) {
    INFO(text);
    CHECK_FALSE(read_server_address(text));
  }
}

namespace {

std::function<std::optional<std::string>(const char*)> environment(
    std::map<std::string, std::string> values) {
  return [values = std::move(values)](const char* name) -> std::optional<std::string> {
    const auto found = values.find(name);
    return found == values.end() ? std::nullopt : std::optional(found->second);
  };
}

}  // namespace

TEST_CASE("a pod is its service account", "[kubernetes]") {
  const TemporaryFolder folder;
  folder.write("ca.crt", "the authority");
  folder.write("namespace", "training\n");
  folder.write("token", "t\n");
  const ApiAccess access = service_account(
      environment({{"KUBERNETES_SERVICE_HOST", "fd00::1"}, {"KUBERNETES_SERVICE_PORT", "6443"}}),
      folder.path());
  CHECK(access.host == "fd00::1");
  CHECK(access.port == 6443);
  CHECK(access.tls);
  CHECK(access.verify);
  CHECK(access.ca == "the authority");
  CHECK(access.token_file == folder.path() + "/token");
  CHECK(access.name_space == "training");
}

TEST_CASE("outside of a pod there is no service account", "[kubernetes]") {
  const TemporaryFolder folder;
  CHECK_THROWS_WITH(service_account(environment({}), folder.path()),
                    Catch::Contains("KUBERNETES_SERVICE_HOST") && Catch::Contains("--kubeconfig"));
  const auto here =
      environment({{"KUBERNETES_SERVICE_HOST", "h"}, {"KUBERNETES_SERVICE_PORT", "1"}});
  CHECK_THROWS_WITH(service_account(here, folder.path()), Catch::Contains("ca.crt"));
  folder.write("ca.crt", "x");
  folder.write("token", "\n");
  CHECK_THROWS_WITH(service_account(here, folder.path()), Catch::Contains("/token: is empty"));
  CHECK_THROWS_WITH(service_account(environment({{"KUBERNETES_SERVICE_HOST", "h"},
                                                 {"KUBERNETES_SERVICE_PORT", "tcp://h:1"}}),
                                    folder.path()),
                    Catch::Contains("expected a port"));
}
