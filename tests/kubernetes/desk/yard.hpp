#pragma once
// Nodes and pods as tests need them: zones a and b of four nodes each, two nodes a rack, eight GPUs
// a node.
#include <map>
#include <string>
#include <vector>

#include "desk/desk.hpp"

namespace zonecut::kubernetes {

inline Node a_node(const std::string& name, const std::string& zone, const std::string& rack,
                   int gpus = 8) {
  Node node;
  node.name = name;
  node.labels = {{"zone", zone}, {"rack", rack}, {"kubernetes.io/hostname", name}};
  node.gpus = gpus;
  return node;
}

inline std::vector<Node> eight_nodes() {
  return {a_node("n1", "a", "r1"), a_node("n2", "a", "r1"), a_node("n3", "a", "r2"),
          a_node("n4", "a", "r2"), a_node("n5", "b", "r3"), a_node("n6", "b", "r3"),
          a_node("n7", "b", "r4"), a_node("n8", "b", "r4")};
}

/// A pod of a gang by our own words; no size where it is 0, no rank where it is negative.
inline Pod a_member(const std::string& gang, int rank, int size, int gpus = 8) {
  Pod pod;
  pod.name_space = "team";
  pod.name = gang + "-" + (rank < 0 ? std::string("x") : std::to_string(rank));
  pod.uid = "uid-" + pod.name;
  pod.annotations["zonecut.dev/gang"] = gang;
  if (size > 0) pod.annotations["zonecut.dev/size"] = std::to_string(size);
  if (rank >= 0) pod.annotations["zonecut.dev/rank"] = std::to_string(rank);
  pod.gpus = gpus;
  return pod;
}

inline Pod a_plain_pod(const std::string& name, int gpus) {
  Pod pod;
  pod.name_space = "team";
  pod.name = name;
  pod.uid = "uid-" + name;
  pod.gpus = gpus;
  return pod;
}

inline ImportOptions by_zone_and_rack() {
  ImportOptions options;
  options.level_labels = {"zone", "rack"};
  return options;
}

/// A desk that is fed by hand.
struct Yard {
  explicit Yard(bool gates = false, std::optional<std::size_t> ahead = {})
      : desk(
            [&] {
              DeskOptions options;
              options.gates = gates;
              options.import = by_zone_and_rack();
              options.book.reserve = 1000;
              options.book.patience = 10'000;
              options.book.ahead = ahead;
              return options;
            }(),
            [this](const SizeSource& source, const std::string&, std::chrono::milliseconds time) {
              time_given = time;
              asked.push_back(source.kind + " " + source.name);
              if (when_asked) when_asked();
              return fetched;
            },
            DeskObserver{
                [this](const DeskObserver::Planned& planned) {
                  happened.push_back((planned.again ? "anew " : "planned ") + planned.gang);
                },
                [this](const std::string& gang, const std::string& why, double) {
                  happened.push_back("waits " + gang + ": " + why);
                },
                [this](const std::string& gang) { happened.push_back("released " + gang); },
                [this](const std::string& object, const std::string& why) {
                  happened.push_back("unknown " + object + ": " + why);
                },
                [this](const Outlook& outlook) { outlooks.push_back(outlook); },
                [this](const std::string& pod, const std::string&) {
                  happened.push_back("no gang " + pod);
                }},
            [this] { return now; },
            [this](const std::vector<WantedShape>& wanted, std::chrono::milliseconds) {
              ++lists;
              std::vector<std::optional<FetchedShape>> shapes(wanted.size());
              for (std::size_t i = 0; i < wanted.size(); ++i) {
                const auto found = listed.find(wanted[i].source.name);
                if (found != listed.end()) shapes[i] = found->second;
              }
              return shapes;
            }) {}

  void begin(std::vector<Node> nodes = eight_nodes(), std::vector<Pod> pods = {}) {
    desk.replace_nodes(std::move(nodes));
    desk.replace_pods(std::move(pods));
    (void)desk.errands();
  }
  static CandidateRequest request(const Pod& pod, std::vector<std::string> names = {}) {
    CandidateRequest request;
    request.pod = pod;
    request.names = std::move(names);
    if (request.names.empty()) {
      for (const Node& node : eight_nodes()) request.names.push_back(node.name);
    }
    return request;
  }
  /// The names that are left for the pod, with blanks between, or the text of the refusal.
  std::string ask(const Pod& pod, std::vector<std::string> names = {}) {
    const CandidateRequest asked_for = request(pod, std::move(names));
    const FilterAnswer answer = desk.filter(asked_for);
    if (answer.kept.empty()) return answer.refusal;
    std::string kept;
    for (const std::size_t i : answer.kept) kept += (kept.empty() ? "" : " ") + asked_for.names[i];
    return kept;
  }
  void bind(Pod pod, const std::string& node) {
    pod.node = node;
    pod.phase = PodPhase::Running;
    desk.pod_changed(std::move(pod));
  }
  template <class Kind>
  std::vector<Kind> errands() {
    std::vector<Kind> some;
    for (const Errand& errand : desk.errands()) {
      if (const auto* one = std::get_if<Kind>(&errand)) some.push_back(*one);
    }
    return some;
  }

  std::int64_t now = 1'000'000;
  FetchedShape fetched;
  std::map<std::string, FetchedShape> listed;  ///< by name, what a list brings
  int lists = 0;
  std::vector<std::string> asked;
  std::chrono::milliseconds time_given{0};  ///< for what was asked last
  std::function<void()> when_asked;         ///< what happens meanwhile
  std::vector<std::string> happened;
  std::vector<Outlook> outlooks;
  Desk desk;
};

inline const std::string kAll = "n1 n2 n3 n4 n5 n6 n7 n8";

}  // namespace zonecut::kubernetes
