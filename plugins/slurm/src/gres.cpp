#include "gres.hpp"

#include <algorithm>
#include <optional>

#include "whole_number.hpp"

namespace zonecut::slurm {
namespace {

constexpr int kMostGpus = 1024;  // on one node

std::optional<int> parse_number(std::string_view text) {
  return whole_number<int>(text, 0, kMostGpus);
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

/// The number after the last colon outside parentheses: "gpu" alone is one.
int count_of(std::string_view entry) {
  entry = entry.substr(0, entry.find('('));
  const std::size_t colon = entry.rfind(':');
  return colon == std::string_view::npos ? 1 : parse_number(entry.substr(colon + 1)).value_or(0);
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

int gpu_count(std::string_view gres) {
  int count = 0;
  while (!gres.empty()) {
    const std::string_view entry = take_entry(gres);
    if (is_gpu(entry)) count = std::min(kMostGpus, count + count_of(entry));
  }
  return count;
}

std::vector<int> gpu_indices(std::string_view detail) {
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

}  // namespace zonecut::slurm
