#include "zonecut/base/error.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace zonecut {
namespace {

std::string join(const std::vector<Problem>& problems) {
  std::string text;
  for (const Problem& problem : problems) {
    if (!text.empty()) text += '\n';
    text += to_text(problem);
  }
  return text;
}

}  // namespace

std::string to_text(const Problem& problem) {
  std::string text =
      problem.where.empty() ? problem.what : fmt::format("{}: {}", problem.where, problem.what);
  if (!problem.hint.empty()) text += fmt::format(" ({})", problem.hint);
  return text;
}

InputError::InputError(std::vector<Problem> problems)
    : std::runtime_error(join(problems)), problems_(std::move(problems)) {}

InputError::InputError(std::string where, std::string what, std::string hint)
    : InputError(std::vector{Problem{std::move(where), std::move(what), std::move(hint)}}) {}

IoError::IoError(const std::string& peer, const std::string& what)
    : std::runtime_error(fmt::format("{}: {}", peer, what)) {}

void ProblemList::add(std::string where, std::string what, std::string hint) {
  const auto is_same = [&](const auto& other) { return other.what == what && other.hint == hint; };
  const auto repeated = std::ranges::find_if(repeated_, is_same);
  if (repeated != repeated_.end()) {
    ++repeated->places;
  } else if (std::ranges::count_if(problems_, is_same) == kMaxEqual) {
    repeated_.push_back({std::move(what), std::move(hint), 1});
  } else if (problems_.size() == kMaxProblems) {
    ++omitted_;
  } else {
    problems_.push_back({std::move(where), std::move(what), std::move(hint)});
  }
}

void ProblemList::throw_if_any() const {
  if (problems_.empty()) return;
  std::vector<Problem> all = problems_;
  for (const auto& [what, hint, places] : repeated_) {
    all.push_back(
        {"", fmt::format("and in {} more place{}: {}", places, places == 1 ? "" : "s", what), ""});
  }
  if (omitted_ > 0) all.push_back({"", fmt::format("and {} more", omitted_), ""});
  throw InputError(std::move(all));
}

void contract_broken(const char* condition, const char* file, int line) {
  throw InternalError(fmt::format("{}:{}: contract broken: {}", file, line, condition));
}

}  // namespace zonecut
