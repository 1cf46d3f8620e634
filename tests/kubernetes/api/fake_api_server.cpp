#include "fake_api_server.hpp"

#include <sys/socket.h>

#include <stdexcept>

namespace zonecut::kubernetes::test {

FakeApiServer::FakeApiServer(Answer answer) : server_(std::make_unique<httplib::Server>()) {
  start(std::move(answer));
}

FakeApiServer::FakeApiServer(const Identity& server, const X509* clients, Answer answer)
    : tls_(true) {
  X509_STORE* trusted = nullptr;
  if (clients != nullptr) {
    trusted = X509_STORE_new();
    X509_STORE_add_cert(trusted, const_cast<X509*>(clients));
  }
  server_ =
      std::make_unique<httplib::SSLServer>(server.certificate.get(), server.key.get(), trusted);
  start(std::move(answer));
}

void FakeApiServer::start(Answer answer) {
  server_->new_task_queue = [] { return new httplib::ThreadPool(16); };
  server_->set_keep_alive_max_count(1000);
  server_->set_keep_alive_timeout(1);
  server_->set_tcp_nodelay(true);
  server_->Get(".*", answer);
  server_->Post(".*", answer);
  server_->Put(".*", answer);
  server_->Patch(".*", answer);
  int socket = -1;
  server_->set_socket_options([&socket](int made) {
    httplib::default_socket_options(made);
    socket = made;
  });
  port_ = server_->bind_to_any_port("127.0.0.1");
  // With httplib's backlog of 5 the sixth of many that connect at once waits for a second.
  constexpr int kBacklog = 128;
  if (port_ <= 0 || ::listen(socket, kBacklog) != 0)
    throw std::runtime_error("no port for the test's server");
  thread_ = std::thread([this] { server_->listen_after_bind(); });
  while (!server_->is_running()) std::this_thread::yield();
}

FakeApiServer::~FakeApiServer() {
  release();
  server_->stop();
  thread_.join();
}

ApiAccess FakeApiServer::access() const {
  ApiAccess access;
  access.host = "127.0.0.1";
  access.port = port_;
  access.tls = tls_;
  return access;
}

void FakeApiServer::release() {
  const std::lock_guard lock(mutex_);
  is_released_ = true;
  released_.notify_all();
}

void FakeApiServer::hang() {
  std::unique_lock lock(mutex_);
  released_.wait_for(lock, std::chrono::seconds(20), [&] { return is_released_; });
}

void say(httplib::Response& response, int status, const std::string& body) {
  response.status = status;
  response.set_content(body, "application/json");
}

void say_chunks(httplib::Response& response, std::vector<std::string> chunks, bool is_whole) {
  response.status = 200;
  auto next = std::make_shared<std::size_t>(0);
  response.set_chunked_content_provider(
      "application/json",
      [chunks = std::move(chunks), is_whole, next](std::size_t, httplib::DataSink& sink) {
        if (*next < chunks.size()) {
          const std::string& chunk = chunks[(*next)++];
          return sink.write(chunk.data(), chunk.size());
        }
        if (is_whole) sink.done();
        return is_whole;
      });
}

}  // namespace zonecut::kubernetes::test
