#pragma once
// A collection, read a page at a time. A page is parsed whole, so it has as many objects as come to
// a few megabytes, by what was seen of them so far.
#include <string>

#include "api/requests.hpp"

namespace zonecut::kubernetes::api {

class Pages {
 public:
  /// Each page has these limits.
  Pages(Requests& requests, std::string path, RequestLimits limits);

  /// The next page, whose "items" are an array or null; or the answer that refuses it. Throws
  /// IoError, also on what is no list.
  [[nodiscard]] ApiAnswer next();
  [[nodiscard]] bool has_more() const { return !continue_.empty(); }
  /// Of the whole collection, after the first page.
  [[nodiscard]] const std::string& version() const { return version_; }

 private:
  [[nodiscard]] ApiAnswer fitting_page();
  void adapt_to(std::size_t objects, std::size_t bytes);

  Requests& requests_;
  const std::string path_;
  const RequestLimits limits_;
  std::size_t limit_;  ///< objects of the next page
  std::size_t objects_ = 0;
  std::string continue_;
  std::string version_;
};

/// `path` with a further part of its query.
[[nodiscard]] std::string with_query(const std::string& path, const std::string& query);
[[nodiscard]] std::string percent_encoded(std::string_view text);
/// Empty where there is none.
[[nodiscard]] std::string text_at(const nlohmann::json& object, const char* pointer);

}  // namespace zonecut::kubernetes::api
