#include "importers/csv_rows.hpp"

#include "importers/source_text.hpp"

namespace zonecut::importers {
namespace {

class CsvParser {
 public:
  CsvParser(std::string_view text, const std::string& source, ProblemList& problems)
      : text_(text), source_(source), problems_(problems) {}

  std::vector<CsvRow> rows() {
    std::vector<CsvRow> rows;
    while (!at_end() && !broken_) {
      CsvRow row = parse_row();
      const bool is_blank = row.fields.size() == 1 && row.fields[0].text.empty();
      if (!is_blank) rows.push_back(std::move(row));
    }
    return rows;
  }

 private:
  [[nodiscard]] bool at_end() const { return at_ == text_.size(); }
  [[nodiscard]] char peek() const { return at_end() ? '\n' : text_[at_]; }
  [[nodiscard]] bool at_row_end() const {
    return peek() == '\n' ||
           (peek() == '\r' && (at_ + 1 == text_.size() || text_[at_ + 1] == '\n'));
  }
  [[nodiscard]] std::size_t column() const { return at_ - line_start_ + 1; }

  char take() {
    const char c = text_[at_++];
    if (c == '\n') {
      ++line_;
      line_start_ = at_;
    }
    return c;
  }

  void fail(std::string what) {
    problems_.add(position(source_, line_, column()), std::move(what));
    broken_ = true;
  }

  CsvRow parse_row() {
    CsvRow row;
    row.line = line_;
    do {
      row.fields.push_back(parse_field());
    } while (!broken_ && !at_end() && peek() == ',' && take() == ',');
    if (!at_end() && peek() == '\r') take();
    if (!at_end() && !broken_) take();
    return row;
  }

  CsvField parse_field() {
    CsvField field;
    field.column = column();
    if (!at_end() && peek() == '"') {
      parse_quoted(field.text);
      return field;
    }
    while (!at_row_end() && peek() != ',') {
      if (peek() == '"') {
        fail("found a quote inside a field that does not begin with one");
        break;
      }
      field.text += take();
    }
    return field;
  }

  void parse_quoted(std::string& out) {
    const int opened_at = line_;
    const std::size_t opened_column = column();
    take();
    while (!at_end()) {
      const char c = take();
      if (c != '"') {
        out += c;
      } else if (!at_end() && peek() == '"') {
        out += take();
      } else {
        if (!at_row_end() && peek() != ',') fail("found text after the closing quote of a field");
        return;
      }
    }
    problems_.add(position(source_, opened_at, opened_column), "this quote is never closed");
    broken_ = true;
  }

  std::string_view text_;
  const std::string& source_;
  ProblemList& problems_;
  std::size_t at_ = 0;
  std::size_t line_start_ = 0;
  int line_ = 1;
  bool broken_ = false;
};

}  // namespace

std::vector<CsvRow> csv_rows(std::string_view text, const std::string& source,
                             ProblemList& problems) {
  return CsvParser(text, source, problems).rows();
}

}  // namespace zonecut::importers
