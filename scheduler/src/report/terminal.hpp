#pragma once
// Lines of styled text no wider than a terminal. Text is made fit to be shown (plain spaces, ASCII
// where asked for) before its width is taken, so what is laid out is what appears.
#include <string>
#include <string_view>
#include <vector>

#include "zonecut/scheduler/report.hpp"

namespace zonecut::report {

/// How a piece of text stands out. Where colour is off, nothing does.
enum class Tone : int {
  Plain,
  Bold,
  Dim,
  Warm,   ///< the link that binds
  Group,  ///< Group + i: the i-th rank group
};
[[nodiscard]] constexpr Tone group_tone(int group) {
  return static_cast<Tone>(static_cast<int>(Tone::Group) + group);
}

struct Span {
  std::string text;
  Tone tone = Tone::Plain;
};

class Terminal {
 public:
  explicit Terminal(const TerminalStyle& style);

  [[nodiscard]] std::size_t width() const noexcept { return width_; }
  /// `text` as this terminal can show it.
  [[nodiscard]] std::string shown(std::string_view text) const;
  /// Cut to `width` columns, with a mark where something is missing.
  [[nodiscard]] std::string cut(std::string_view text, std::size_t width) const;
  /// Its words over lines of `width` columns; a longer word is cut.
  [[nodiscard]] std::vector<std::string> folded(std::string_view text, std::size_t width) const;
  /// Writes one line; what does not fit is cut off.
  void line(const std::vector<Span>& spans);
  void line(std::string_view text, Tone tone = Tone::Plain);
  void blank();
  void heading(std::string_view text, std::string_view hint = {});
  /// Words over as many lines as they need, `indent` before each but the first, which has `lead`,
  /// no longer than that.
  void paragraph(std::string_view text, std::size_t indent, std::string_view lead = {},
                 Tone tone = Tone::Plain);
  [[nodiscard]] std::string finish() && { return std::move(out_); }

 private:
  std::size_t width_;
  bool colour_;
  bool unicode_;
  std::string out_;
};

/// A table whose columns line up. Too wide a one first loses the columns that matter least, then
/// its texts are cut, or go over several lines.
class TextTable {
 public:
  struct Column {
    std::string head;
    bool number = true;
    int expendable = 0;  ///< 0 stays; the highest goes first
    bool folds = false;  ///< what is too long goes over several lines
  };
  explicit TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {}
  void row(std::vector<std::string> cells, Tone tone = Tone::Plain);
  void write(Terminal& terminal) const;
  /// Columns it would take whole.
  [[nodiscard]] std::size_t natural_width(const Terminal& terminal) const;

 private:
  struct Row {
    std::vector<std::string> cells;
    Tone tone;
  };
  [[nodiscard]] std::vector<std::size_t> widths(const Terminal& terminal) const;
  std::vector<Column> columns_;
  std::vector<Row> rows_;
};

}  // namespace zonecut::report
