// Prints how long requests take while thousands of slow clients hold connections.
// usage: slow_clients_bench [COUNT]
// Each client connects and sends a byte now and then; who is ended connects again.
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "server/http_server.hpp"

namespace {

using namespace zonecut::kubernetes;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

int connected(int port) {
  const int descriptor = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0)
    return descriptor;
  ::close(descriptor);
  return -1;
}

void trickle(int port, int count, const std::atomic<bool>& stop, std::atomic<int>& held) {
  std::vector<int> clients(static_cast<std::size_t>(count), -1);
  constexpr std::string_view kHead = "POST /v1/filter HTTP/1.1\r\nX: ";
  while (!stop) {
    const auto next_round = Clock::now() + 1s;
    int open = 0;
    for (int& client : clients) {
      if (client < 0 && (client = connected(port)) >= 0)
        (void)::send(client, kHead.data(), kHead.size(), MSG_NOSIGNAL);
      else if (client >= 0 && ::send(client, "x", 1, MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
        ::close(std::exchange(client, -1));
      open += client >= 0 ? 1 : 0;
    }
    held = open;
    while (!stop && Clock::now() < next_round) std::this_thread::sleep_for(10ms);
  }
  for (const int client : clients) {
    if (client >= 0) ::close(client);
  }
}

/// Milliseconds from connecting to the last byte; negative where it failed.
double time_of_request(int port, const std::string& request) {
  const auto start = Clock::now();
  const int descriptor = connected(port);
  if (descriptor < 0) return -1;
  (void)::send(descriptor, request.data(), request.size(), MSG_NOSIGNAL);
  std::array<char, 65536> piece;
  std::size_t got = 0;
  while (const ssize_t size = ::recv(descriptor, piece.data(), piece.size(), 0)) {
    if (size < 0) break;
    got += static_cast<std::size_t>(size);
  }
  ::close(descriptor);
  const std::chrono::duration<double, std::milli> taken = Clock::now() - start;
  return got > 40'000 ? taken.count() : -1;
}

void report(const char* title, std::vector<double> times) {
  const auto failed = std::count_if(times.begin(), times.end(), [](double t) { return t < 0; });
  std::sort(times.begin(), times.end());
  fmt::print("{}: {} requests, {} failed, median {:.2f} ms, 99 % {:.2f} ms, longest {:.2f} ms\n",
             title, times.size(), failed, times[times.size() / 2], times[times.size() * 99 / 100],
             times.back());
}

std::vector<double> ask(int port, const std::string& request) {
  std::vector<double> times;
  for (int i = 0; i < 500; ++i) {
    times.push_back(time_of_request(port, request));
    std::this_thread::sleep_for(20ms);
  }
  return times;
}

}  // namespace

int main(int argc, char** argv) {
  const int count = argc > 1 ? std::atoi(argv[1]) : 5'000;
  HttpServer server{ServerOptions{}};
  server.on_post("/v1/filter", "filter",
                 [](const std::string& body) { return HttpAnswer{200, body}; });
  const int port = server.listen();
  std::thread serving([&] { server.run(); });
  const std::string body(41'000, 'x');
  const std::string request =
      fmt::format("POST /v1/filter HTTP/1.1\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{}",
                  body.size(), body);
  report("nobody slow", ask(port, request));
  std::atomic<bool> stop = false;
  std::atomic<int> held = 0;
  std::thread attack([&] { trickle(port, count, stop, held); });
  std::this_thread::sleep_for(3s);
  report(fmt::format("{} slow", count).c_str(), ask(port, request));
  fmt::print("connections that the slow ones believe to hold: {}\n", held.load());
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  fmt::print("most memory: {} MB\n", usage.ru_maxrss / 1024);
  stop = true;
  attack.join();
  server.stop();
  serving.join();
}
