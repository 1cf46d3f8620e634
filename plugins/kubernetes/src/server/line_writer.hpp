#pragma once
// Lines on their way to a file descriptor whose reader may stall. Who adds one never waits: a
// thread writes them, and while it cannot, lines are kept up to a limit and dropped beyond it. How
// many were dropped is said where they are missing, when the writer gets on. Any number of threads
// may add.
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>

namespace zonecut::kubernetes {

class LineWriter {
 public:
  /// Bytes that wait, and as many that are being written.
  static constexpr std::size_t kMostBytes = 1u << 20;

  /// `missing` makes the line that says how many were dropped.
  LineWriter(int descriptor, std::function<std::string(std::size_t)> missing);
  LineWriter(const LineWriter&) = delete;
  LineWriter& operator=(const LineWriter&) = delete;
  /// Returns when all is written, after two seconds at the latest: the rest is lost if the process
  /// ends then.
  ~LineWriter();

  void add(std::string_view line);

 private:
  struct Queue;
  std::shared_ptr<Queue> queue_;
  std::thread thread_;
};

}  // namespace zonecut::kubernetes
