#include "zonecut/base/gres.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

namespace zonecut {
namespace {

constexpr int kMostGpus = 1024;  // on one node

std::optional<int> parse_number(std::string_view text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = error == std::errc{} && end == text.data() + text.size();
  return whole && number >= 0 && number <= kMostGpus ? std::optional(number) : std::nullopt;
}

/// The next entry: commas within parentheses do not end it.
std::string_view take_entry(std::string_view& text) {
  int depth = 0;
  std::size_t end = 0;
  for (; end < text.size() && (text[end] != ',' || depth > 0); ++end)
    depth += text[end] == '(' ? 1 : text[end] == ')' ? -1 : 0;
  const std::string_view entry = text.substr(0, end);
  text.remove_prefix(std::min(text.size(), end + 1));
  return entry;
}

bool is_gpu(std::string_view entry) {
  return entry == "gpu" || entry.starts_with("gpu:") || entry.starts_with("gpu(");
}

/// The number after the last colon outside parentheses, up to the next parenthesis: 3 of
/// "gpu:(null):3(IDX:0-2)". "gpu" alone is one.
int count_of(std::string_view entry) {
  int depth = 0;
  std::size_t begin = std::string_view::npos;
  for (std::size_t i = 0; i < entry.size(); ++i) {
    depth += entry[i] == '(' ? 1 : entry[i] == ')' ? -1 : 0;
    if (entry[i] == ':' && depth == 0) begin = i + 1;
  }
  if (begin == std::string_view::npos) return 1;
  const std::string_view text = entry.substr(begin);
  return parse_number(text.substr(0, text.find('('))).value_or(0);
}

void add_indices(std::string_view list, std::vector<int>& indices) {
  while (!list.empty()) {
    const std::string_view part = list.substr(0, list.find(','));
    list.remove_prefix(std::min(list.size(), part.size() + 1));
    const std::size_t dash = part.find('-');
    const auto first = parse_number(part.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : parse_number(part.substr(dash + 1));
    for (int i = first.value_or(1); first && last && i <= *last; ++i) indices.push_back(i);
  }
}

}  // namespace

int gres_gpu_count(std::string_view gres) {
  int count = 0;
  while (!gres.empty()) {
    const std::string_view entry = take_entry(gres);
    if (is_gpu(entry)) count = std::min(kMostGpus, count + count_of(entry));
  }
  return count;
}

std::vector<int> gres_gpu_indices(std::string_view detail) {
  std::vector<int> indices;
  while (!detail.empty()) {
    const std::string_view entry = take_entry(detail);
    if (!is_gpu(entry)) continue;
    constexpr std::string_view kIndex = "(IDX:";
    const std::size_t begin = entry.find(kIndex);
    if (begin != std::string_view::npos) {
      const std::string_view list = entry.substr(begin + kIndex.size());
      add_indices(list.substr(0, list.find(')')), indices);
    } else {
      for (int i = 0, count = count_of(entry); i < count; ++i) indices.push_back(i);
    }
  }
  std::sort(indices.begin(), indices.end());
  indices.erase(std::unique(indices.begin(), indices.end()), indices.end());
  return indices;
}

}  // namespace zonecut
