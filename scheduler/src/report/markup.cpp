#include "report/markup.hpp"

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
    append_escaped(out_, value);
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
  append_escaped(out_, text);
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
