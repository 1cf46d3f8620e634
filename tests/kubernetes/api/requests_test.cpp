// One request, and what can become of it.
#include <atomic>
#include <chrono>
#include <thread>

#include "api/api_client.hpp"
#include "fake_api_server.hpp"
#include "support/catch.hpp"
#include "temporary_folder.hpp"
#include "zonecut/base/error.hpp"

using namespace zonecut;
using namespace zonecut::kubernetes;
using namespace zonecut::kubernetes::test;
using namespace std::chrono_literals;

namespace {

using Clock = std::chrono::steady_clock;

std::string failure(const std::function<void()>& act) {
  try {
    act();
  } catch (const IoError& error) {
    return error.what();
  }
  return "none";
}

}  // namespace

TEST_CASE("requests say what they are", "[kubernetes]") {
  std::mutex mutex;
  httplib::Request seen;
  const FakeApiServer server([&](const httplib::Request& request, httplib::Response& response) {
    const std::lock_guard lock(mutex);
    seen = request;
    say(response, request.method == "POST" ? 201 : 200, R"({"kind":"Thing","message":"hello"})");
  });
  ApiAccess access = server.access();
  access.base_path = "/prefix";
  access.token = "secret";
  ApiClient client(access);

  const ApiAnswer got = client.get("/api/v1/pods?limit=5&fieldSelector=a%3Db");
  CHECK(got.status == 200);
  CHECK(got.is_success());
  CHECK(got.body["kind"] == "Thing");
  CHECK(got.message() == "hello");
  {
    const std::lock_guard lock(mutex);
    CHECK(seen.target == "/prefix/api/v1/pods?limit=5&fieldSelector=a%3Db");
    CHECK(seen.get_header_value("Authorization") == "Bearer secret");
    CHECK(seen.get_header_value("Accept") == "application/json");
    CHECK(seen.get_header_value("Host") == "127.0.0.1:" + std::to_string(access.port));
    CHECK(seen.get_header_value_count("Host") == 1);
  }
  CHECK(client.post("/p", {{"a", 1}}).status == 201);
  {
    const std::lock_guard lock(mutex);
    CHECK(seen.body == R"({"a":1})");
    CHECK(seen.get_header_value("Content-Type") == "application/json");
  }
  const auto patched_as = [&](PatchKind kind) {
    CHECK(client.patch("/p", kind, nlohmann::json::array()).is_success());
    const std::lock_guard lock(mutex);
    CHECK(seen.method == "PATCH");
    return seen.get_header_value("Content-Type");
  };
  CHECK(patched_as(PatchKind::Merge) == "application/merge-patch+json");
  CHECK(patched_as(PatchKind::StrategicMerge) == "application/strategic-merge-patch+json");
  CHECK(patched_as(PatchKind::Json) == "application/json-patch+json");
  CHECK(client.put("/p", "\xff").is_success());
  const std::lock_guard lock(mutex);
  CHECK(seen.method == "PUT");
  CHECK(seen.body == "\"\xEF\xBF\xBD\"");
}

TEST_CASE("user name and password are the other way to say who we are", "[kubernetes]") {
  const FakeApiServer server([](const httplib::Request& request, httplib::Response& response) {
    say(response, 200, "{\"message\":\"" + request.get_header_value("Authorization") + "\"}");
  });
  ApiAccess access = server.access();
  access.user_name = "me";
  access.password = "word";
  CHECK(ApiClient(access).get("/").message() == "Basic bWU6d29yZA==");
}

TEST_CASE("an answer of any status is an answer", "[kubernetes]") {
  const FakeApiServer server([](const httplib::Request& request, httplib::Response& response) {
    if (request.path == "/missing")
      return say(response, 404, R"({"message":"pods \"x\" not found"})");
    if (request.path == "/text") return say(response, 500, "no JSON at all");
    response.status = 302;
    response.set_header("Location", "http://127.0.0.1:1/");
  });
  ApiClient client(server.access());
  CHECK(client.get("/missing").message() == "pods \"x\" not found");
  CHECK(client.get("/text").status == 500);
  CHECK(client.get("/text").message() == "status 500");
  CHECK(client.get("/moved").status == 302);
}

