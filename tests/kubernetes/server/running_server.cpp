#include "kubernetes/server/running_server.hpp"

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <utility>

namespace zonecut::kubernetes {

RunningServer::RunningServer(ServerOptions options) : server_(std::move(options)) {
  server_.on_post("/v1/echo", "echo",
                  [](const std::string& body) { return HttpAnswer{200, body}; });
  server_.on_post("/v1/length", "length", [](const std::string& body) {
    return HttpAnswer{200, std::to_string(body.size())};
  });
  server_.on_get("/healthz", [] { return HttpAnswer{200, "ok", "text/plain"}; }, Access::Anyone);
  server_.on_get("/metrics", [] { return HttpAnswer{200, "m 1\n", "text/plain"}; });
  port_ = server_.listen();
}

RunningServer& RunningServer::run() {
  thread_ = std::thread([this] { server_.run(); });
  return *this;
}

RunningServer::~RunningServer() {
  server_.stop();
  if (thread_.joinable()) thread_.join();
}

Socket::Socket(int port) : descriptor_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  const timeval patience{10, 0};
  setsockopt(descriptor_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(descriptor_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    ::close(descriptor_);
    descriptor_ = -1;
  }
}

Socket::~Socket() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

bool Socket::send(std::string_view text) const {
  while (!text.empty()) {
    const ssize_t sent = ::send(descriptor_, text.data(), text.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

std::string Socket::read_to_end() const {
  std::string text;
  std::array<char, 65536> piece;
  for (;;) {
    const ssize_t got = ::recv(descriptor_, piece.data(), piece.size(), 0);
    if (got <= 0) return text;
    text.append(piece.data(), static_cast<std::size_t>(got));
  }
}

std::string Socket::read_answer() const {
  std::string text;
  std::array<char, 65536> piece;
  for (;;) {
    const std::size_t head = text.find("\r\n\r\n");
    const std::size_t field = text.find("Content-Length: ");
    if (head != std::string::npos && field != std::string::npos) {
      std::size_t length = 0;
      const char* const digits = text.data() + field + 16;
      std::from_chars(digits, text.data() + text.size(), length);
      if (text.size() >= head + 4 + length) return text;
    }
    const ssize_t got = ::recv(descriptor_, piece.data(), piece.size(), 0);
    if (got <= 0) return text;
    text.append(piece.data(), static_cast<std::size_t>(got));
  }
}

bool Socket::is_open() const {
  char byte = 0;
  const ssize_t got = ::recv(descriptor_, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return descriptor_ >= 0 && (got > 0 || (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)));
}

std::string said_to(int port, std::string_view text) {
  const Socket socket(port);
  socket.send(text);
  return socket.read_to_end();
}

std::string post_text(const std::string& path, const std::string& body,
                      const std::string& more_headers) {
  return "POST " + path + " HTTP/1.1\r\nHost: h\r\nContent-Length: " + std::to_string(body.size()) +
         "\r\n" + more_headers + "\r\n" + body;
}

}  // namespace zonecut::kubernetes
