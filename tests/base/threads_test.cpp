#include "zonecut/base/threads.hpp"

#include <signal.h>

#include <atomic>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/catch.hpp"

using namespace zonecut;

TEST_CASE("every index is worked on once, on any number of threads", "[base]") {
  for (const int threads : {-1, 0, 1, 2, 7, 64}) {
    for (const std::size_t count : {0u, 1u, 5u, 300u}) {
      std::vector<std::atomic<int>> visits(count);
      for_each_index(count, threads, [&](std::size_t i) { ++visits[i]; });
      for (const auto& visit : visits) CHECK(visit == 1);
    }
  }
}

TEST_CASE("the least index that ends the work is found, and all below it are done", "[base]") {
  for (const int threads : {1, 2, 8}) {
    for (int round = 0; round < 50; ++round) {
      std::vector<std::atomic<int>> visits(200);
      const std::size_t first = find_index(visits.size(), threads, [&](std::size_t i) {
        ++visits[i];
        return i % 10 == 7 && i > 30;
      });
      CHECK(first == 37);
      for (std::size_t i = 0; i <= first; ++i) CHECK(visits[i] == 1);
      for (const auto& visit : visits) CHECK(visit <= 1);
    }
  }
  CHECK(find_index(5, 3, [](std::size_t) { return false; }) == 5);
}

TEST_CASE("the failure of the least index is thrown again", "[base]") {
  for (const int threads : {1, 2, 8}) {
    const auto fail_from = [&](std::size_t least) {
      for_each_index(100, threads, [&](std::size_t i) {
        if (i >= least) throw std::runtime_error(std::to_string(i));
      });
    };
    CHECK_THROWS_WITH(fail_from(13), "13");
    CHECK_THROWS_WITH(fail_from(0), "0");
  }
}

TEST_CASE("signals reach the thread that asked for help, not its helpers", "[base]") {
  std::atomic<int> open = 0;
  std::thread helper = quiet_thread([&] {
    sigset_t mask;
    pthread_sigmask(SIG_BLOCK, nullptr, &mask);
    open = sigismember(&mask, SIGINT) == 1 ? 0 : 1;
  });
  helper.join();
  CHECK(open == 0);
  sigset_t mask;
  pthread_sigmask(SIG_BLOCK, nullptr, &mask);
  CHECK(sigismember(&mask, SIGINT) == 0);
}
