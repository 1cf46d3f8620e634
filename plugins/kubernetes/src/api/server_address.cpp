#include "api/server_address.hpp"

#include <algorithm>
#include <charconv>

namespace zonecut::kubernetes {
namespace {

bool is_host_character(char character) {
  return (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z') ||
         (character >= '0' && character <= '9') || character == '.' || character == '-' ||
         character == '_';
}

bool is_address_character(char character) {
  return is_host_character(character) || character == ':' || character == '%';
}

bool is_path_character(char character) {
  return character > ' ' && character < '\x7f' && character != '?' && character != '#';
}

/// Takes "HOST" or "[ADDRESS]" from the front of `text`.
std::optional<std::string> take_host(std::string_view& text) {
  const bool bracketed = text.starts_with('[');
  if (bracketed) text.remove_prefix(1);
  const std::size_t end = bracketed ? text.find(']') : std::min(text.find(':'), text.size());
  if (end == std::string_view::npos || end == 0) return std::nullopt;
  const std::string_view host = text.substr(0, end);
  if (!std::all_of(host.begin(), host.end(), bracketed ? is_address_character : is_host_character))
    return std::nullopt;
  text.remove_prefix(end + (bracketed ? 1 : 0));
  return std::string(host);
}

}  // namespace

std::optional<int> read_port(std::string_view text) {
  int port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  if (port < 1 || port > 65535) return std::nullopt;
  return port;
}

std::optional<ServerAddress> read_server_address(std::string_view text) {
  ServerAddress address;
  constexpr std::string_view kTls = "https://", kPlain = "http://";
  if (text.starts_with(kTls)) {
    text.remove_prefix(kTls.size());
  } else if (text.starts_with(kPlain)) {
    text.remove_prefix(kPlain.size());
    address.tls = false;
    address.port = 80;
  } else {
    return std::nullopt;
  }

  const std::size_t slash = std::min(text.find('/'), text.size());
  std::string_view path = text.substr(slash);
  while (path.ends_with('/')) path.remove_suffix(1);
  if (!std::all_of(path.begin(), path.end(), is_path_character)) return std::nullopt;
  address.base_path = path;

  std::string_view authority = text.substr(0, slash);
  std::optional<std::string> host = take_host(authority);
  if (!host) return std::nullopt;
  address.host = std::move(*host);
  if (authority.empty()) return address;
  if (!authority.starts_with(':')) return std::nullopt;
  const std::optional<int> port = read_port(authority.substr(1));
  if (!port) return std::nullopt;
  address.port = *port;
  return address;
}

}  // namespace zonecut::kubernetes
