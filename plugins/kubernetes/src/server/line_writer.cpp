#include "server/line_writer.hpp"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <utility>

#include "zonecut/base/threads.hpp"

namespace zonecut::kubernetes {
namespace {

constexpr std::chrono::seconds kLastTime{2};
constexpr int kForEver = -1;

/// What cannot be written is lost: there is nobody else to tell.
void write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written >= 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EAGAIN) {  // whoever shares the descriptor may have made it so
      pollfd room{descriptor, POLLOUT, 0};
      (void)::poll(&room, 1, kForEver);
    } else if (errno != EINTR) {
      return;
    }
  }
}

}  // namespace

/// Outlives the writer where a write never ends.
struct LineWriter::Queue {
  void write_until_stop() {
    std::unique_lock lock(mutex);
    while (true) {
      more.wait(lock, [this] { return stop || !text.empty(); });
      if (text.empty()) break;
      std::string now = std::exchange(text, {});
      const std::size_t missed = std::exchange(dropped, 0);
      lock.unlock();
      if (missed > 0) now += missing(missed);
      write_all(descriptor, now);
      lock.lock();
    }
    has_ended = true;
    ended.notify_one();
  }

  const int descriptor;
  const std::function<std::string(std::size_t)> missing;
  std::mutex mutex;
  std::condition_variable more;
  std::condition_variable ended;
  std::string text;         // lines that wait
  std::size_t dropped = 0;  // that came after them
  bool stop = false;
  bool has_ended = false;
};

LineWriter::LineWriter(int descriptor, std::function<std::string(std::size_t)> missing)
    : queue_(std::make_shared<Queue>(descriptor, std::move(missing))),
      thread_(quiet_thread([queue = queue_] { queue->write_until_stop(); })) {}

LineWriter::~LineWriter() {
  std::unique_lock lock(queue_->mutex);
  queue_->stop = true;
  queue_->more.notify_one();
  const bool has_ended = queue_->ended.wait_for(lock, kLastTime, [&] { return queue_->has_ended; });
  lock.unlock();
  if (has_ended)
    thread_.join();
  else
    thread_.detach();  // nothing else ends a write that blocks
}

void LineWriter::add(std::string_view line) {
  {
    const std::lock_guard lock(queue_->mutex);
    const bool fits = queue_->text.empty() || queue_->text.size() + line.size() <= kMostBytes;
    if (!fits || queue_->dropped > 0) {
      ++queue_->dropped;
      return;
    }
    queue_->text += line;
  }
  queue_->more.notify_one();
}

}  // namespace zonecut::kubernetes
