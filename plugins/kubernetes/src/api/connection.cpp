#include "api/connection.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <httplib.h>
#include <poll.h>

#include <charconv>
#include <exception>

#include "api/server_address.hpp"
#include "api/tls_identity.hpp"

namespace zonecut::kubernetes::api {
namespace {

void set_option(int socket, int level, int option, int value) {
  static_cast<void>(::setsockopt(socket, level, option, &value, sizeof value));
}

/// A peer that vanished is noticed within half a minute, also while nothing is sent.
void notice_dead_peers(int socket) {
  set_option(socket, SOL_SOCKET, SO_KEEPALIVE, 1);
  set_option(socket, IPPROTO_TCP, TCP_KEEPIDLE, 15);
  set_option(socket, IPPROTO_TCP, TCP_KEEPINTVL, 5);
  set_option(socket, IPPROTO_TCP, TCP_KEEPCNT, 3);
  set_option(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, 30'000);
}

std::optional<std::chrono::seconds> retry_after(const httplib::Response& response) {
  const std::string text = response.get_header_value("Retry-After");
  int seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  if (seconds < 0) return std::nullopt;
  return std::chrono::seconds(seconds);
}

/// The body of one answer on its way in. Nothing may be thrown through httplib, which would take
/// the request for one that still runs.
struct Intake {
  const HttpRequest& request;
  std::string body = {};
  bool streamed = false;
  bool ended = false;
  bool is_too_large = false;
  std::exception_ptr thrown = nullptr;

  bool take(std::string_view part) noexcept {
    try {
      if (streamed) {
        ended = !request.receive(part);
        return !ended;
      }
      is_too_large = part.size() > request.limit - body.size();
      if (!is_too_large) body.append(part);
      return !is_too_large;
    } catch (...) {
      thrown = std::current_exception();
      return false;
    }
  }
};

}  // namespace

struct Connection::Impl {
  std::string peer;
  std::string tls_failure;
  std::unique_ptr<httplib::ClientImpl> client;
  mutable std::mutex mutex;
  // The same socket as httplib's by a second number, which is ours to close: httplib's own may
  // already be another file when another thread wants to shut it.
  int socket = -1;

  Impl(const ApiAccess& access, const TlsIdentity* identity)
      : peer(authority(access.host, access.port)) {
    if (identity != nullptr) {
      auto tls = std::make_unique<httplib::SSLClient>(access.host, access.port);
      ZONECUT_ENSURES(tls->is_valid());
      // The handshake itself verifies, as TlsIdentity says. httplib's own check would trust the
      // system's authorities beside the given one, and has its own reading of names.
      tls->enable_server_certificate_verification(false);
      identity->apply(*tls->ssl_context(), tls_failure);
      client = std::move(tls);
    } else {
      client = std::make_unique<httplib::ClientImpl>(access.host, access.port);
    }
    client->set_keep_alive(true);
    client->set_tcp_nodelay(true);
    client->set_url_encode(false);
    client->set_socket_options([this](int created) {
      notice_dead_peers(created);
      hold(created);
    });
  }

  ~Impl() {
    client.reset();
    if (socket >= 0) ::close(socket);
  }

  void hold(int created) {
    const std::lock_guard lock(mutex);
    if (socket >= 0) ::close(socket);
    socket = ::fcntl(created, F_DUPFD_CLOEXEC, 0);
  }

  [[noreturn]] void fail(httplib::Error error, const Intake& intake) const {
    if (intake.thrown) std::rethrow_exception(intake.thrown);
    if (intake.is_too_large) {
      throw AnswerTooLarge(peer,
                           fmt::format("the answer is larger than {} bytes", intake.request.limit));
    }
    switch (error) {
      case httplib::Error::Connection:
        throw IoError(peer, "cannot connect");
      case httplib::Error::ConnectionTimeout:
        throw IoError(peer, "does not answer: cannot connect in time");
      case httplib::Error::SSLConnection:
        if (!tls_failure.empty())
          throw IoError(peer, "its certificate is not accepted: " + tls_failure);
        throw IoError(peer, "the TLS handshake failed");
      case httplib::Error::Write:
        throw IoError(peer, "closed the connection before it took the request");
      default:
        throw IoError(peer,
                      "gave no whole answer: it was silent too long, or closed the connection");
    }
  }
};

Connection::Connection(const ApiAccess& access, const TlsIdentity* identity)
    : impl_(std::make_unique<Impl>(access, identity)) {}
Connection::~Connection() = default;

HttpAnswer Connection::send(const HttpRequest& request) const {
  impl_->client->set_connection_timeout(request.connect_time);
  impl_->client->set_read_timeout(request.silence);
  impl_->client->set_write_timeout(request.silence);

  httplib::Request sent;
  sent.method = request.method;
  sent.path = request.path;
  sent.set_header("Host", impl_->peer);  // httplib leaves the brackets out at port 443
  sent.set_header("Accept", "application/json");
  sent.set_header("User-Agent", "zonecut");
  if (!request.authorization.empty()) sent.set_header("Authorization", request.authorization);
  if (!request.body.empty()) sent.set_header("Content-Type", request.content_type);
  sent.body = request.body;

  Intake intake{request};
  sent.response_handler = [&](const httplib::Response& response) {
    intake.streamed = request.receive && response.status == 200;
    return true;
  };
  sent.content_receiver = [&](const char* bytes, std::size_t count, std::uint64_t, std::uint64_t) {
    return intake.take({bytes, count});
  };

  httplib::Response response;
  auto error = httplib::Error::Success;
  const bool is_whole = impl_->client->send(sent, response, error);
  if (!is_whole && !intake.ended) impl_->fail(error, intake);
  return {response.status, std::move(intake.body), retry_after(response)};
}

bool Connection::is_quiet() const {
  const std::lock_guard lock(impl_->mutex);
  pollfd socket{impl_->socket, POLLIN, 0};
  return impl_->socket >= 0 && ::poll(&socket, 1, 0) == 0;
}

void Connection::cut() const {
  const std::lock_guard lock(impl_->mutex);
  if (impl_->socket >= 0) static_cast<void>(::shutdown(impl_->socket, SHUT_RDWR));
}

}  // namespace zonecut::kubernetes::api
