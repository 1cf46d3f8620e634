#include "importers/slurm_conf_lines.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "importers/source_text.hpp"

namespace zonecut::importers {
namespace {

bool is_key_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '.';
}

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

/// Slurm knows four keys in a line of topology.conf; more are looked for one by one.
constexpr std::size_t kMaxPairs = 64;

}  // namespace

const SlurmPair* SlurmStatement::find(std::string_view key) const {
  const auto found = std::find_if(pairs.begin(), pairs.end(),
                                  [&](const SlurmPair& pair) { return pair.key == key; });
  return found == pairs.end() ? nullptr : &*found;
}

bool SlurmStatements::next(SlurmStatement& statement) {
  while (at_ < text_.size()) {
    statement = parse_statement();
    if (!statement.pairs.empty()) return true;
  }
  return false;
}

std::string SlurmStatements::here() const {
  return position(source_, line_, at_ - line_start_ + 1);
}

void SlurmStatements::take_line_end() {
  if (at_ < text_.size()) ++at_;
  ++line_;
  line_start_ = at_;
}

/// Steps over a backslash that ends its line, blanks after it included, and over the line's end; of
/// several in a row every second is escaped. Slurm joins lines so before it looks at what they say.
bool SlurmStatements::take_continuation() {
  if (peek() != '\\') return false;
  std::size_t end = at_ + 1;
  while (end < text_.size() && is_blank(text_[end])) ++end;
  if (end < text_.size() && text_[end] != '\n') return false;
  std::size_t before = at_;
  while (before > line_start_ && text_[before - 1] == '\\') --before;
  if ((at_ - before) % 2 == 1) return false;
  at_ = end;
  take_line_end();
  return true;
}

void SlurmStatements::skip_blanks() {
  while (true) {
    if (take_continuation()) continue;
    if (!is_blank(peek())) return;
    ++at_;
  }
}

void SlurmStatements::skip_line() { at_ = std::min(text_.find('\n', at_), text_.size()); }

SlurmStatement SlurmStatements::parse_statement() {
  SlurmStatement statement;
  while (true) {
    skip_blanks();
    if (peek() == '#') skip_line();
    if (peek() == '\n') {
      take_line_end();
      return statement;
    }
    SlurmPair pair;
    if (!parse_pair(pair)) {
      skip_line();
    } else if (statement.pairs.size() == kMaxPairs) {
      problems_.add(pair.where, fmt::format("found more than {} keys in one line", kMaxPairs));
      skip_line();
    } else if (statement.find(pair.key) != nullptr) {
      problems_.add(pair.where, fmt::format("\"{}\" is given twice in one line", pair.key));
    } else {
      statement.pairs.push_back(std::move(pair));
    }
  }
}

bool SlurmStatements::parse_pair(SlurmPair& pair) {
  pair.where = here();
  while (is_key_character(peek())) pair.key += lower_case(text_[at_++]);
  skip_blanks();
  if (pair.key == "include" && peek() != '=') {
    problems_.add(pair.where, "\"Include\" is not followed", "give one file with everything");
    return false;
  }
  if (pair.key.empty() || peek() != '=') {
    problems_.add(pair.where, "expected \"Key=value\", such as \"SwitchName=leaf1\"");
    return false;
  }
  ++at_;
  skip_blanks();
  return peek() == '"' ? parse_quoted(pair) : parse_plain(pair);
}

bool SlurmStatements::parse_quoted(SlurmPair& pair) {
  const std::string opened = here();
  ++at_;
  while (peek() != '"') {
    if (take_continuation()) continue;
    if (peek() == '\n') {
      problems_.add(opened, "this quote is not closed in its line");
      return false;
    }
    pair.value += text_[at_++];
  }
  ++at_;
  return true;
}

bool SlurmStatements::parse_plain(SlurmPair& pair) {
  while (peek() != '\n' && peek() != '#' && !is_blank(peek())) {
    if (!take_continuation()) pair.value += text_[at_++];
  }
  if (!pair.value.empty()) return true;
  problems_.add(pair.where, fmt::format("\"{}=\" has no value", pair.key));
  return false;
}

}  // namespace zonecut::importers
