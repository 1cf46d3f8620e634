#include <fmt/format.h>

#include <charconv>

#include "job/job_reader.hpp"

namespace zonecut {
namespace {

struct Run {
  std::int64_t first = 0, last = 0, step = 1;
};

/// A whole number at the front of `text`, which it takes away.
std::optional<std::int64_t> take_number(std::string_view& text) {
  std::int64_t number = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || number < 0) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
  return number;
}

bool take(std::string_view& text, char expected) {
  if (text.empty() || text.front() != expected) return false;
  text.remove_prefix(1);
  return true;
}

/// "8", "0-7" or "0-63:8".
std::optional<Run> parse_run(std::string_view text) {
  const auto first = take_number(text);
  if (!first) return std::nullopt;
  Run run{*first, *first, 1};
  if (take(text, '-')) {
    const auto last = take_number(text);
    if (!last || *last < run.first) return std::nullopt;
    run.last = *last;
    if (take(text, ':')) {
      const auto step = take_number(text);
      if (!step || *step == 0) return std::nullopt;
      run.step = *step;
    }
  }
  return text.empty() ? std::optional(run) : std::nullopt;
}

class RankReader {
 public:
  RankReader(const Document& document, std::int64_t ranks, std::size_t most, ProblemList& problems)
      : document_(document), ranks_(ranks), most_(most), problems_(problems) {}

  void read(const Value& value) {
    const auto text = as_text(document_, value, problems_);
    if (!text) return;
    std::string_view rest = *text;
    while (good_) {
      const std::size_t comma = rest.find(',');
      std::string_view part = rest.substr(0, comma);
      while (part.starts_with(' ')) part.remove_prefix(1);
      while (part.ends_with(' ')) part.remove_suffix(1);
      add(value, part);
      if (comma == std::string_view::npos) return;
      rest.remove_prefix(comma + 1);
    }
  }

  [[nodiscard]] bool good() const { return good_; }
  [[nodiscard]] std::vector<RankId> take_members() { return std::move(members_); }

 private:
  void add(const Value& value, std::string_view part) {
    const auto run = parse_run(part);
    if (!run) {
      return fail(value, fmt::format("\"{}\" names no ranks", part.substr(0, 40)),
                  "such as 8, 0-7 or 0-63:8");
    }
    if (run->last >= ranks_) {
      return fail(value, fmt::format("rank {} is not below {}", run->last, ranks_), "");
    }
    const std::int64_t count = (run->last - run->first) / run->step + 1;
    if (static_cast<std::size_t>(count) > most_ - members_.size()) {
      return fail(value, fmt::format("the collectives have more than {} members", most_), "");
    }
    for (std::int64_t rank = run->first; rank <= run->last; rank += run->step) {
      members_.emplace_back(static_cast<std::size_t>(rank));
    }
  }

  void fail(const Value& value, std::string what, std::string hint) {
    problems_.add(document_.where(value), std::move(what), std::move(hint));
    good_ = false;
  }

  const Document& document_;
  std::int64_t ranks_;
  std::size_t most_;
  ProblemList& problems_;
  std::vector<RankId> members_;
  bool good_ = true;
};

}  // namespace

std::vector<RankId> read_ranks(const Document& document, const Value& value, std::int64_t ranks,
                               std::size_t most, ProblemList& problems) {
  RankReader reader(document, ranks, most, problems);
  if (value.kind == Value::Kind::List) {
    for (const Value& item : value.items) {
      if (reader.good()) reader.read(item);
    }
  } else {
    reader.read(value);
  }
  return reader.take_members();
}

}  // namespace zonecut
