#include "extender/wire.hpp"

#include <array>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "extender/json_slices.hpp"
#include "extender/plain_request.hpp"
#include "objects/json_object.hpp"
#include "objects/json_text.hpp"
#include "zonecut/base/error.hpp"

namespace zonecut::kubernetes {
namespace {

using Json = nlohmann::json;

/// The whole of a request, where something is wrong with no part of it.
constexpr const char* kBody = "body";

/// Of a request that is kept: a hundred thousand candidates have their names, and a pod has as much
/// as the API server takes of one. Of nodes and of pods that may be evicted hardly anything is
/// read.
constexpr JsonLimits kRequestLimits{.values = 1'000'000};

/// Whether a request's field is read, given the keys that lead to it.
bool is_read(const std::vector<std::string>& path) {
  const std::string& field = path.front();
  const std::string& key = path.back();
  if (field == "Nodes" && path.size() <= 5) {
    constexpr std::array<std::string_view, 5> kPath{"Nodes", "items", "", "metadata", "name"};
    return key == kPath[path.size() - 1];
  }
  if (field == "NodeNameToVictims" &&
      path.size() > 4)  // /NodeNameToVictims/NODE/Pods/N/metadata/uid
    return key == (path.size() == 5 ? "metadata" : "uid");
  return field == "Pod" || field == "NodeNames" || field == "NodeNameToVictims" ||
         field == "NodeNameToMetaVictims";
}

Json parse_request(std::string_view body) {
  return parse_json_parts(body, kBody, kRequestLimits, is_read);
}

std::string required_text(const JsonObject& object, const char* key) {
  std::string text = object.text(key);
  if (text.empty()) throw InputError(object.where(key), "expected a name, found none");
  return text;
}

/// Of a node or pod.
std::string required_metadata(const JsonObject& object, const char* key) {
  std::string text = object.object("metadata").text(key);
  if (text.empty())
    throw InputError(object.where("metadata") + '/' + key, "expected a name, found none");
  return text;
}

Pod pod_of(const Json& root, const JsonObject& request, const GpuResources& gpus) {
  if (!request.has("Pod")) throw InputError(request.where("Pod"), "expected a pod, found none");
  return read_pod(root.at("Pod"), gpus, request.where("Pod"));
}

/// The text of each node, for the way back.
std::vector<std::string> node_texts(std::string_view body, std::size_t count) {
  const auto nodes = field_text(body, "Nodes");
  const auto items = nodes ? field_text(*nodes, "items") : std::nullopt;
  std::vector<std::string> texts;
  if (items) {
    const auto elements = element_texts(*items);
    texts.assign(elements.begin(), elements.end());
  }
  if (texts.size() != count)
    throw InputError("/Nodes/items", "expected keys without escapes, each of them once");
  return texts;
}

void read_nodes(std::string_view body, const JsonObject& nodes, CandidateRequest& request) {
  request.full_nodes = true;
  check_candidates(nodes.length("items"));
  request.names.reserve(nodes.length("items"));
  nodes.each("items", [&](const JsonObject& node) {
    request.names.push_back(required_metadata(node, "name"));
  });
  if (!request.names.empty()) request.nodes = node_texts(body, request.names.size());
}

CandidateRequest read_plain(const PlainRequest& plain, const GpuResources& gpus) {
  CandidateRequest request;
  request.pod = read_pod(parse_json(plain.pod, kBody, kRequestLimits), gpus, "/Pod");
  request.names.assign(plain.names.begin(), plain.names.end());
  request.full_nodes = !plain.nodes.empty();
  request.nodes.assign(plain.nodes.begin(), plain.nodes.end());
  return request;
}

template <typename UidOf>
void read_victims(const JsonObject& candidates, const UidOf& uid_of, PreemptRequest& request) {
  candidates.each_field([&](const std::string& name, const JsonObject& victims) {
    PreemptCandidate candidate{name, {}, 0};
    victims.each("Pods", [&](const JsonObject& pod) { candidate.victims.push_back(uid_of(pod)); });
    candidate.disruption_budgets_broken =
        victims.number("NumPDBViolations", 0, std::numeric_limits<std::int64_t>::max()).value_or(0);
    request.candidates.push_back(std::move(candidate));
  });
}

}  // namespace

CandidateRequest read_candidate_request(std::string_view body, const GpuResources& gpus) {
  if (const auto plain = plain_request(body)) return read_plain(*plain, gpus);
  const Json root = parse_request(body);
  const JsonObject object(root, "");
  CandidateRequest request;
  request.pod = pod_of(root, object, gpus);
  if (object.has("Nodes") && object.has("NodeNames"))
    throw InputError(object.where("Nodes"), "expected either Nodes or NodeNames, found both");
  if (object.has("Nodes")) {
    read_nodes(body, object.object("Nodes"), request);
  } else {
    check_candidates(object.length("NodeNames"));
    request.names = object.texts("NodeNames");
  }
  return request;
}

PreemptRequest read_preempt_request(std::string_view body, const GpuResources& gpus) {
  const Json root = parse_request(body);
  const JsonObject object(root, "");
  PreemptRequest request;
  request.pod = pod_of(root, object, gpus);
  read_victims(
      object.object("NodeNameToMetaVictims"),
      [](const JsonObject& pod) { return required_text(pod, "UID"); }, request);
  if (!request.candidates.empty()) return request;
  read_victims(
      object.object("NodeNameToVictims"),
      [](const JsonObject& pod) { return required_metadata(pod, "uid"); }, request);
  return request;
}

BindRequest read_bind_request(std::string_view body) {
  const Json root = parse_json(body, kBody, kRequestLimits);
  const JsonObject object(root, "");
  return {required_text(object, "PodNamespace"), required_text(object, "PodName"),
          object.text("PodUID"), required_text(object, "Node")};
}

}  // namespace zonecut::kubernetes
