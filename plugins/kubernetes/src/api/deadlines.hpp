#pragma once
// Ends requests that take too long, whose watch is to stop, or all of them. httplib limits the time
// between two reads only, and its stop() waits for a handshake under way; here one thread cuts the
// connection, again and again until the request is over, since it may open another socket.
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <list>
#include <mutex>
#include <thread>

namespace zonecut::kubernetes {

class ApiConnection;

class Deadlines {
 public:
  using Clock = std::chrono::steady_clock;

  Deadlines();
  Deadlines(const Deadlines&) = delete;
  Deadlines& operator=(const Deadlines&) = delete;
  ~Deadlines();

  struct Limits {
    Clock::time_point end = Clock::time_point::max();
    const std::atomic<bool>* stop = nullptr;  ///< looked at ten times a second
  };

  /// Stands for one request as long as it lives.
  class Guard {
   public:
    Guard(Deadlines& deadlines, const ApiConnection& connection, const Limits& limits);
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;
    ~Guard();

   private:
    friend class Deadlines;
    Deadlines& deadlines_;
    const ApiConnection& connection_;
    Limits limits_;
    std::list<const Guard*>::iterator place_;
  };

  /// From now on every request is cut, those under way as well.
  void cut_all();
  [[nodiscard]] bool is_cut() const noexcept { return all_; }
  /// Waits for `time`, or until everything is cut or `stop` is set.
  void pause(std::chrono::milliseconds time, const std::atomic<bool>* stop);

 private:
  void run();
  [[nodiscard]] bool is_over(const Limits& limits, Clock::time_point now) const;
  [[nodiscard]] Clock::time_point next_look(Clock::time_point now) const;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::list<const Guard*> guards_;
  std::atomic<bool> all_ = false;
  bool ends_ = false;
  std::thread thread_;
};

}  // namespace zonecut::kubernetes