TEST_CASE("an answer that is no JSON, or too large, is no answer", "[kubernetes]") {
  const std::string large(65u << 20, ' ');
  const FakeApiServer server([&](const httplib::Request& request, httplib::Response& response) {
    if (request.path == "/garbage") return say(response, 200, "{\"items\": [");
    if (request.path == "/deep") return say(response, 200, std::string(100'000, '['));
    if (request.path == "/large") return say(response, 200, large);
    say_chunks(response, std::vector<std::string>(70, std::string(1u << 20, ' ')), true);
  });
  ApiClient client(server.access());
  CHECK_THAT(failure([&] { static_cast<void>(client.get("/garbage")); }),
             Catch::Contains("/garbage"));
  CHECK_THAT(failure([&] { static_cast<void>(client.get("/deep")); }), Catch::Contains("/deep"));
  CHECK_THAT(failure([&] { static_cast<void>(client.get("/large", {60s, 0ms})); }),
             Catch::Contains("larger than 67108864 bytes"));
  CHECK_THAT(failure([&] { static_cast<void>(client.get("/chunks", {60s, 0ms})); }),
             Catch::Contains("larger than 67108864 bytes"));
}

TEST_CASE("an answer that breaks off is no answer", "[kubernetes]") {
  const FakeApiServer server([](const httplib::Request&, httplib::Response& response) {
    say_chunks(response, {"{}"}, false);
  });
  ApiClient client(server.access());
  CHECK_THAT(failure([&] { static_cast<void>(client.get("/")); }),
             Catch::Contains("gave no whole answer"));
}

TEST_CASE("nobody at the other end is an error with the address", "[kubernetes]") {
  ApiAccess access;
  access.host = "127.0.0.1";
  access.port = 1;
  access.tls = false;
  ApiClient client(access);
  CHECK(failure([&] { static_cast<void>(client.get("/")); }) == "127.0.0.1:1: cannot connect");
}

TEST_CASE("a server that hangs or trickles costs no more than the time limit", "[kubernetes]") {
  const Identity authority = make_authority("ca");
  const Identity identity = make_identity(authority, {"server", "IP:127.0.0.1"});
  FakeApiServer* self = nullptr;
  std::atomic<bool> trickles = true;
  FakeApiServer server(identity, nullptr,
                       [&](const httplib::Request& request, httplib::Response& response) {
                         if (request.path == "/hang") return self->hang();
                         response.set_chunked_content_provider(
                             "application/json", [&](std::size_t, httplib::DataSink& sink) {
                               std::this_thread::sleep_for(20ms);
                               return trickles && sink.write(" ", 1);
                             });
                       });
  self = &server;
  ApiAccess access = server.access();
  access.ca = authority.certificate_pem();
  ApiClient client(access);
  for (const char* path : {"/hang", "/trickle"}) {
    INFO(path);
    const auto begin = Clock::now();
    CHECK_THAT(failure([&] { static_cast<void>(client.get(path, {300ms, 0ms})); }),
               Catch::EndsWith("gave no answer within 300 ms"));
    CHECK(Clock::now() - begin >= 300ms);
    CHECK(Clock::now() - begin < 2s);
  }
  trickles = false;
}

TEST_CASE("a server that never shakes hands costs no more than the time limit", "[kubernetes]") {
  const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* plain = reinterpret_cast<sockaddr*>(&address);
  REQUIRE(::bind(listener, plain, size) == 0);
  REQUIRE(::listen(listener, 4) == 0);
  REQUIRE(::getsockname(listener, plain, &size) == 0);
  ApiAccess access;
  access.host = "127.0.0.1";
  access.port = ntohs(address.sin_port);
  access.verify = false;
  ApiClient client(access);
  const auto begin = Clock::now();
  CHECK_THAT(failure([&] { static_cast<void>(client.get("/", {200ms, 0ms})); }),
             Catch::Contains("200 ms") || Catch::Contains("handshake failed"));
  CHECK(Clock::now() - begin < 2s);

  std::thread other([&] {
    std::this_thread::sleep_for(100ms);
    client.shut();
  });
  CHECK_THAT(failure([&] { static_cast<void>(client.get("/", {20s, 0ms})); }),
             Catch::Contains("the client is shut"));
  CHECK(Clock::now() - begin < 4s);
  other.join();
  ::close(listener);
}

TEST_CASE("shut() ends requests under way, and those that follow fail", "[kubernetes]") {
  FakeApiServer* self = nullptr;
  Signal asked;
  FakeApiServer server([&](const httplib::Request&, httplib::Response&) {
    asked.set();
    self->hang();
  });
  self = &server;
  ApiClient client(server.access());
  std::string reason;
  std::thread other(
      [&] { reason = failure([&] { static_cast<void>(client.get("/", {15s, 0ms})); }); });
  REQUIRE(asked.wait());
  const auto begin = Clock::now();
  client.shut();
  other.join();
  CHECK(Clock::now() - begin < 1s);
  CHECK_THAT(reason, Catch::Contains("the client is shut"));
  CHECK_THAT(failure([&] { static_cast<void>(client.get("/")); }),
             Catch::Contains("the client is shut"));
}

TEST_CASE("connections are kept, and many requests run at once", "[kubernetes]") {
  std::mutex mutex;
  std::set<int> ports;
  std::atomic<int> together = 0, most = 0;
  const FakeApiServer server([&](const httplib::Request& request, httplib::Response& response) {
    const int now = ++together;
    for (int seen = most; now > seen && !most.compare_exchange_weak(seen, now);) {
    }
    {
      const std::lock_guard lock(mutex);
      ports.insert(request.remote_port);
    }
    std::this_thread::sleep_for(request.path == "/slow" ? 300ms : 0ms);
    --together;
    say(response, 200, "{}");
  });
  ApiClient client(server.access());
  for (int i = 0; i < 20; ++i) CHECK(client.get("/fast").is_success());
  {
    const std::lock_guard lock(mutex);
    CHECK(ports.size() == 1);
  }
  std::vector<std::thread> threads;
  std::atomic<int> done = 0;
  for (int i = 0; i < 6; ++i) {
    threads.emplace_back([&] { done += client.get("/slow").is_success() ? 1 : 0; });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(done == 6);
  CHECK(most == 6);
}

TEST_CASE("a connection that the server closed meanwhile is not used again", "[kubernetes]") {
  const Identity authority = make_authority("ca");
  const Identity identity = make_identity(authority, {"server", "IP:127.0.0.1"});
  const FakeApiServer server(
      identity, nullptr, [](const httplib::Request&, httplib::Response& r) { say(r, 200, "{}"); });
  ApiAccess access = server.access();
  access.ca = authority.certificate_pem();
  ApiClient client(access);
  for (int i = 0; i < 3; ++i) {
    CHECK(client.post("/", {}).is_success());
    std::this_thread::sleep_for(1300ms);  // the server keeps connections for a second
  }
}

TEST_CASE("a token's file is read again after a 401", "[kubernetes]") {
  const FakeApiServer server([](const httplib::Request& request, httplib::Response& response) {
    const bool known = request.get_header_value("Authorization") == "Bearer second";
    say(response, known ? 200 : 401, R"({"message":"Unauthorized"})");
  });
  const TemporaryFolder folder;
  ApiAccess access = server.access();
  access.token_file = folder.write("token", "first\n");
  ApiClient client(access);
  CHECK(client.get("/").status == 401);
  folder.write("token", "second\n");
  CHECK(client.get("/").status == 200);

  SECTION("and the last token stays while the file is empty") {
    folder.write("token", "");
    CHECK(client.get("/").status == 200);
    folder.write("token", "third\n");
    CHECK(client.get("/").status == 200);  // within seconds it is not read again
  }
}

TEST_CASE("a token that cannot be had or sent is an error", "[kubernetes]") {
  const FakeApiServer server(
      [](const httplib::Request&, httplib::Response& response) { say(response, 200, "{}"); });
  const TemporaryFolder folder;
  ApiAccess access = server.access();
  access.token_file = folder.path() + "/token";
  CHECK_THAT(failure([&] { static_cast<void>(ApiClient(access).get("/")); }),
             Catch::Contains("cannot be opened"));
  folder.write("token", "a\r\nX-Remote-User: admin");
  CHECK_THAT(failure([&] { static_cast<void>(ApiClient(access).get("/")); }),
             Catch::Contains("holds no token"));
  access.token_file.clear();
  access.token = "a\nb";
  CHECK_THROWS_AS(ApiClient(access), InputError);
}

TEST_CASE("who is told to wait waits, within its patience", "[kubernetes]") {
  std::atomic<int> asked = 0;
  const FakeApiServer server([&](const httplib::Request& request, httplib::Response& response) {
    const int time = ++asked;
    if (request.path == "/once" && time > 1) return say(response, 200, "{}");
    response.set_header("Retry-After", request.path == "/long" ? "3600" : "1");
    say(response, request.path == "/busy" ? 503 : 429, "slow down");
  });
  ApiClient client(server.access());
  const auto begin = Clock::now();
  CHECK(client.get("/once").status == 200);
  CHECK(asked == 2);
  CHECK(Clock::now() - begin >= 1s);

  asked = 0;
  CHECK(client.get("/long").status == 429);
  CHECK(asked == 1);
  CHECK(client.get("/busy", {5s, 0ms}).status == 503);
  CHECK(asked == 2);
  CHECK(client.get("/ever", {5s, 1500ms}).status == 429);
  CHECK(asked == 4);
}

TEST_CASE("a path with a stranger's words in it is not sent", "[kubernetes]") {
  std::atomic<int> asked = 0;
  const FakeApiServer server([&](const httplib::Request&, httplib::Response& response) {
    ++asked;
    say(response, 200, "{}");
  });
  ApiClient client(server.access());
  for (const char* path :
       {"", "api", "/a b", "/a\r\nX: y", "/a/../secrets", "/a/..", "/./a", "/a#b", "/\xc3\xa4"}) {
    INFO(path);
    CHECK_THROWS_AS(client.get(path), InputError);
  }
  CHECK(asked == 0);
}
