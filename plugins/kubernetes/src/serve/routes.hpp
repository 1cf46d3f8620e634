#pragma once
// Which path of the extender answers what.
#include <functional>

#include "api/api_client.hpp"
#include "desk/desk.hpp"
#include "server/http_server.hpp"
#include "server/log.hpp"
#include "server/metrics.hpp"

namespace zonecut::kubernetes {

struct RouteParts {
  Desk& desk;
  ApiClient& client;
  const GpuResources& gpus;
  Log& log;
  Metrics& metrics;
  bool bind = false;
  std::function<void()> before_metrics;  ///< brings gauges up to date
};

/// The parts must outlive the server.
void add_routes(HttpServer& server, const RouteParts& parts);

}  // namespace zonecut::kubernetes
