#pragma once
// What zonecut writes to the API: wakes, gates, bindings and events. Each is one request.
#include <string>

#include "api/api_client.hpp"
#include "objects/objects.hpp"

namespace zonecut::kubernetes {

enum class WriteResult {
  Done,
  Gone,      ///< the pod is not there any more, or is another one of that name
  Conflict,  ///< it is bound elsewhere, or was changed in a way that forbids this
  Failed,    ///< the server refused otherwise
};

struct WriteAnswer {
  WriteResult result = WriteResult::Done;
  std::string message;  ///< what the server said, unless Done
};

/// Sets annotation zonecut.dev/wake, which makes kube-scheduler try the pod again. Checks the uid.
[[nodiscard]] WriteAnswer wake(ApiClient& client, const Pod& pod, const std::string& text,
                               const RequestLimits& limits = {});

/// Sets the node selector kubernetes.io/hostname and annotations zonecut.dev/server and
/// zonecut.dev/rank, and removes the gate zonecut.dev/placement, in one patch that holds only for
/// this uid and the gates it had. With an empty hostname only the gate is removed.
[[nodiscard]] WriteAnswer open_gate(ApiClient& client, const Pod& pod, const std::string& hostname,
                                    const std::string& server, std::uint32_t rank,
                                    const RequestLimits& limits = {});

/// Binds; Done as well where the pod is bound there already.
[[nodiscard]] WriteAnswer bind(ApiClient& client, const std::string& name_space,
                               const std::string& name, const std::string& uid,
                               const std::string& node);

struct EventText {
  std::string reason;   ///< "GangPlanned"
  std::string message;  ///< at most 1,024 characters; longer ones are cut
  bool warning = false;
};

/// An Event of events.k8s.io/v1 regarding the pod. The caller limits how many there are.
[[nodiscard]] WriteAnswer tell(ApiClient& client, const Pod& pod, const EventText& text,
                               const std::string& reporter, const RequestLimits& limits = {});

}  // namespace zonecut::kubernetes
