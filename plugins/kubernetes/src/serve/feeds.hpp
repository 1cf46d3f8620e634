#pragma once
// The two watches, nodes and pods, each on a thread of its own, and what they tell the desk.
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "api/api_client.hpp"
#include "desk/desk.hpp"
#include "serve/bell.hpp"
#include "server/log.hpp"
#include "server/metrics.hpp"

namespace zonecut::kubernetes {

class Feeds {
 public:
  /// Begins to watch. Everything must outlive it.
  Feeds(ApiClient& client, Desk& desk, const GpuResources& gpus, Bell& bell, Log& log,
        Metrics& metrics);
  Feeds(const Feeds&) = delete;
  Feeds& operator=(const Feeds&) = delete;
  /// The client must be shut before.
  ~Feeds();
  /// Writes the ages of what is known to the metrics.
  void note_ages();

 private:
  using Clock = std::chrono::steady_clock;
  struct Feed {
    explicit Feed(const char* name) : resource(name) {}
    const char* resource;
    std::atomic<Clock::rep> heard{0};
    bool listed = false;
    std::thread thread;
  };
  [[nodiscard]] WatchSink node_sink(Feed& feed);
  [[nodiscard]] WatchSink pod_sink(Feed& feed);
  [[nodiscard]] std::function<void(const std::string&, std::chrono::milliseconds)> failure(
      Feed& feed);
  void note_list(Feed& feed, std::size_t count);
  void heard(Feed& feed);
  template <class Take>
  void taken(Feed& feed, const nlohmann::json& object, const Take& take);

  ApiClient& client_;
  Desk& desk_;
  const GpuResources& gpus_;
  Bell& bell_;
  Log& log_;
  Metrics& metrics_;
  std::atomic<bool> stop_ = false;
  std::vector<Node> listed_nodes_;  // of a list under way, each of its own thread alone
  std::vector<Pod> listed_pods_;
  Feed nodes_{"nodes"};
  Feed pods_{"pods"};
};

}  // namespace zonecut::kubernetes
