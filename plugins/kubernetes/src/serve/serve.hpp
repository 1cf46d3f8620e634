#pragma once
// `zonecut serve`: the extender and the gate controller, from start to stop.
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "objects/objects.hpp"
#include "server/http_server.hpp"
#include "zonecut/scheduler/gang_book.hpp"
#include "zonecut/topology/cluster.hpp"
#include "zonecut/topology/import.hpp"

namespace zonecut::kubernetes {

struct LeaseName {
  std::string name_space;
  std::string name;
};

struct ServeOptions {
  ServerOptions server;
  std::optional<std::string> kubeconfig;  ///< none: the service account of the pod
  std::optional<std::string> context;     ///< of the kubeconfig; none: its current one
  std::optional<Cluster> cluster;         ///< none: from the nodes
  std::string cluster_file;               ///< that it was read from, and is not read again
  ImportOptions import;
  GpuResources gpus;  ///< names of extended resources
  BookOptions book;
  bool gates = false;
  bool bind = false;
  std::optional<LeaseName> lease;  ///< none: there is one replica
  std::string version;
};

/// What the surroundings give.
struct ServeHooks {
  int log = 2;  ///< the file descriptor that lines of the log go to
  /// Called once with "127.0.0.1:12346" when connections are accepted; what it throws ends all.
  std::function<void(const std::string&)> listening;
  /// Returns when it is time to stop.
  std::function<void()> wait_for_stop;
  std::function<std::optional<std::string>(const char*)> environment;
};

/// Throws InputError on options that cannot be used, IoError where the port is taken. The process
/// ignores SIGPIPE.
void serve(ServeOptions options, const ServeHooks& hooks);

}  // namespace zonecut::kubernetes
