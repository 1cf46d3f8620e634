#pragma once
// Who of several replicas leads, by a Lease of coordination.k8s.io/v1 as client-go's leader
// election keeps it: a holder renews it; when it has not been renewed for its duration, as seen by
// our own clock, another takes it.
#include <atomic>
#include <chrono>
#include <functional>
#include <string>

#include "api/api_client.hpp"

namespace zonecut::kubernetes {

struct LeaseOptions {
  std::string name_space;
  std::string name;
  std::string identity;  ///< unique among the replicas
  std::chrono::milliseconds duration{15000};
  std::chrono::milliseconds renew_deadline{
      10000};  ///< a leader that could not renew for so long stops
  std::chrono::milliseconds retry{2000};
  std::function<void(const std::string&)> failed;  ///< what the API server refused; may be empty
};

/// Runs until `stop`, or until the client is shut; calls `changed(true)` on becoming the leader and
/// `changed(false)` on losing it, at the latest `renew_deadline` after the last renewal was sent.
/// Gives the lease up at the end, unless the client is shut by then. The identity is not empty, and
/// retry < renew_deadline < duration.
void keep_lease(ApiClient& client, const LeaseOptions& options,
                const std::function<void(bool)>& changed, const std::atomic<bool>& stop);

}  // namespace zonecut::kubernetes
