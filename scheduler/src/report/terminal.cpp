#include "report/terminal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "report/text.hpp"
#include "zonecut/base/error.hpp"

namespace zonecut::report {
namespace {

constexpr int kNarrowest = 40;
constexpr int kWidest = 200;

/// Of the 256-colour palette, near the colours of the HTML report.
constexpr std::array kBackground = {25,  214, 36, 175, 117, 166, 227, 97,
                                    110, 222, 79, 218, 153, 216, 230, 183};

std::string escape_for(Tone tone) {
  switch (tone) {
    case Tone::Plain:
      return {};
    case Tone::Bold:
      return "\x1b[1m";
    case Tone::Dim:
      return "\x1b[2m";
    case Tone::Warm:
      return "\x1b[1;38;5;166m";
    default:
      break;
  }
  const auto group =
      static_cast<std::size_t>(static_cast<int>(tone) - static_cast<int>(Tone::Group)) %
      kBackground.size();
  const int ink = group == 0 || group == 7 ? 231 : 16;
  return fmt::format("\x1b[48;5;{};38;5;{}m", kBackground[group], ink);
}

constexpr std::size_t kColumnGap = 2;
constexpr std::size_t kIndent = 2;
constexpr std::size_t kNarrowestText = 6;

std::size_t total_of(const std::vector<std::size_t>& widths) {
  std::size_t total = kIndent;
  bool first = true;
  for (const std::size_t width : widths) {
    if (width == 0) continue;
    total += width + (first ? 0 : kColumnGap);
    first = false;
  }
  return total;
}

}  // namespace

Terminal::Terminal(const TerminalStyle& style)
    : width_(static_cast<std::size_t>(std::clamp(style.width, kNarrowest, kWidest))),
      colour_(style.colour),
      unicode_(style.unicode) {}

std::string Terminal::shown(std::string_view text) const {
  const std::string plain = to_plain(text);
  return unicode_ ? plain : to_ascii(plain);
}

std::string Terminal::cut(std::string_view text, std::size_t width) const {
  return fitted(shown(text), width, unicode_ ? "…" : "~");
}

std::vector<std::string> Terminal::folded(std::string_view text, std::size_t width) const {
  const std::string words = shown(text);
  std::vector<std::string> lines(1);
  for (std::size_t at = 0; at < words.size();) {
    const std::size_t end = std::min(words.find(' ', at), words.size());
    const std::string word = cut(words.substr(at, end - at), width);
    at = end + 1;
    if (word.empty()) continue;
    if (!lines.back().empty() && display_width(lines.back()) + 1 + display_width(word) > width)
      lines.emplace_back();
    if (!lines.back().empty()) lines.back() += ' ';
    lines.back() += word;
  }
  return lines;
}

void Terminal::line(const std::vector<Span>& spans) {
  std::size_t left = width_;
  std::vector<std::string> pieces;
  for (const Span& span : spans) {
    pieces.push_back(cut(span.text, left));
    left -= display_width(pieces.back());
  }
  while (!pieces.empty()) {  // no spaces at the end of a line
    std::string& last = pieces.back();
    last.resize(last.find_last_not_of(' ') + 1);
    if (!last.empty()) break;
    pieces.pop_back();
  }
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const std::string escape = colour_ ? escape_for(spans[i].tone) : std::string();
    out_ += escape + pieces[i] + (escape.empty() ? "" : "\x1b[0m");
  }
  out_ += '\n';
}

void Terminal::line(std::string_view text, Tone tone) {
  line(std::vector<Span>{{std::string(text), tone}});
}

void Terminal::blank() { out_ += '\n'; }

void Terminal::heading(std::string_view text, std::string_view hint) {
  blank();
  std::vector<Span> spans{{std::string(text), Tone::Bold}};
  if (!hint.empty()) spans.push_back({"  " + std::string(hint), Tone::Dim});
  line(spans);
}

void Terminal::paragraph(std::string_view text, std::size_t indent, std::string_view lead,
                         Tone tone) {
  std::string before = shown(lead);
  before.resize(indent, ' ');
  for (const std::string& words : folded(text, width_ - indent)) {
    if (words.empty()) return;
    line(before + words, tone);
    before.assign(indent, ' ');
  }
}

void TextTable::row(std::vector<std::string> cells, Tone tone) {
  ZONECUT_ENSURES(cells.size() == columns_.size());
  rows_.push_back({std::move(cells), tone});
}

std::vector<std::size_t> TextTable::widths(const Terminal& terminal) const {
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    std::size_t width = display_width(terminal.shown(columns_[c].head));
    for (const Row& row : rows_)
      width = std::max(width, display_width(terminal.shown(row.cells[c])));
    widths.push_back(width);
  }
  return widths;
}

std::size_t TextTable::natural_width(const Terminal& terminal) const {
  return total_of(widths(terminal));
}

void TextTable::write(Terminal& terminal) const {
  std::vector<std::size_t> width = widths(terminal);
  while (total_of(width) > terminal.width()) {
    std::size_t worst = 0;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      if (width[c] > 0 && columns_[c].expendable > columns_[worst].expendable) worst = c;
    }
    if (columns_[worst].expendable == 0 || width[worst] == 0) break;
    width[worst] = 0;
  }
  while (total_of(width) > terminal.width()) {
    std::size_t widest = columns_.size();
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      if (columns_[c].number || width[c] <= kNarrowestText) continue;
      if (widest == columns_.size() || width[c] > width[widest]) widest = c;
    }
    if (widest == columns_.size()) break;
    --width[widest];
  }
  const auto emit = [&](const std::vector<std::string>& cells, Tone tone) {
    std::vector<std::vector<std::string>> lines(columns_.size());
    std::size_t height = 1;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      if (width[c] == 0) continue;
      lines[c] = columns_[c].folds ? terminal.folded(cells[c], width[c])
                                   : std::vector{terminal.cut(cells[c], width[c])};
      height = std::max(height, lines[c].size());
    }
    for (std::size_t i = 0; i < height; ++i) {
      std::string text(kIndent, ' ');
      for (std::size_t c = 0; c < columns_.size(); ++c) {
        if (width[c] == 0) continue;
        if (text.size() > kIndent) text.append(kColumnGap, ' ');
        const std::string cell = i < lines[c].size() ? lines[c][i] : std::string();
        const std::string padding(width[c] - display_width(cell), ' ');
        text += columns_[c].number ? padding + cell : cell + padding;
      }
      terminal.line(text, tone);
    }
  };
  std::vector<std::string> heads;
  for (const Column& column : columns_) heads.push_back(column.head);
  const bool has_heads =
      std::any_of(heads.begin(), heads.end(), [](const auto& head) { return !head.empty(); });
  if (has_heads) emit(heads, Tone::Dim);
  for (const Row& row : rows_) emit(row.cells, row.tone);
}

}  // namespace zonecut::report
