#include "api/kubeconfig.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <vector>

#include "api/base64.hpp"
#include "api/server_address.hpp"
#include "zonecut/base/document.hpp"

namespace zonecut::kubernetes {
namespace {

constexpr std::size_t kLargestFile = 1u << 20;

/// Takes one kubeconfig apart. Only what the chosen context names is read: the others may use what
/// is not supported here.
class Kubeconfig {
 public:
  Kubeconfig(const Document& document, std::filesystem::path folder)
      : document_(document),
        folder_(std::move(folder)),
        root_(document, document.root, problems_) {}

  ApiAccess read(const std::optional<std::string>& chosen) {
    ApiAccess access;
    const std::string wanted = chosen ? *chosen : root_.text("current-context");
    if (wanted.empty()) {
      problems_.add(root_.where(), "names no current-context", known("contexts"));
    } else if (const Value* context = entry("contexts", "context", wanted)) {
      read_context(*context, access);
    }
    problems_.throw_if_any();
    return access;
  }

 private:
  void read_context(const Value& value, ApiAccess& access) {
    Fields context(document_, value, problems_);
    if (const std::string name = context.text("namespace"); !name.empty()) access.name_space = name;
    const std::string cluster = context.required_text("cluster");
    const std::string user = context.text("user");
    if (!cluster.empty()) {
      if (const Value* found = entry("clusters", "cluster", cluster)) read_cluster(*found, access);
    }
    if (!user.empty()) {
      if (const Value* found = entry("users", "user", user)) read_user(*found, access);
    }
  }

  void read_cluster(const Value& value, ApiAccess& access) {
    Fields cluster(document_, value, problems_);
    if (const std::string text = cluster.required_text("server"); !text.empty()) {
      if (auto server = read_server_address(text)) {
        access.host = std::move(server->host);
        access.port = server->port;
        access.tls = server->tls;
        access.base_path = std::move(server->base_path);
      } else {
        problems_.add(cluster.where(*cluster.find("server")),
                      fmt::format("found \"{}\", expected https://HOST:PORT", text));
      }
    }
    access.server_name = cluster.text("tls-server-name");
    access.verify = !cluster.boolean("insecure-skip-tls-verify", false);
    access.ca = contents(cluster, "certificate-authority");
    if (!access.verify && !access.ca.empty()) {
      problems_.add(cluster.where(*cluster.find("insecure-skip-tls-verify")),
                    "a certificate authority is given, and insecure-skip-tls-verify as well",
                    "remove one of them");
    }
    refuse(cluster, "proxy-url", "reach the API server without a proxy");
  }

  void read_user(const Value& value, ApiAccess& access) {
    Fields user(document_, value, problems_);
    access.certificate = contents(user, "client-certificate");
    access.key = contents(user, "client-key");
    if (access.certificate.empty() != access.key.empty()) {
      problems_.add(user.where(), fmt::format("a client {} is given without its {}",
                                              access.key.empty() ? "certificate" : "key",
                                              access.key.empty() ? "key" : "certificate"));
    }
    access.token = user.text("token");
    if (const std::string file = user.text("tokenFile"); !file.empty())
      access.token_file = beside(file);
    access.user_name = user.text("username");
    access.password = user.text("password");

    constexpr const char* kInstead =
        "zonecut runs no program for it: use a token of a service account (kubectl create token), "
        "a "
        "tokenFile or a client certificate";
    refuse(user, "exec", kInstead);
    refuse(user, "auth-provider", kInstead);
    for (const char* key : {"as", "as-uid", "as-groups", "as-user-extra"})
      refuse(user, key, "give zonecut a user of its own");
  }

  /// What "KEY-data" holds in base64 or else the file that KEY names.
  std::string contents(Fields& fields, const std::string& key) {
    const std::string data_key = key + "-data";
    const std::string data = fields.text(data_key);
    const std::string file = fields.text(key);
    if (!data.empty()) {
      if (std::optional<std::string> text = decode_base64(data)) return std::move(*text);
      problems_.add(fields.where(*fields.find(data_key)),
                    fmt::format("\"{}\" is not base64", data_key));
    } else if (!file.empty()) {
      return text_of(beside(file), fields.where(*fields.find(key)));
    }
    return {};
  }

  std::string text_of(const std::string& path, const std::string& where) {
    try {
      return read_file(path, kLargestFile);
    } catch (const InputError& error) {
      for (const Problem& problem : error.problems())
        problems_.add(where, problem.where + ": " + problem.what, problem.hint);
      return {};
    }
  }

  void refuse(Fields& fields, const char* key, const char* hint) {
    const Value* value = fields.find(key);
    if (value == nullptr || value->kind == Value::Kind::Null) return;
    if (value->kind == Value::Kind::Scalar && value->scalar.empty()) return;
    problems_.add(fields.where(*value), fmt::format("\"{}\" is not supported", key), hint);
  }

  /// The value under `key` of the entry called `name` in `list`.
  const Value* entry(const char* list, const char* key, const std::string& name) {
    const Value* found = nullptr;
    const Value* entries = root_.find(list);
    if (entries == nullptr) entries = &document_.root;
    for (const Value& item : entries->items) {
      Fields fields(document_, item, problems_);
      if (fields.text("name") != name) continue;
      if (found != nullptr) {
        problems_.add(fields.where(), fmt::format("a second \"{}\" in {}", name, list));
        return nullptr;
      }
      found = fields.require(key);
      if (found == nullptr) return nullptr;
    }
    if (found == nullptr) {
      problems_.add(document_.where(*entries), fmt::format("no \"{}\" in {}", name, list),
                    known(list));
    }
    return found;
  }

  std::string known(const char* list) {
    std::vector<std::string> names;
    if (const Value* entries = root_.find(list)) {
      for (const Value& item : entries->items)
        names.push_back(Fields(document_, item, problems_).text("name"));
    }
    return names.empty() ? "" : fmt::format("there are: {}", fmt::join(names, ", "));
  }

  [[nodiscard]] std::string beside(const std::string& file) const {
    return (folder_ / file).string();  // an absolute one stays as it is
  }

  const Document& document_;
  std::filesystem::path folder_;
  ProblemList problems_;
  Fields root_;
};

}  // namespace

ApiAccess read_kubeconfig(const std::string& path, const std::optional<std::string>& context) {
  const Document document = parse_document(read_file(path, kLargestFile), path);
  return Kubeconfig(document, std::filesystem::path(path).parent_path()).read(context);
}

}  // namespace zonecut::kubernetes
