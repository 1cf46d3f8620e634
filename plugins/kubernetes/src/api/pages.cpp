#include "api/pages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "zonecut/base/error.hpp"

namespace zonecut::kubernetes::api {
namespace {

constexpr std::size_t kPage = 500;
/// Parsed, a page takes several times as much.
constexpr std::size_t kMostOfPage = 8u << 20;
/// The next page may hold larger objects.
constexpr std::size_t kAimedAt = kMostOfPage / 4 * 3;
constexpr std::size_t kMostObjects = 1'000'000;

}  // namespace

Pages::Pages(Requests& requests, std::string path, RequestLimits limits)
    : requests_(requests), path_(std::move(path)), limits_(limits), limit_(kPage) {}

ApiAnswer Pages::next() {
  ApiAnswer page = fitting_page();
  if (!page.is_success()) return page;
  continue_ = text_at(page.body, "/metadata/continue");
  version_ = text_at(page.body, "/metadata/resourceVersion");
  if (!page.body.is_object() || version_.empty())
    throw IoError(requests_.peer(), "the answer is no list of objects");
  const nlohmann::json& items = page.body["items"];
  if (!items.is_array() && !items.is_null())
    throw IoError(requests_.peer(), "the items of the list are no array");
  adapt_to(items.size(), page.bytes);
  objects_ += items.size();
  if (objects_ > kMostObjects)
    throw IoError(requests_.peer(), fmt::format("lists more than {} objects", kMostObjects));
  return page;
}

/// Of fewer objects where that many are too large; a single one may be as large as any answer.
ApiAnswer Pages::fitting_page() {
  const std::string rest = continue_.empty() ? "" : "&continue=" + percent_encoded(continue_);
  while (true) {
    try {
      return requests_.answer({"GET",
                               with_query(path_, fmt::format("limit={}{}", limit_, rest)),
                               {},
                               {},
                               limits_,
                               limit_ == 1 ? kMostOfAnswer : kMostOfPage});
    } catch (const AnswerTooLarge&) {
      if (limit_ == 1) throw;
      limit_ = std::max<std::size_t>(limit_ / 4, 1);
    }
  }
}

void Pages::adapt_to(std::size_t objects, std::size_t bytes) {
  if (objects == 0) return;
  limit_ = std::clamp<std::size_t>(kAimedAt * objects / bytes, 1, kPage);
}

std::string with_query(const std::string& path, const std::string& query) {
  return path + (path.find('?') == std::string::npos ? '?' : '&') + query;
}

std::string percent_encoded(std::string_view text) {
  std::string encoded;
  for (const char character : text) {
    const bool is_plain = (character >= '0' && character <= '9') ||
                          (character >= 'A' && character <= 'Z') ||
                          (character >= 'a' && character <= 'z') || character == '-' ||
                          character == '_' || character == '.';
    encoded += is_plain ? std::string(1, character)
                        : fmt::format("%{:02X}", static_cast<unsigned char>(character));
  }
  return encoded;
}

std::string text_at(const nlohmann::json& object, const char* pointer) {
  const nlohmann::json::json_pointer place(pointer);
  if (!object.contains(place) || !object[place].is_string()) return {};
  return object[place].get<std::string>();
}

}  // namespace zonecut::kubernetes::api
