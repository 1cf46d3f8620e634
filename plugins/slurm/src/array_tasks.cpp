#include "array_tasks.hpp"

#include <charconv>
#include <optional>

namespace zonecut::slurm {
namespace {

std::optional<std::uint32_t> take_number(std::string_view& text) {
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{}) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

/// The number after `mark`, where that comes next; `otherwise` where it does not.
std::optional<std::uint32_t> take_after(char mark, std::string_view& text,
                                        std::uint32_t otherwise) {
  if (!text.starts_with(mark)) return otherwise;
  text.remove_prefix(1);
  return take_number(text);
}

}  // namespace

std::vector<std::uint32_t> array_tasks(std::string_view text, std::size_t most) {
  std::vector<std::uint32_t> tasks;
  text = text.substr(0, text.find('%'));
  while (!text.empty()) {
    const auto first = take_number(text);
    if (!first) break;
    const auto last = take_after('-', text, *first);
    const auto step = take_after(':', text, 1);
    if (!last || !step || *step == 0) break;
    for (std::uint64_t task = *first; task <= *last && tasks.size() < most; task += *step)
      tasks.push_back(static_cast<std::uint32_t>(task));
    if (!text.starts_with(',')) break;
    text.remove_prefix(1);
  }
  return tasks;
}

}  // namespace zonecut::slurm
