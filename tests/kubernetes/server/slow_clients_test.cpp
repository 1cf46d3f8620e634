#include <atomic>
#include <chrono>
#include <future>
#include <string>
#include <thread>
#include <vector>

#include "kubernetes/server/running_server.hpp"
#include "support/catch.hpp"

using namespace zonecut::kubernetes;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

namespace {

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Of one whole request on a connection of its own.
double seconds_to_answer(int port) {
  const auto start = Clock::now();
  CHECK(said_to(port, post_text("/v1/echo", "hello", "Connection: close\r\n")).ends_with("hello"));
  return seconds_since(start);
}

std::vector<Socket> slow_clients(int port, int count) {
  std::vector<Socket> clients;
  for (int i = 0; i < count; ++i) {
    clients.emplace_back(port);
    if (i % 3 == 1) clients.back().send("POST /v1/echo HTTP/1.1\r\nCont");
    if (i % 3 == 2) clients.back().send("POST /v1/echo HTTP/1.1\r\nContent-Length: 100\r\n\r\nx");
  }
  return clients;
}

}  // namespace

TEST_CASE("slow clients do not delay those that send at once", "[kubernetes]") {
  ServerOptions options;
  options.threads = 2;
  RunningServer server(options);
  server.run();
  const std::vector<Socket> slow = slow_clients(server.port(), 200);
  for (int i = 0; i < 50; ++i) CHECK(seconds_to_answer(server.port()) < 1);
  CHECK(slow.back().is_open());
}

TEST_CASE("a client that trickles is ended when its time is over, not a byte's time",
          "[kubernetes]") {
  ServerOptions options;
  options.read_timeout = 1s;
  RunningServer server(options);
  server.run();
  const auto start = Clock::now();
  const Socket socket(server.port());
  socket.send("POST /v1/echo HTTP/1.1\r\nContent-Length: 1000\r\n\r\n");
  while (socket.is_open() && seconds_since(start) < 10) {
    socket.send("x");
    std::this_thread::sleep_for(20ms);
  }
  CHECK(seconds_since(start) > 0.8);
  CHECK(seconds_since(start) < 5);
}

TEST_CASE("where connections run out, those that wait longest make room", "[kubernetes]") {
  ServerOptions options;
  options.connections = 50;
  RunningServer server(options);
  server.run();
  const Socket good(server.port());
  good.send(post_text("/v1/echo", "one"));
  CHECK(good.read_answer().ends_with("one"));
  const std::vector<Socket> slow = slow_clients(server.port(), 200);
  for (int i = 0; i < 20; ++i) CHECK(seconds_to_answer(server.port()) < 1);
  CHECK_FALSE(slow.front().is_open());
  // One that has had a request is kept before those that never had.
  CHECK(good.send(post_text("/v1/echo", "two")));
  CHECK(good.read_answer().ends_with("two"));
}

TEST_CASE("where unfinished bodies take too much memory, the largest goes", "[kubernetes]") {
  ServerOptions options;
  options.body_limit = 100'000;
  RunningServer server(options);
  server.run();
  std::vector<Socket> hoarders;
  for (int i = 0; i < 10; ++i) {
    hoarders.emplace_back(server.port());
    hoarders.back().send("POST /v1/echo HTTP/1.1\r\nContent-Length: 100000\r\n\r\n" +
                         std::string(90'000, 'x'));
  }
  const std::string said = said_to(
      server.port(), post_text("/v1/length", std::string(50'000, 'x'), "Connection: close\r\n"));
  CHECK(said.ends_with("50000"));
}

TEST_CASE("a client that does not read its answer is ended", "[kubernetes]") {
  ServerOptions options;
  options.read_timeout = 1s;
  RunningServer server(options);
  server.server().on_get("/large",
                         [] { return HttpAnswer{200, std::string(32u << 20, 'x'), "text/plain"}; });
  server.run();
  const Socket socket(server.port());
  socket.send("GET /large HTTP/1.1\r\n\r\n");
  std::this_thread::sleep_for(2s);
  CHECK(socket.read_to_end().size() < (32u << 20));
}

TEST_CASE("more requests than can wait are refused at once, but not a kubelet's probes",
          "[kubernetes]") {
  ServerOptions options;
  options.threads = 1;
  RunningServer server(options);
  std::promise<void> go_on;
  const auto gate = go_on.get_future().share();
  server.server().on_get("/wait", [gate] {
    gate.wait();
    return HttpAnswer{200, "waited", "text/plain"};
  });
  server.run();
  std::vector<Socket> waiting;
  for (int i = 0; i < 17; ++i) {
    waiting.emplace_back(server.port());
    waiting.back().send("GET /wait HTTP/1.1\r\nConnection: close\r\n\r\n");
  }
  std::this_thread::sleep_for(200ms);
  CHECK(said_to(server.port(), "GET /metrics HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 503 "));
  const auto start = Clock::now();
  const Socket kubelet(server.port());
  for (int i = 0; i < 100; ++i) {
    kubelet.send("GET /healthz HTTP/1.1\r\n\r\n");
    CHECK(kubelet.read_answer().ends_with("ok"));
  }
  CHECK(seconds_since(start) < 5);
  go_on.set_value();
  for (const Socket& socket : waiting) CHECK(socket.read_to_end().ends_with("waited"));
  CHECK(said_to(server.port(), "GET /metrics HTTP/1.1\r\nConnection: close\r\n\r\n")
            .starts_with("HTTP/1.1 200 "));
}

TEST_CASE("who probes without an end and reads nothing delays nobody, and is ended",
          "[kubernetes]") {
  ServerOptions options;
  options.read_timeout = 1s;
  RunningServer server(options);
  server.run();
  std::string probes;
  for (int i = 0; i < 2000; ++i) probes += "GET /healthz HTTP/1.1\r\n\r\n";
  std::atomic<int> ended = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      const Socket socket(server.port());
      const auto start = Clock::now();
      while (socket.send(probes) && seconds_since(start) < 60) {
      }
      if (seconds_since(start) < 60) ++ended;
    });
  }
  for (int i = 0; i < 50; ++i) CHECK(seconds_to_answer(server.port()) < 2);
  for (std::thread& thread : threads) thread.join();
  CHECK(ended == 8);
}
