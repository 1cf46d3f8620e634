#pragma once
// Asks the API server how large gangs are: one object by itself, or thousands of them by lists.
#include <atomic>
#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/api_client.hpp"
#include "desk/desk.hpp"

namespace zonecut::kubernetes {

class ShapeFetcher {
 public:
  /// All outlive it; `stop` ends what is under way.
  ShapeFetcher(ApiClient& client, const GpuResources& gpus, const std::atomic<bool>& stop)
      : client_(client), gpus_(gpus), stop_(stop) {}

  [[nodiscard]] FetchedShape fetch(const SizeSource& source, const std::string& name_space,
                                   std::chrono::milliseconds time) const;
  /// In the order of those that are wanted. None where there are few of a kind, where lists are not
  /// granted, or would bring little but other objects.
  using FetchedShapes = std::vector<std::optional<FetchedShape>>;
  [[nodiscard]] FetchedShapes list(const std::vector<WantedShape>& wanted,
                                   std::chrono::milliseconds time) const;

 private:
  /// Where the shapes of a kind's objects go, by namespace and name.
  using Places = std::map<std::pair<std::string, std::string>, std::size_t>;
  void list_kind(SizeSource source, const Places& places, std::chrono::steady_clock::time_point end,
                 FetchedShapes& fetched) const;

  ApiClient& client_;
  const GpuResources& gpus_;
  const std::atomic<bool>& stop_;
};

}  // namespace zonecut::kubernetes
