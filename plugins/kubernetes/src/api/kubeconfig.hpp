#pragma once
// Where the API server is and who we are there: from a kubeconfig, or from the service account of
// the pod that this runs in.
#include <functional>
#include <optional>
#include <string>

namespace zonecut::kubernetes {

struct ApiAccess {
  std::string host;
  int port = 443;
  bool tls = true;
  std::string base_path;    ///< of a server behind a prefix; mostly empty
  std::string server_name;  ///< tls-server-name; empty: host
  std::string ca;           ///< PEM text; empty: the system's
  bool verify = true;       ///< false only where the kubeconfig says insecure-skip-tls-verify
  std::string certificate;  ///< PEM text of the client's; both or none
  std::string key;
  std::string token;       ///< bearer
  std::string token_file;  ///< read again when it rotates; goes before `token`
  std::string user_name;   ///< basic authentication
  std::string password;
  std::string name_space = "default";
};

/// The current context of a kubeconfig, or the named one. Throws InputError with file, line and
/// what was expected; also for what is not supported (exec and auth-provider plugins).
[[nodiscard]] ApiAccess read_kubeconfig(const std::string& path,
                                        const std::optional<std::string>& context = std::nullopt);

/// From KUBERNETES_SERVICE_HOST, KUBERNETES_SERVICE_PORT and the files of `folder`. Throws
/// InputError where this is no pod.
[[nodiscard]] ApiAccess service_account(
    const std::function<std::optional<std::string>(const char*)>& environment,
    const std::string& folder = "/var/run/secrets/kubernetes.io/serviceaccount");

}  // namespace zonecut::kubernetes
