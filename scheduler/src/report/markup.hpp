#pragma once
// Writes markup that is well-formed by construction: what was opened is closed in order, and every
// text and attribute is escaped. The result is HTML that an XML parser accepts too. Names that are
// written from right to left are set apart from the figures beside them.
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace zonecut::report {

/// & < > " ' as character references.
[[nodiscard]] std::string escaped(std::string_view text);

class Markup {
 public:
  using Attributes = std::initializer_list<std::pair<std::string_view, std::string_view>>;

  Markup& open(std::string_view tag, Attributes attributes = {});
  Markup& close();
  Markup& text(std::string_view text);
  /// <tag …>text</tag>
  Markup& element(std::string_view tag, std::string_view text, Attributes attributes = {});
  /// <tag …/>: void elements of HTML and shapes of SVG only.
  Markup& shape(std::string_view tag, Attributes attributes = {});
  /// Constant text of ours: style sheets and the document type.
  Markup& verbatim(std::string_view trusted);
  /// Throws InternalError when something is still open.
  [[nodiscard]] std::string finish() &&;

 private:
  void start(std::string_view tag, Attributes attributes);
  std::string out_;
  std::vector<std::string> open_;
};

}  // namespace zonecut::report
