#include "api/api_client.hpp"

#include <fmt/format.h>

#include "api/pages.hpp"
#include "api/requests.hpp"
#include "api/watch.hpp"

namespace zonecut::kubernetes {
namespace {

const char* content_type(PatchKind kind) {
  switch (kind) {
    case PatchKind::Merge:
      return "application/merge-patch+json";
    case PatchKind::StrategicMerge:
      return "application/strategic-merge-patch+json";
    case PatchKind::Json:
      return "application/json-patch+json";
  }
  return "";
}

constexpr const char* kJson = "application/json";

/// Text that is not UTF-8 is mended: a stranger's word must not end a write by an exception.
std::string text_of(const nlohmann::json& body) {
  return body.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

std::string ApiAnswer::message() const {
  if (body.is_object()) {
    const auto said = body.find("message");
    if (said != body.end() && said->is_string() && !said->empty()) return said->get<std::string>();
  }
  return fmt::format("status {}", status);
}

ApiClient::ApiClient(ApiAccess access)
    : requests_(std::make_unique<api::Requests>(std::move(access))) {}

ApiClient::~ApiClient() = default;

ApiAnswer ApiClient::get(const std::string& path, const RequestLimits& limits) {
  return requests_->answer({"GET", path, {}, {}, limits});
}

ApiAnswer ApiClient::post(const std::string& path, const nlohmann::json& body,
                          const RequestLimits& limits) {
  return requests_->answer({"POST", path, kJson, text_of(body), limits});
}

ApiAnswer ApiClient::put(const std::string& path, const nlohmann::json& body,
                         const RequestLimits& limits) {
  return requests_->answer({"PUT", path, kJson, text_of(body), limits});
}

ApiAnswer ApiClient::patch(const std::string& path, PatchKind kind, const nlohmann::json& body,
                           const RequestLimits& limits) {
  return requests_->answer({"PATCH", path, content_type(kind), text_of(body), limits});
}

ApiAnswer ApiClient::list(const std::string& path,
                          const std::function<bool(const nlohmann::json&)>& take,
                          const RequestLimits& limits) {
  api::Pages pages(*requests_, path, limits);
  while (true) {
    ApiAnswer page = pages.next();
    if (!page.is_success() || !take(page.body["items"]) || !pages.has_more()) return page;
  }
}

void ApiClient::watch(const std::string& path, const WatchSink& sink,
                      const std::atomic<bool>& stop) {
  api::Watch(*requests_, path, sink, stop).run();
}

void ApiClient::pause(std::chrono::milliseconds time, const std::atomic<bool>& stop) {
  requests_->deadlines().pause(time, &stop);
}

void ApiClient::shut() { requests_->deadlines().cut_all(); }

bool ApiClient::is_shut() const noexcept { return requests_->deadlines().is_cut(); }

}  // namespace zonecut::kubernetes
