#include "api/writes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <random>

#include "api/micro_time.hpp"

namespace zonecut::kubernetes {
namespace {

using nlohmann::json;

constexpr std::size_t kLongestName = 253;
constexpr std::size_t kLongestNote = 1024;
constexpr std::size_t kLongestReporter = 128;
constexpr const char* kGate = "zonecut.dev/placement";

/// What Kubernetes takes for the name of an object; it goes into a path.
bool is_name(const std::string& text) {
  const auto is_alphanumeric = [](char character) {
    return (character >= 'a' && character <= 'z') || (character >= '0' && character <= '9');
  };
  return !text.empty() && text.size() <= kLongestName && is_alphanumeric(text.front()) &&
         is_alphanumeric(text.back()) && std::all_of(text.begin(), text.end(), [&](char character) {
           return is_alphanumeric(character) || character == '-' || character == '.';
         });
}

std::string pod_path(const std::string& name_space, const std::string& name) {
  return fmt::format("/api/v1/namespaces/{}/pods/{}", name_space, name);
}

WriteAnswer no_name(const std::string& name_space, const std::string& name) {
  return {WriteResult::Failed,
          fmt::format("\"{}/{}\" is no name that an object can have", name_space, name)};
}

/// Whether a write failed because the object of that name is another one: kube-apiserver takes the
/// uid in a patch for a change of it, which it forbids, and the one in a binding for a condition.
bool is_other_uid(const ApiAnswer& answer) {
  if (answer.status == 409)
    return answer.message().find("UID in precondition") != std::string::npos;
  const json::json_pointer place("/details/causes");
  if (answer.status != 422 || !answer.body.contains(place)) return false;
  const json& causes = answer.body[place];
  return std::any_of(causes.begin(), causes.end(), [](const json& cause) {
    return cause.is_object() && cause.contains("field") && cause["field"] == "metadata.uid";
  });
}

/// Without the difference between two objects that kube-apiserver may add.
std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

WriteAnswer judged(const ApiAnswer& answer) {
  if (answer.is_success()) return {};
  const std::string message = first_line(answer.message());
  if (answer.status == 404 || is_other_uid(answer)) return {WriteResult::Gone, message};
  if (answer.status == 409 || answer.status == 422) return {WriteResult::Conflict, message};
  return {WriteResult::Failed, message};
}

/// What a bind that met a conflict is worth: done where the pod is bound as asked.
WriteAnswer judged_by_pod(const ApiAnswer& refused, const ApiAnswer& pod, const std::string& uid,
                          const std::string& node) {
  if (pod.status == 404) return {WriteResult::Gone, pod.message()};
  if (!pod.is_success() || !pod.body.is_object()) return {WriteResult::Failed, pod.message()};
  const auto text = [&](const char* pointer) {
    const json::json_pointer place(pointer);
    const json value = pod.body.contains(place) ? pod.body[place] : json();
    return value.is_string() ? value.get<std::string>() : std::string();
  };
  if (!uid.empty() && text("/metadata/uid") != uid) return {WriteResult::Gone, refused.message()};
  if (text("/spec/nodeName") == node) return {};
  return {WriteResult::Conflict, refused.message()};
}

/// The first bytes of a text, as many as make whole characters of UTF-8.
std::string cut(const std::string& text, std::size_t most) {
  if (text.size() <= most) return text;
  std::size_t end = most;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  return text.substr(0, end);
}

std::string event_name(const std::string& pod) {
  std::random_device device;
  const std::string suffix = fmt::format(".{:08x}{:08x}", device(), device());
  std::string stem = pod.substr(0, kLongestName - suffix.size());
  while (stem.ends_with('-') || stem.ends_with('.')) stem.pop_back();
  return stem + suffix;
}

}  // namespace

WriteAnswer wake(ApiClient& client, const Pod& pod, const std::string& text,
                 const RequestLimits& limits) {
  if (!is_name(pod.name_space) || !is_name(pod.name)) return no_name(pod.name_space, pod.name);
  const json patch = {
      {"metadata", {{"uid", pod.uid}, {"annotations", {{"zonecut.dev/wake", text}}}}}};
  return judged(client.patch(pod_path(pod.name_space, pod.name), PatchKind::Merge, patch, limits));
}

WriteAnswer open_gate(ApiClient& client, const Pod& pod, const std::string& hostname,
                      const std::string& server, std::uint32_t rank, const RequestLimits& limits) {
  if (!is_name(pod.name_space) || !is_name(pod.name)) return no_name(pod.name_space, pod.name);
  // A strategic merge leaves other gates, selectors and annotations alone, whatever they are by
  // now. Where the gate is gone already the API server refuses a selector that changes anything,
  // and takes a repeated patch that changes nothing.
  const json gate = {{"$patch", "delete"}, {"name", kGate}};
  json patch = {{"metadata", {{"uid", pod.uid}}},
                {"spec", {{"schedulingGates", json::array({gate})}}}};
  if (!hostname.empty()) {
    patch["metadata"]["annotations"] = {{"zonecut.dev/server", server},
                                        {"zonecut.dev/rank", std::to_string(rank)}};
    patch["spec"]["nodeSelector"] = {{"kubernetes.io/hostname", hostname}};
  }
  return judged(
      client.patch(pod_path(pod.name_space, pod.name), PatchKind::StrategicMerge, patch, limits));
}

WriteAnswer bind(ApiClient& client, const std::string& name_space, const std::string& name,
                 const std::string& uid, const std::string& node) {
  if (!is_name(name_space) || !is_name(name)) return no_name(name_space, name);
  const std::string path = pod_path(name_space, name);
  json binding = {{"apiVersion", "v1"},
                  {"kind", "Binding"},
                  {"metadata", {{"name", name}, {"namespace", name_space}}},
                  {"target", {{"apiVersion", "v1"}, {"kind", "Node"}, {"name", node}}}};
  if (!uid.empty()) binding["metadata"]["uid"] = uid;
  const ApiAnswer answer = client.post(path + "/binding", binding);
  if (answer.status != 409) return judged(answer);
  return judged_by_pod(answer, client.get(path), uid, node);
}

WriteAnswer tell(ApiClient& client, const Pod& pod, const EventText& text,
                 const std::string& reporter, const RequestLimits& limits) {
  if (!is_name(pod.name_space) || !is_name(pod.name)) return no_name(pod.name_space, pod.name);
  const json event = {{"apiVersion", "events.k8s.io/v1"},
                      {"kind", "Event"},
                      {"metadata", {{"name", event_name(pod.name)}, {"namespace", pod.name_space}}},
                      {"eventTime", api::micro_time(std::chrono::system_clock::now())},
                      {"type", text.warning ? "Warning" : "Normal"},
                      {"reason", text.reason},
                      {"action", "Placing"},
                      {"note", cut(text.message, kLongestNote)},
                      {"reportingController", "zonecut.dev/zonecut"},
                      {"reportingInstance", cut(reporter, kLongestReporter)},
                      {"regarding",
                       {{"apiVersion", "v1"},
                        {"kind", "Pod"},
                        {"namespace", pod.name_space},
                        {"name", pod.name},
                        {"uid", pod.uid}}}};
  return judged(client.post(
      fmt::format("/apis/events.k8s.io/v1/namespaces/{}/events", pod.name_space), event, limits));
}

}  // namespace zonecut::kubernetes
