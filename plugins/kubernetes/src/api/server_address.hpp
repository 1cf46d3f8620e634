#pragma once
// The address of an API server as a kubeconfig writes it.
#include <optional>
#include <string>
#include <string_view>

namespace zonecut::kubernetes {

struct ServerAddress {
  bool tls = true;
  std::string host;  ///< a name or an address; one of IPv6 without its brackets
  int port = 443;
  std::string base_path;  ///< begins with '/', has none at its end; mostly empty
};

/// "https://HOST[:PORT][/PATH]" or "http://…"; nothing where the text is something else.
[[nodiscard]] std::optional<ServerAddress> read_server_address(std::string_view text);

/// A number from 1 to 65535 in plain digits.
[[nodiscard]] std::optional<int> read_port(std::string_view text);

}  // namespace zonecut::kubernetes
