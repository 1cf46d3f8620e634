#include <algorithm>
#include <nlohmann/json.hpp>

#include "extender/wire.hpp"
#include "zonecut/base/error.hpp"

namespace zonecut::kubernetes {
namespace {

/// Names of nodes need no escapes, and there are thousands of them.
bool is_plain(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return c >= ' ' && c < '\x7f' && c != '"' && c != '\\'; });
}

std::string in_quotes(std::string_view text) {
  if (is_plain(text)) return '"' + std::string(text) + '"';
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// Writes elements with commas between them.
class List {
 public:
  List(std::string& text, char open, char close) : text_(text), close_(close) { text_ += open; }
  List(const List&) = delete;
  List& operator=(const List&) = delete;
  ~List() { text_ += close_; }
  std::string& next() {
    if (!is_first_) text_ += ',';
    is_first_ = false;
    return text_;
  }

 private:
  std::string& text_;
  char close_;
  bool is_first_ = true;
};

void write_kept_nodes(const CandidateRequest& request, const FilterAnswer& answer,
                      std::string& text) {
  text += R"({"Nodes":{"metadata":{},"items":)";
  {
    List items(text, '[', ']');
    for (const std::size_t place : answer.kept) items.next() += request.nodes[place];
  }
  text += R"(},"NodeNames":null)";
}

void write_kept_names(const CandidateRequest& request, const FilterAnswer& answer,
                      std::string& text) {
  text += R"({"Nodes":null,"NodeNames":)";
  List names(text, '[', ']');
  for (const std::size_t place : answer.kept) names.next() += in_quotes(request.names[place]);
}

void write_refused(const CandidateRequest& request, const FilterAnswer& answer, std::string& text) {
  List refused(text, '{', '}');
  if (answer.refusal.empty()) return;
  const std::string reason = ':' + in_quotes(answer.refusal);
  auto kept = answer.kept.begin();
  for (std::size_t place = 0; place < request.names.size(); ++place) {
    if (kept != answer.kept.end() && *kept == place)
      ++kept;
    else
      refused.next().append(in_quotes(request.names[place])).append(reason);
  }
}

bool are_places(const std::vector<std::size_t>& kept, std::size_t count) {
  return std::adjacent_find(kept.begin(), kept.end(), std::greater_equal<>()) == kept.end() &&
         (kept.empty() || kept.back() < count);
}

}  // namespace

std::string write_filter_answer(const CandidateRequest& request, const FilterAnswer& answer) {
  ZONECUT_ENSURES(are_places(answer.kept, request.names.size()));
  std::string text;
  if (request.full_nodes)
    write_kept_nodes(request, answer, text);
  else
    write_kept_names(request, answer, text);
  text += R"(,"FailedNodes":null,"FailedAndUnresolvableNodes":)";
  write_refused(request, answer, text);
  return text += R"(,"Error":""})";
}

std::string write_filter_error(std::string_view error) {
  return R"({"Nodes":null,"NodeNames":null,"FailedNodes":null,"FailedAndUnresolvableNodes":null,)"
         R"("Error":)" +
         in_quotes(error) + '}';
}

std::string write_prioritize_answer(const CandidateRequest& request,
                                    const std::vector<std::int64_t>& scores) {
  ZONECUT_ENSURES(scores.size() == request.names.size());
  std::string text;
  {
    List hosts(text, '[', ']');
    for (std::size_t place = 0; place < scores.size(); ++place) {
      hosts.next()
          .append(R"({"Host":)")
          .append(in_quotes(request.names[place]))
          .append(R"(,"Score":)")
          .append(std::to_string(scores[place]))
          .append("}");
    }
  }
  return text;
}

std::string write_preempt_answer(const std::vector<PreemptCandidate>& chosen) {
  std::string text = R"({"NodeNameToMetaVictims":)";
  {
    List nodes(text, '{', '}');
    for (const PreemptCandidate& candidate : chosen) {
      if (candidate.victims.empty()) continue;
      nodes.next().append(in_quotes(candidate.node)).append(R"(:{"Pods":)");
      {
        List pods(text, '[', ']');
        for (const std::string& uid : candidate.victims)
          pods.next().append(R"({"UID":)").append(in_quotes(uid)).append("}");
      }
      text.append(R"(,"NumPDBViolations":)")
          .append(std::to_string(candidate.disruption_budgets_broken))
          .append("}");
    }
  }
  return text += '}';
}

std::string write_bind_answer(std::string_view error) {
  return R"({"Error":)" + in_quotes(error) + '}';
}

}  // namespace zonecut::kubernetes
