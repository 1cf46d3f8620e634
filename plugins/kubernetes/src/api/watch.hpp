#pragma once
// One watch of a collection, from its first list to its end: see ApiClient::watch.
#include <atomic>
#include <string>
#include <string_view>

#include "api/api_client.hpp"
#include "api/backoff.hpp"
#include "api/requests.hpp"

namespace zonecut::kubernetes::api {

class Watch {
 public:
  Watch(Requests& requests, const std::string& path, const WatchSink& sink,
        const std::atomic<bool>& stop);
  void run();

 private:
  [[nodiscard]] bool is_over() const { return stop_ || requests_.deadlines().is_cut(); }
  void list_and_follow();
  void list();
  void follow();
  [[nodiscard]] bool take_event(std::string_view line);
  void take_error(const nlohmann::json& status) const;
  void retry(const std::string& reason);

  Requests& requests_;
  const std::string path_;
  const WatchSink& sink_;
  const std::atomic<bool>& stop_;
  Random random_;
  Backoff backoff_;
  std::string version_;  ///< where the watch goes on; empty: the objects must be listed first
  bool heard_ = false;   ///< an event came in this watch
};

}  // namespace zonecut::kubernetes::api
