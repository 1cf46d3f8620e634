// Who a pod is at the API server of its cluster: the environment and the files that the kubelet
// gives it.
#include <fmt/format.h>

#include "api/kubeconfig.hpp"
#include "api/server_address.hpp"
#include "zonecut/base/document.hpp"
#include "zonecut/base/trim.hpp"

namespace zonecut::kubernetes {
namespace {

constexpr std::size_t kLargestFile = 1u << 20;
constexpr const char* kHint = "in no pod: give a kubeconfig with --kubeconfig";

std::string required(const std::function<std::optional<std::string>(const char*)>& environment,
                     const char* name) {
  std::optional<std::string> value = environment(name);
  if (!value || value->empty()) throw InputError(name, "is not set", kHint);
  return std::move(*value);
}

}  // namespace

ApiAccess service_account(const std::function<std::optional<std::string>(const char*)>& environment,
                          const std::string& folder) {
  ApiAccess access;
  access.host = required(environment, "KUBERNETES_SERVICE_HOST");
  const std::string port = required(environment, "KUBERNETES_SERVICE_PORT");
  const std::optional<int> number = api::read_port(port);
  if (!number) {
    throw InputError("KUBERNETES_SERVICE_PORT",
                     fmt::format("found \"{}\", expected a port's number", port));
  }
  access.port = *number;
  access.ca = read_file(folder + "/ca.crt", kLargestFile);
  access.token_file = folder + "/token";
  if (trimmed(read_file(access.token_file, kLargestFile)).empty())
    throw InputError(access.token_file, "is empty, expected a token");
  const std::string name(trimmed(read_file(folder + "/namespace", kLargestFile)));
  if (!name.empty()) access.name_space = name;
  return access;
}

}  // namespace zonecut::kubernetes
