#include "server/http_server.hpp"

#include <httplib.h>

#include <atomic>
#include <chrono>
#include <future>
#include <mutex>
#include <nlohmann/json.hpp>

#include "kubernetes/server/running_server.hpp"
#include "support/catch.hpp"
#include "zonecut/base/error.hpp"

using namespace zonecut;
using namespace zonecut::kubernetes;
using namespace std::chrono_literals;

namespace {

double seconds_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

TEST_CASE("answers have a length, a type and what the handler said", "[kubernetes]") {
  RunningServer server;
  server.run();
  httplib::Client client("127.0.0.1", server.port());
  client.set_keep_alive(true);
  for (int round = 0; round < 3; ++round) {
    const auto answer = client.Post("/v1/echo", "{\"a\":1}", "application/json");
    REQUIRE(answer);
    CHECK(answer->status == 200);
    CHECK(answer->body == "{\"a\":1}");
    CHECK(answer->get_header_value("Content-Length") == "7");
    CHECK(answer->get_header_value("Content-Type") == "application/json");
    CHECK_FALSE(answer->has_header("Transfer-Encoding"));
  }
  CHECK(client.Get("/healthz")->body == "ok");
  CHECK(client.Get("/healthz?verbose=1")->status == 200);
  const auto head = client.Head("/healthz");
  REQUIRE(head);
  CHECK(head->status == 200);
  CHECK(head->get_header_value("Content-Length") == "2");
}

TEST_CASE("a method that a path does not take is answered with those that it takes",
          "[kubernetes]") {
  RunningServer server;
  server.server().on_post("/both", "b", [](const std::string&) { return HttpAnswer{}; });
  server.server().on_get("/both", [] { return HttpAnswer{}; });
  server.run();
  httplib::Client client("127.0.0.1", server.port());
  const auto said = [](const httplib::Result& answer) {
    return std::pair(answer->status, answer->get_header_value("Allow"));
  };
  using Said = std::pair<int, std::string>;
  const auto get = client.Get("/v1/echo");
  CHECK(said(get) == Said(405, "POST"));
  CHECK(nlohmann::json::parse(get->body) ==
        nlohmann::json{{"Error", "GET is not taken here, only POST"}});
  CHECK(said(client.Head("/v1/echo")) == Said(405, "POST"));
  CHECK(said(client.Post("/healthz", "", "text/plain")) == Said(405, "GET, HEAD"));
  CHECK(said(client.Put("/metrics", "x", "text/plain")) == Said(405, "GET, HEAD"));
  CHECK(said(client.Delete("/both")) == Said(405, "GET, HEAD, POST"));
  CHECK(said(client.Post("/nowhere", "", "text/plain")) == Said(404, ""));
  CHECK(said(client.Post("/both", "", "text/plain")) == Said(200, ""));
}

TEST_CASE("an answer is never packed, even for a client that could unpack it", "[kubernetes]") {
  RunningServer server;
  server.run();
  const Socket socket(server.port());
  socket.send(post_text("/v1/echo", std::string(9000, 'x'), "Accept-Encoding: gzip, br\r\n"));
  const std::string answer = socket.read_answer();
  CHECK(answer.find("Content-Encoding") == std::string::npos);
  CHECK(answer.ends_with(std::string(9000, 'x')));
}

TEST_CASE("who cannot serve lets its clients go, for a replica that can", "[kubernetes]") {
  RunningServer server;
  server.server().on_post(
      "/later", "l", [](const std::string&) { return HttpAnswer{503, "{}", "application/json"}; });
  server.run();
  const std::string said = said_to(server.port(), post_text("/later", "x"));
  CHECK(said.starts_with("HTTP/1.1 503 "));
  CHECK(said.find("Connection: close") != std::string::npos);
}

TEST_CASE("what a handler throws becomes a status and a text", "[kubernetes]") {
  RunningServer server;
  const auto throwing = [](auto error) {
    return [error](const std::string&) -> HttpAnswer { throw error; };
  };
  server.server().on_post("/input", "i", throwing(InputError("/Pod", "found none")));
  server.server().on_post("/io", "i", throwing(IoError("api", "gone")));
  server.server().on_post("/other", "o", throwing(std::runtime_error("line\r\nbreak \xff")));
  server.server().on_post("/strange", "o", throwing(7));
  server.run();
  httplib::Client client("127.0.0.1", server.port());
  const auto said = [&](const char* path) {
    const auto answer = client.Post(path, "", "text/plain");
    return std::pair(answer->status, nlohmann::json::parse(answer->body).at("Error"));
  };
  CHECK(said("/input") == std::pair<int, nlohmann::json>(400, "/Pod: found none"));
  CHECK(said("/io").first == 502);
  CHECK(said("/other") == std::pair<int, nlohmann::json>(500, "line\r\nbreak \xef\xbf\xbd"));
  CHECK(said("/strange").first == 500);
}

TEST_CASE("the observer hears of every request, refused ones too", "[kubernetes]") {
  std::mutex mutex;
  std::vector<std::pair<std::string, int>> heard;
  {
    RunningServer server;
    server.server().observe([&](const std::string& verb, int status, double seconds) {
      const std::lock_guard lock(mutex);
      heard.emplace_back(verb, seconds >= 0 && seconds < 60 ? status : -1);
    });
    server.run();
    httplib::Client client("127.0.0.1", server.port());
    CHECK(client.Post("/v1/echo", "x", "text/plain")->status == 200);
    CHECK(client.Get("/nowhere")->status == 404);
    CHECK(client.Get("/healthz")->status == 200);
  }
  CHECK(heard ==
        std::vector<std::pair<std::string, int>>{{"echo", 200}, {"other", 404}, {"healthz", 200}});
}

TEST_CASE("requests that come in one piece are answered one after another", "[kubernetes]") {
  RunningServer server;
  server.run();
  const std::string said =
      said_to(server.port(), post_text("/v1/echo", "first") +
                                 post_text("/v1/echo", "second", "Connection: close\r\n"));
  CHECK(said.find("first") < said.find("second"));
  CHECK(said.ends_with("second"));
}

TEST_CASE("a client that waits to be asked for its body is asked", "[kubernetes]") {
  RunningServer server;
  server.run();
  const Socket socket(server.port());
  socket.send(
      "POST /v1/echo HTTP/1.1\r\nContent-Length: 2\r\nExpect: 100-continue\r\n"
      "Connection: close\r\n\r\n");
  std::this_thread::sleep_for(50ms);
  socket.send("ok");
  const std::string said = socket.read_to_end();
  CHECK(said.starts_with("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n"));
  CHECK(said.ends_with("\r\n\r\nok"));
}

TEST_CASE("requests under way are answered when the server stops", "[kubernetes]") {
  std::promise<void> begun;
  std::promise<void> go_on;
  auto server = std::make_unique<RunningServer>();
  server->server().on_post("/slow", "slow", [&](const std::string& body) {
    begun.set_value();
    go_on.get_future().wait();
    return HttpAnswer{200, body + " done"};
  });
  server->run();
  const int port = server->port();
  const Socket idle(port);
  const Socket half(port);
  half.send("POST /v1/echo HTTP/1.1\r\nContent-Length: 100\r\n\r\nhalf");
  const Socket busy(port);
  busy.send(post_text("/slow", "it is"));
  begun.get_future().wait();
  auto stopped = std::async(std::launch::async, [&] { server.reset(); });
  CHECK(idle.read_to_end().empty());
  CHECK(half.read_to_end().empty());
  CHECK(stopped.wait_for(50ms) == std::future_status::timeout);
  go_on.set_value();
  CHECK(busy.read_to_end().ends_with("it is done"));
  stopped.get();
  CHECK_FALSE(Socket(port).is_open());
}

TEST_CASE("a server that was stopped before it ran does not run", "[kubernetes]") {
  RunningServer server;
  server.server().stop();
  CHECK(seconds_of([&] { server.server().run(); }) < 5);
}

TEST_CASE("a port that is taken is an error, not shared", "[kubernetes]") {
  RunningServer server;
  ServerOptions options;
  options.port = server.port();
  HttpServer second(options);
  CHECK_THROWS_AS(second.listen(), IoError);
}

TEST_CASE("threads are taken by requests, not by connections that idle", "[kubernetes]") {
  ServerOptions options;
  options.threads = 2;
  RunningServer server(options);
  server.run();
  std::vector<Socket> idle;
  for (int i = 0; i < 100; ++i) {
    const Socket& socket = idle.emplace_back(server.port());
    socket.send(post_text("/v1/echo", "x"));
    CHECK(socket.read_answer().ends_with("x"));
  }
  httplib::Client client("127.0.0.1", server.port());
  CHECK(seconds_of([&] { CHECK(client.Get("/healthz")->status == 200); }) < 0.5);
  for (const Socket& socket : idle) CHECK(socket.is_open());
}

TEST_CASE("an idle connection ends after its time", "[kubernetes]") {
  ServerOptions options;
  options.idle_timeout = 1s;
  RunningServer server(options);
  server.run();
  const Socket socket(server.port());
  socket.send(post_text("/v1/echo", "x"));
  CHECK(socket.read_answer().ends_with("x"));
  const double seconds = seconds_of([&] { CHECK(socket.read_to_end().empty()); });
  CHECK(seconds > 0.5);
  CHECK(seconds < 5);
}
