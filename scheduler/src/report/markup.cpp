#include "report/markup.hpp"

#include <algorithm>

#include "report/right_to_left.hpp"
#include "zonecut/base/error.hpp"

namespace zonecut::report {
namespace {

void append_escaped(std::string& out, std::string_view text) {
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
}

/// What sets a name apart from the direction of what stands beside it.
struct Isolation {
  std::string_view before;
  std::string_view after;
};
constexpr Isolation kElement{"<bdi>", "</bdi>"};
/// U+2068 and U+2069, where no element may stand.
constexpr Isolation kMarks{"\xe2\x81\xa8", "\xe2\x81\xa9"};

void append_isolated(std::string& out, std::string_view text, const Isolation& isolation) {
  std::size_t at = 0;
  for (const Stretch& name : right_to_left_names(text)) {
    append_escaped(out, text.substr(at, name.begin - at));
    out += isolation.before;
    append_escaped(out, text.substr(name.begin, name.end - name.begin));
    out += isolation.after;
    at = name.end;
  }
  append_escaped(out, text.substr(at));
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string out;
  append_escaped(out, text);
  return out;
}

void Markup::start(std::string_view tag, Attributes attributes) {
  out_ += '<';
  out_ += tag;
  for (const auto& [name, value] : attributes) {
    out_ += ' ';
    out_ += name;
    out_ += "=\"";
    append_isolated(out_, value, kMarks);
    out_ += '"';
  }
}

Markup& Markup::open(std::string_view tag, Attributes attributes) {
  start(tag, attributes);
  out_ += '>';
  open_.emplace_back(tag);
  return *this;
}

Markup& Markup::close() {
  ZONECUT_ENSURES(!open_.empty());
  const std::string tag = std::move(open_.back());
  open_.pop_back();
  out_ += "</" + tag + ">";
  const bool is_block = tag != "span" && tag != "td" && tag != "th" && tag != "b";
  if (is_block) out_ += '\n';
  return *this;
}

Markup& Markup::text(std::string_view text) {
  const bool holds_text_only = std::any_of(
      open_.begin(), open_.end(), [](const auto& tag) { return tag == "title" || tag == "svg"; });
  append_isolated(out_, text, holds_text_only ? kMarks : kElement);
  return *this;
}

Markup& Markup::element(std::string_view tag, std::string_view content, Attributes attributes) {
  return open(tag, attributes).text(content).close();
}

Markup& Markup::shape(std::string_view tag, Attributes attributes) {
  start(tag, attributes);
  out_ += "/>";
  return *this;
}

Markup& Markup::verbatim(std::string_view trusted) {
  out_ += trusted;
  return *this;
}

std::string Markup::finish() && {
  ZONECUT_ENSURES(open_.empty());
  return std::move(out_);
}

}  // namespace zonecut::report
