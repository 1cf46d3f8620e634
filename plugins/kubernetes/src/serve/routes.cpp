#include "serve/routes.hpp"

#include "api/writes.hpp"
#include "extender/wire.hpp"
#include "zonecut/base/error.hpp"

namespace zonecut::kubernetes {
namespace {

constexpr int kUnavailable = 503;

/// kube-scheduler takes any other status than 200 for a failure and tries again later.
template <class Answer>
HttpAnswer when_ready(const Answer& answer) {
  try {
    return {200, answer(), "application/json"};
  } catch (const NotReady& error) {
    return {kUnavailable, write_filter_error(error.what()), "application/json"};
  }
}

std::string bound(ApiClient& client, const BindRequest& request) {
  try {
    const WriteAnswer answer =
        bind(client, request.name_space, request.name, request.uid, request.node);
    return write_bind_answer(answer.result == WriteResult::Done ? "" : answer.message);
  } catch (const IoError& error) {
    return write_bind_answer(error.what());
  }
}

}  // namespace

void add_routes(HttpServer& server, const RouteParts& parts) {
  Desk& desk = parts.desk;
  const GpuResources& gpus = parts.gpus;
  server.on_post("/v1/filter", "filter", [&desk, &gpus](const std::string& body) {
    const CandidateRequest request = read_candidate_request(body, gpus);
    return when_ready([&] { return write_filter_answer(request, desk.filter(request)); });
  });
  server.on_post("/v1/prioritize", "prioritize", [&desk, &gpus](const std::string& body) {
    const CandidateRequest request = read_candidate_request(body, gpus);
    return when_ready([&] { return write_prioritize_answer(request, desk.prioritize(request)); });
  });
  server.on_post("/v1/preempt", "preempt", [&desk, &gpus](const std::string& body) {
    const PreemptRequest request = read_preempt_request(body, gpus);
    return when_ready([&] { return write_preempt_answer(desk.preempt(request)); });
  });
  if (parts.bind) {
    server.on_post("/v1/bind", "bind", [&client = parts.client](const std::string& body) {
      return HttpAnswer{200, bound(client, read_bind_request(body)), "application/json"};
    });
  }
  server.on_get("/healthz", [] { return HttpAnswer{200, "ok\n", "text/plain"}; }, Access::Anyone);
  server.on_get(
      "/readyz",
      [&desk] {
        const char* const why = desk.why_not_ready();
        return why == nullptr ? HttpAnswer{200, "ok\n", "text/plain"}
                              : HttpAnswer{kUnavailable, std::string("not ready: ") + why + "\n",
                                           "text/plain"};
      },
      Access::Anyone);
  server.on_get("/metrics", [&metrics = parts.metrics, before = parts.before_metrics] {
    before();
    return HttpAnswer{200, metrics.text(), Metrics::kType};
  });
  server.observe([&metrics = parts.metrics](const std::string& verb, int status, double seconds) {
    metrics.count_request(verb, status, seconds);
  });
}

}  // namespace zonecut::kubernetes
