#include "server/listener.hpp"

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <utility>

#include "server/connection.hpp"
#include "zonecut/base/error.hpp"

namespace zonecut::kubernetes {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

/// As many as the kernel keeps by default; those that come at once do not wait for another try.
constexpr int kBacklog = 4096;
/// After a failed accept, which is mostly a lack of files.
constexpr std::chrono::milliseconds kRespite{10};

}  // namespace

struct Listener::Impl {
  Impl(const ServerOptions& options, const Exchange& exchange, TlsIdentity* given_identity)
      : room(options, exchange), acceptor(room.io), respite(room.io), identity(given_identity) {}

  void open() {
    const std::string where = room.options.host + ":" + std::to_string(room.options.port);
    error_code error;
    const auto found = tcp::resolver(room.io).resolve(
        room.options.host, std::to_string(room.options.port), tcp::resolver::passive, error);
    if (error) throw IoError(where, error.message());
    const tcp::endpoint endpoint = *found.begin();
    acceptor.open(endpoint.protocol(), error);
    if (!error) acceptor.set_option(tcp::acceptor::reuse_address(true), error);
    if (!error) acceptor.bind(endpoint, error);
    if (!error) acceptor.listen(kBacklog, error);
    if (error) throw IoError(where, error.message());
  }

  void accept() {
    acceptor.async_accept([this](error_code error, tcp::socket socket) {
      if (!acceptor.is_open()) return;
      if (error) {
        room.end_longest_waiting();
        respite.expires_after(kRespite);
        respite.async_wait([this](error_code) {
          if (acceptor.is_open()) accept();
        });
        return;
      }
      take(std::move(socket));
      accept();
    });
  }

  void take(tcp::socket socket) {
    if (room.is_full()) room.end_longest_waiting();
    error_code ignored;
    socket.set_option(tcp::no_delay(true), ignored);
    start_connection(room, std::move(socket), identity == nullptr ? nullptr : identity->context());
  }

  void stop() {
    error_code ignored;
    acceptor.close(ignored);
    respite.cancel();
    room.stop();
  }

  ConnectionRoom room;
  tcp::acceptor acceptor;
  asio::steady_timer respite;
  TlsIdentity* identity;
};

Listener::Listener(const ServerOptions& options, const Exchange& exchange, TlsIdentity* identity)
    : impl_(std::make_unique<Impl>(options, exchange, identity)) {}

Listener::~Listener() = default;

int Listener::bind() {
  impl_->open();
  return impl_->acceptor.local_endpoint().port();
}

void Listener::run() {
  impl_->accept();
  impl_->room.io.run();
  impl_->room.pool->join();
}

void Listener::stop() {
  asio::post(impl_->room.io, [impl = impl_.get()] { impl->stop(); });
}

}  // namespace zonecut::kubernetes
