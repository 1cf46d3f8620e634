#include "zonecut/base/csv.hpp"

#include <fmt/format.h>

namespace zonecut {
namespace {

constexpr std::size_t kMaxFields = 1'000;

std::string position(const std::string& source, int line, std::size_t column) {
  return fmt::format("{}:{}:{}", source, line, column);
}

}  // namespace

bool CsvRows::next(CsvRow& row) {
  while (!at_end() && !broken_) {
    row = parse_row();
    const bool is_blank = row.fields.size() == 1 && row.fields[0].text.empty();
    if (!is_blank) return !broken_;
  }
  return false;
}

bool CsvRows::at_row_end() const {
  return peek() == '\n' || (peek() == '\r' && (at_ + 1 == text_.size() || text_[at_ + 1] == '\n'));
}

char CsvRows::take() {
  const char c = text_[at_++];
  if (c == '\n') {
    ++line_;
    line_start_ = at_;
  }
  return c;
}

void CsvRows::fail(std::string what) {
  problems_.add(position(source_, line_, column()), std::move(what));
  broken_ = true;
}

CsvRow CsvRows::parse_row() {
  CsvRow row;
  row.line = line_;
  do {
    if (row.fields.size() == kMaxFields) {
      fail(fmt::format("found more than {} fields in a row", kMaxFields));
      return row;
    }
    row.fields.push_back(parse_field());
  } while (!broken_ && !at_end() && peek() == ',' && take() == ',');
  if (!at_end() && peek() == '\r') take();
  if (!at_end() && !broken_) take();
  return row;
}

CsvField CsvRows::parse_field() {
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

void CsvRows::parse_quoted(std::string& out) {
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

}  // namespace zonecut
