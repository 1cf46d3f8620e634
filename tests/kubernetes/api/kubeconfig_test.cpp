#include "api/kubeconfig.hpp"

#include "support/catch.hpp"
#include "temporary_folder.hpp"
#include "zonecut/base/error.hpp"

using namespace zonecut;
using namespace zonecut::kubernetes;
using zonecut::kubernetes::test::TemporaryFolder;

namespace {

const char* const kTwoContexts = R"(apiVersion: v1
kind: Config
preferences: {colors: true}
current-context: work
clusters:
- name: lab
  cluster:
    server: https://127.0.0.1:6443
    certificate-authority-data: bGFi
    tls-server-name: kubernetes.default
    extensions: [{name: minikube.sigs.k8s.io, extension: {version: v1.37.0}}]
- name: plain
  cluster: {server: "http://localhost:8001/prefix"}
contexts:
- name: work
  context: {cluster: lab, user: me, namespace: training}
- name: proxy
  context: {cluster: plain, user: robot}
- name: cloud
  context: {cluster: lab, user: cloud}
users:
- name: me
  user:
    client-certificate: pki/me.crt
    client-key-data: a2V5
- name: robot
  user: {tokenFile: token, token: old}
- name: cloud
  user:
    exec:
      command: gke-gcloud-auth-plugin
)";

/// All mistakes of a kubeconfig, a line each.
std::string mistakes(const std::string& text,
                     const std::optional<std::string>& context = std::nullopt) {
  const TemporaryFolder folder;
  const std::string path = folder.write("config", text);
  try {
    static_cast<void>(read_kubeconfig(path, context));
  } catch (const InputError& error) {
    std::string lines;
    for (const Problem& problem : error.problems()) lines += to_text(problem) + "\n";
    for (std::size_t at = 0; (at = lines.find(path)) != std::string::npos;)
      lines.replace(at, path.size(), "config");
    return lines;
  }
  return "none";
}

/// A kubeconfig of one context, with more lines for its cluster and its user.
std::string config(const std::string& cluster, const std::string& user) {
  return "current-context: c\ncontexts: [{name: c, context: {cluster: c, user: u}}]\n"
         "clusters:\n- name: c\n  cluster:\n    server: https://h\n" +
         cluster + "users:\n- name: u\n  user:\n    token: t\n" + user;
}

}  // namespace

TEST_CASE("the current context says where the server is and who we are", "[kubernetes]") {
  const TemporaryFolder folder;
  folder.write("pki/me.crt", "my certificate");
  const ApiAccess access = read_kubeconfig(folder.write("config", kTwoContexts));
  CHECK(access.host == "127.0.0.1");
  CHECK(access.port == 6443);
  CHECK(access.tls);
  CHECK(access.verify);
  CHECK(access.server_name == "kubernetes.default");
  CHECK(access.ca == "lab");
  CHECK(access.certificate == "my certificate");
  CHECK(access.key == "key");
  CHECK(access.token.empty());
  CHECK(access.name_space == "training");
}

TEST_CASE("another context can be chosen", "[kubernetes]") {
  const TemporaryFolder folder;
  const ApiAccess access = read_kubeconfig(folder.write("config", kTwoContexts), "proxy");
  CHECK_FALSE(access.tls);
  CHECK(access.host == "localhost");
  CHECK(access.port == 8001);
  CHECK(access.base_path == "/prefix");
  CHECK(access.token_file == folder.path() + "/token");
  CHECK(access.token == "old");
  CHECK(access.name_space == "default");
}

TEST_CASE("a kubeconfig may be JSON", "[kubernetes]") {
  const TemporaryFolder folder;
  const ApiAccess access = read_kubeconfig(folder.write("config", R"({"current-context": "c",
    "contexts": [{"name": "c", "context": {"cluster": "c", "user": ""}}],
    "clusters": [{"name": "c", "cluster": {"server": "https://h", "insecure-skip-tls-verify": true}}],
    "users": null})"));
  CHECK(access.host == "h");
  CHECK_FALSE(access.verify);
}

TEST_CASE("what would make zonecut run a program or be somebody else is refused by name",
          "[kubernetes]") {
  const std::string exec = mistakes(kTwoContexts, "cloud");
  CHECK_THAT(exec, Catch::Contains("config:31:7: \"exec\" is not supported") &&
                       Catch::Contains("kubectl create token"));
  CHECK_THAT(mistakes(config("", "    auth-provider: {name: gcp}\n")),
             Catch::Contains("config:11:20: \"auth-provider\" is not supported"));
  CHECK_THAT(mistakes(config("", "    as: jane\n")),
             Catch::Contains("config:11:9: \"as\" is not supported"));
  CHECK_THAT(mistakes(config("    proxy-url: http://p\n", "")),
             Catch::Contains("config:7:16: \"proxy-url\" is not supported"));
}

TEST_CASE("a kubeconfig's mistakes are said with their places, all at once", "[kubernetes]") {
  const std::string several = mistakes(
      config("    certificate-authority-data: '!!!'\n    insecure-skip-tls-verify: maybe\n",
             "    client-key: nowhere.key\n    client-certificate-data: Yw==\n"));
  CHECK_THAT(several, Catch::Contains("config:7:33: \"certificate-authority-data\" is not base64"));
  CHECK_THAT(several, Catch::Contains("config:8:31: found \"maybe\", expected true or false"));
  CHECK_THAT(several, Catch::Contains("config:13:17: ") &&
                          Catch::Contains("nowhere.key: cannot be opened: No such file"));
  CHECK_THAT(mistakes(config("", "    client-certificate-data: Yw==\n")),
             Catch::Contains("a client certificate is given without its key"));
  CHECK_THAT(mistakes(config(
                 "    certificate-authority-data: Yw==\n    insecure-skip-tls-verify: true\n", "")),
             Catch::Contains("config:8:31: a certificate authority is given, and insecure"));
}

TEST_CASE("names that lead nowhere are said with those there are", "[kubernetes]") {
  CHECK_THAT(mistakes(kTwoContexts, "home"),
             Catch::Contains("no \"home\" in contexts (there are: work, proxy, cloud)"));
  CHECK_THAT(mistakes("contexts: [{name: a, context: {cluster: x}}]"),
             Catch::Contains("names no current-context (there are: a)"));
  CHECK_THAT(mistakes("current-context: a\ncontexts: [{name: a, context: {cluster: x, user: y}}]"),
             Catch::Contains("no \"x\" in clusters") && Catch::Contains("no \"y\" in users"));
  CHECK_THAT(mistakes("current-context: a\ncontexts: [{name: a, context: {}}, {name: a}]"),
             Catch::Contains("a second \"a\" in contexts"));
  CHECK_THAT(mistakes(""), Catch::Contains("names no current-context"));
  CHECK_THAT(mistakes("[]"), Catch::Contains("expected a mapping"));
  CHECK_THAT(mistakes("current-context: a\ncontexts: 5"), Catch::Contains("no \"a\" in contexts"));
}

TEST_CASE("an address without a scheme is refused, not guessed", "[kubernetes]") {
  std::string text = config("", "");
  text.replace(text.find("https://h"), 9, "h:6443");
  CHECK_THAT(mistakes(text), Catch::Contains("config:6:13: found \"h:6443\", expected https://"));
}
