#include <zlib.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "kubernetes/server/running_server.hpp"
#include "server/gzip.hpp"
#include "support/catch.hpp"

using namespace zonecut::kubernetes;

namespace {

constexpr std::size_t kLimit = 100'000;

ServerOptions small_options() {
  ServerOptions options;
  options.body_limit = kLimit;
  return options;
}

std::string gzip(const std::string& text) {
  z_stream stream{};
  deflateInit2(&stream, 9, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  std::string packed(deflateBound(&stream, text.size()) + 64, '\0');
  std::string input = text;
  stream.next_in = reinterpret_cast<Bytef*>(input.data());
  stream.avail_in = static_cast<uInt>(input.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

std::string chunked(const std::string& chunks, const std::string& more = "") {
  return "POST /v1/length HTTP/1.1\r\nTransfer-Encoding: chunked\r\n" + more +
         "Connection: close\r\n\r\n" + chunks;
}

std::string chunk(const std::string& text) {
  char size[20];
  std::snprintf(size, sizeof size, "%zx", text.size());
  return std::string(size) + "\r\n" + text + "\r\n";
}

std::string status_of(const std::string& said) { return said.substr(0, said.find("\r\n")); }

constexpr const char* kClose = "Connection: close\r\n";

}  // namespace

TEST_CASE("bodies are taken up to the limit, and refused beyond it before they are read",
          "[kubernetes]") {
  RunningServer server(small_options());
  server.run();
  const auto said = [&](const std::string& text) { return said_to(server.port(), text); };
  CHECK(said(post_text("/v1/length", std::string(kLimit, 'x'), kClose)).ends_with("100000"));
  const std::string refused = said(post_text("/v1/length", std::string(kLimit + 1, 'x')));
  CHECK(status_of(refused) == "HTTP/1.1 413 Payload Too Large");
  CHECK(refused.ends_with(R"({"Error":"the body is too large"})"));
  CHECK(status_of(said("POST /v1/length HTTP/1.1\r\nContent-Length: 99999999999\r\n\r\n")) ==
        "HTTP/1.1 413 Payload Too Large");
}

TEST_CASE("a request to read something has no body", "[kubernetes]") {
  RunningServer server(small_options());
  server.run();
  const auto status = [&](const std::string& text) {
    return status_of(said_to(server.port(), text));
  };
  for (const char* const method : {"GET", "HEAD"}) {
    const std::string start = std::string(method) + " /healthz HTTP/1.1\r\nConnection: close\r\n";
    CHECK(status(start + "Content-Length: 1\r\n\r\nx") == "HTTP/1.1 413 Payload Too Large");
    CHECK(status(start + "Content-Length: 1000\r\n\r\n") == "HTTP/1.1 413 Payload Too Large");
    CHECK(status(start + "Transfer-Encoding: chunked\r\n\r\n") == "HTTP/1.1 413 Payload Too Large");
    CHECK(status(start + "Content-Length: 0\r\n\r\n") == "HTTP/1.1 200 OK");
  }
}

TEST_CASE("chunked bodies have the same limit", "[kubernetes]") {
  RunningServer server(small_options());
  server.run();
  const auto said = [&](const std::string& text) { return said_to(server.port(), text); };
  CHECK(
      said(chunked(chunk("abc") + chunk(std::string(5000, 'x')) + "0\r\n\r\n")).ends_with("5003"));
  std::string many;
  for (int i = 0; i < 30; ++i) many += chunk(std::string(10'000, 'x'));
  CHECK(status_of(said(chunked(many))) == "HTTP/1.1 413 Payload Too Large");
  CHECK(status_of(said(chunked("fffffffffffffff\r\nabc"))) == "HTTP/1.1 413 Payload Too Large");
}

TEST_CASE("packed bodies are unpacked, and their limit is the unpacked length", "[kubernetes]") {
  RunningServer server(small_options());
  server.run();
  const auto status = [&](const std::string& body, const std::string& encoding = "gzip") {
    return status_of(said_to(
        server.port(), post_text("/v1/length", body,
                                 "Content-Encoding: " + encoding + "\r\nConnection: close\r\n")));
  };
  const std::string packed = gzip(std::string(kLimit, 'x'));
  CHECK(packed.size() < 1000);
  CHECK(status(packed) == "HTTP/1.1 200 OK");
  CHECK(said_to(server.port(),
                post_text("/v1/length", packed, "Content-Encoding: gzip\r\nConnection: close\r\n"))
            .ends_with("100000"));
  CHECK(status(gzip(std::string(kLimit + 1, 'x'))) == "HTTP/1.1 413 Payload Too Large");
  CHECK(status(gzip(std::string(50'000'000, 'x'))) == "HTTP/1.1 413 Payload Too Large");
  CHECK(status(packed.substr(0, packed.size() - 9)) == "HTTP/1.1 400 Bad Request");
  CHECK(status(packed + "more") == "HTTP/1.1 400 Bad Request");
  CHECK(status("no gzip at all") == "HTTP/1.1 400 Bad Request");
  CHECK(status(packed, "br") == "HTTP/1.1 415 Unsupported Media Type");
  CHECK(said_to(server.port(), chunked(chunk(packed) + "0\r\n\r\n", "Content-Encoding: gzip\r\n"))
            .ends_with("100000"));
}

TEST_CASE("a text of any length is the same after it was packed and unpacked", "[kubernetes]") {
  std::string text;
  for (int i = 0; i < 40'000; ++i) text += "node-" + std::to_string(i * 7919 % 1000) + ",";
  std::string unpacked;
  CHECK(unpack_gzip(gzip(text), text.size(), unpacked) == Unpacking::Whole);
  CHECK(unpacked == text);
}

TEST_CASE("a head that is too large or no HTTP is refused", "[kubernetes]") {
  RunningServer server(small_options());
  server.run();
  const auto status = [&](const std::string& text) {
    return status_of(said_to(server.port(), text));
  };
  const std::string long_value(20'000, 'x');
  CHECK(status("GET /healthz HTTP/1.1\r\nA: " + long_value + "\r\n\r\n") ==
        "HTTP/1.1 431 Request Header Fields Too Large");
  CHECK(status("GET /" + long_value + " HTTP/1.1\r\n\r\n") ==
        "HTTP/1.1 431 Request Header Fields Too Large");
  CHECK(status("nonsense\r\n\r\n") == "HTTP/1.1 400 Bad Request");
  CHECK(status("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n") == "HTTP/1.1 400 Bad Request");
  CHECK(status("POST /v1/echo HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab") ==
        "HTTP/1.1 400 Bad Request");
  CHECK(status("POST /v1/echo HTTP/1.1\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n"
               "0\r\n\r\n") == "HTTP/1.1 400 Bad Request");
  CHECK(status("POST /v1/echo HTTP/1.1\r\nContent-Length: -1\r\n\r\n") ==
        "HTTP/1.1 400 Bad Request");
  CHECK(status(chunked("zz\r\nabc")) == "HTTP/1.1 400 Bad Request");
  CHECK(status("GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n") == "HTTP/1.1 200 OK");
}

TEST_CASE("a few large bodies are read at once, and small ones beside them", "[kubernetes]") {
  std::atomic<int> begun = 0;
  std::atomic<bool> goes_on = false;
  RunningServer server{ServerOptions{}};
  server.server().on_post("/v1/slow", "slow", [&](const std::string&) {
    ++begun;
    while (!goes_on) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return HttpAnswer{200, "done"};
  });
  server.run();
  const auto said = [&](const std::string& path, std::size_t size) {
    return status_of(said_to(server.port(), post_text(path, std::string(size, 'x'), kClose)));
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&] { CHECK(said("/v1/slow", 300'000) == "HTTP/1.1 200 OK"); });
  while (begun < 8) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  CHECK(said("/v1/length", 300'000) == "HTTP/1.1 503 Service Unavailable");
  CHECK(said("/v1/length", 200'000) == "HTTP/1.1 200 OK");
  goes_on = true;
  for (std::thread& thread : threads) thread.join();
  CHECK(said("/v1/length", 300'000) == "HTTP/1.1 200 OK");
  CHECK(said("/v1/length", 20'000'000) == "HTTP/1.1 200 OK");
}
