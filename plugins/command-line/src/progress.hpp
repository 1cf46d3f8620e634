#pragma once
// One line on a terminal's stderr for work that takes longer than a second, gone when it is done.
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "terminal.hpp"

namespace zonecut::cli {

class Progress {
 public:
  /// Shows "zonecut: WORK … 3 s" from the second second on, where stderr is a terminal.
  Progress(const Terminal& terminal, std::string work);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// What is shown from now on. Any thread may call it.
  void say(std::string work);

 private:
  void show();

  std::string work_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::mutex mutex_;
  std::condition_variable changed_;
  bool done_ = false;
  std::thread thread_;
};

}  // namespace zonecut::cli
