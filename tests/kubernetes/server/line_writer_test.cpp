#include "server/line_writer.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "support/catch.hpp"

using namespace zonecut::kubernetes;
using Clock = std::chrono::steady_clock;
using std::chrono::seconds;

namespace {

std::string missing(std::size_t count) { return std::to_string(count) + " missing\n"; }

/// A pipe that is full from the start.
class FullPipe {
 public:
  FullPipe() {
    REQUIRE(::pipe2(ends_.data(), O_CLOEXEC) == 0);
    REQUIRE(::fcntl(ends_[1], F_SETFL, O_NONBLOCK) == 0);
    const std::string filling(4096, '\n');
    while (::write(ends_[1], filling.data(), filling.size()) > 0) {
    }
    REQUIRE(::fcntl(ends_[1], F_SETFL, 0) == 0);
  }
  FullPipe(const FullPipe&) = delete;
  FullPipe& operator=(const FullPipe&) = delete;
  ~FullPipe() {
    for (const int end : ends_) ::close(end);
  }
  [[nodiscard]] int end_to_write() const { return ends_[1]; }

  /// The lines that are written until nothing comes for a while.
  [[nodiscard]] std::vector<std::string> lines() const {
    constexpr int kWhile = 300;
    std::string text;
    std::array<char, 65536> part{};
    pollfd more{ends_[0], POLLIN, 0};
    while (::poll(&more, 1, kWhile) == 1) {
      const ssize_t size = ::read(ends_[0], part.data(), part.size());
      REQUIRE(size > 0);
      text.append(part.data(), static_cast<std::size_t>(size));
    }
    std::vector<std::string> lines;
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = text.find('\n', begin);
      REQUIRE(end != std::string::npos);
      if (end > begin) lines.push_back(text.substr(begin, end - begin));
      begin = end + 1;
    }
    return lines;
  }

 private:
  std::array<int, 2> ends_{};
};

}  // namespace

TEST_CASE("who adds lines waits for no reader; what was dropped is counted where it is missing",
          "[kubernetes]") {
  constexpr std::size_t kLines = 40'000;
  const std::string rest(100, '.');
  const FullPipe pipe;
  LineWriter writer(pipe.end_to_write(), missing);
  const auto begin = Clock::now();
  for (std::size_t i = 0; i < kLines; ++i) writer.add(std::to_string(i) + rest + "\n");
  CHECK(Clock::now() - begin < seconds(5));
  const std::vector<std::string> lines = pipe.lines();
  REQUIRE(lines.size() > LineWriter::kMostBytes / 200);
  REQUIRE(lines.size() < kLines);
  std::size_t next = 0;
  for (const std::string& line : lines) {
    if (line.ends_with(" missing")) {
      next += std::stoul(line);
    } else {
      REQUIRE(line == std::to_string(next) + rest);
      ++next;
    }
  }
  CHECK(next == kLines);
  writer.add("afterwards\n");
  CHECK(pipe.lines() == std::vector<std::string>{"afterwards"});
}

TEST_CASE("what waits is written at the end if somebody reads", "[kubernetes]") {
  const FullPipe pipe;
  auto writer = std::make_unique<LineWriter>(pipe.end_to_write(), missing);
  writer->add("first\n");
  writer->add("last\n");
  std::vector<std::string> lines;
  std::thread reader([&] { lines = pipe.lines(); });
  writer.reset();
  reader.join();
  CHECK(lines == std::vector<std::string>{"first", "last"});
}

TEST_CASE("a writer ends although nobody ever reads", "[kubernetes]") {
  const FullPipe pipe;
  auto writer = std::make_unique<LineWriter>(pipe.end_to_write(), missing);
  writer->add("lost\n");
  const auto begin = Clock::now();
  writer.reset();
  CHECK(Clock::now() - begin < seconds(10));
}

TEST_CASE("a descriptor that does not block takes all lines as its reader does", "[kubernetes]") {
  const FullPipe pipe;
  REQUIRE(::fcntl(pipe.end_to_write(), F_SETFL, O_NONBLOCK) == 0);
  LineWriter writer(pipe.end_to_write(), missing);
  const std::string large(500'000, 'x');
  writer.add(large + "\n");
  CHECK(pipe.lines() == std::vector<std::string>{large});
}
