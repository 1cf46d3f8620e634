#include "job/job_places.hpp"

#include <charconv>

namespace zonecut {
namespace {

const Value* entry_of(const Value& mapping, std::string_view key) {
  for (const Value::Entry& entry : mapping.entries) {
    if (entry.key == key) return &entry.value;
  }
  return nullptr;
}

/// At the top of the file, or in any section but that of the scheduler and of the encoder, whose
/// keys are those of the language model.
const Value* first_called(const Value& root, std::string_view key) {
  if (const Value* value = entry_of(root, key)) return value;
  for (const Value::Entry& entry : root.entries) {
    if (entry.key == "placement" || entry.key == "encoder") continue;
    if (const Value* value = entry_of(entry.value, key)) return value;
  }
  return nullptr;
}

/// The item of "[3]…", which it takes away; null when there is none.
const Value* take_item(const Value& list, std::string_view& rest) {
  std::size_t index = 0;
  const auto [stop, error] = std::from_chars(rest.data() + 1, rest.data() + rest.size(), index);
  if (error != std::errc{} || index >= list.items.size()) return nullptr;
  rest.remove_prefix(static_cast<std::size_t>(stop - rest.data()) + 1);
  return &list.items[index];
}

}  // namespace

const Value* find_in_job(const Document& document, std::string_view field) {
  const std::size_t end = field.find_first_of(".[");
  const Value* found = first_called(document.root, field.substr(0, end));
  std::string_view rest = end == std::string_view::npos ? std::string_view{} : field.substr(end);
  while (found != nullptr && !rest.empty()) {
    const Value* next = nullptr;
    if (rest.front() == '[') {
      next = take_item(*found, rest);
    } else {
      rest.remove_prefix(1);
      const std::string_view key = rest.substr(0, rest.find_first_of(".["));
      next = entry_of(*found, key);
      rest.remove_prefix(key.size());
    }
    if (next == nullptr) return found;
    found = next;
  }
  return found;
}

}  // namespace zonecut
