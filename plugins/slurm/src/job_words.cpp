#include "job_words.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <string>

#include "whole_number.hpp"

namespace zonecut::slurm {
namespace {

constexpr std::string_view kBlanks = " \t\n\v\f\r";
constexpr std::string_view kPlace = "zonecut-place";
constexpr std::string_view kLease = "zonecut-lease=";
constexpr std::string_view kJob = "zonecut-job=";
constexpr std::string_view kOrder = "zonecut-order=";

bool is_ours(std::string_view word) {
  return word == kPlace || word.starts_with(kLease) || word.starts_with(kJob) ||
         word.starts_with(kOrder);
}

/// A word of a comment and the blanks before it.
struct Word {
  std::string_view gap;
  std::string_view text;
};

/// The next word; its text is empty at the end of the comment.
Word take_word(std::string_view& comment) {
  const std::size_t begin = std::min(comment.find_first_not_of(kBlanks), comment.size());
  const std::size_t end = std::min(comment.find_first_of(kBlanks, begin), comment.size());
  const Word word{comment.substr(0, begin), comment.substr(begin, end - begin)};
  comment.remove_prefix(end);
  return word;
}

/// The words of a comment that are not ours, with the blanks before each. Where one of ours stood
/// first or last, no blank is left of it.
std::string kept_words(std::string_view comment) {
  std::string kept;
  bool removed = false;
  for (Word word = take_word(comment);; word = take_word(comment)) {
    if (is_ours(word.text)) {
      removed = true;
      continue;
    }
    if (!kept.empty() || !removed) kept += word.gap;
    kept += word.text;
    if (word.text.empty()) return kept;
  }
}

std::string written(const JobWords& words) {
  std::string text;
  const auto append = [&](std::string_view prefix, const std::optional<std::string>& value) {
    if (!value || value->find_first_of(kBlanks) != std::string::npos) return;
    if (!text.empty()) text += ' ';
    text.append(prefix).append(*value);
  };
  if (words.place) append(kPlace, "");
  if (words.lease) append(kLease, std::to_string(*words.lease));
  append(kJob, words.job);
  append(kOrder, words.order);
  return text;
}

constexpr std::size_t kMostText = 1024;
constexpr std::uint64_t kMostGpus = 4'194'304;  // of a job, as in its format
constexpr std::string_view kExpected = "expected sizes such as tp=8,pp=4, or a preset";

/// Besides letters and digits. None needs quoting in a shell, in an option or in Slurm's output.
constexpr std::string_view kSigns = "=,._+-:/%";

/// One "key=value"; '-' and '_' are the same in keys.
struct Item {
  std::string key;
  std::string_view value;
  std::string_view whole;
};

Item take_item(std::string_view& text) {
  const std::string_view whole = text.substr(0, text.find(','));
  text.remove_prefix(std::min(text.size(), whole.size() + 1));
  const std::size_t equals = std::min(whole.find('='), whole.size());
  Item item{std::string(whole.substr(0, equals)), {}, whole};
  if (equals < whole.size()) item.value = whole.substr(equals + 1);
  std::replace(item.key.begin(), item.key.end(), '-', '_');
  return item;
}

/// Keys whose value is a whole number from 1, and whether the number of ranks is a multiple of it:
/// experts lie within the data-parallel ranks, virtual stages within the stages.
struct Size {
  std::string_view key;
  bool multiplies;
};
constexpr std::array kSizes = {
    Size{"tp", true},    Size{"tensor_model_parallel_size", true},
    Size{"cp", true},    Size{"context_parallel_size", true},
    Size{"pp", true},    Size{"pipeline_model_parallel_size", true},
    Size{"dp", true},    Size{"data_parallel_size", true},
    Size{"ep", false},   Size{"expert_model_parallel_size", false},
    Size{"etp", false},  Size{"expert_tensor_parallel_size", false},
    Size{"vpp", false},  Size{"virtual_stages", false},
    Size{"gpus", false}, Size{"ranks", false},
};

const Size* find_size(std::string_view key) {
  const auto at =
      std::find_if(kSizes.begin(), kSizes.end(), [&](const Size& size) { return size.key == key; });
  return at == kSizes.end() ? nullptr : &*at;
}

std::optional<std::uint64_t> parse_size(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = error == std::errc{} && end == text.data() + text.size();
  return whole && number >= 1 && number <= kMostGpus ? std::optional(number) : std::nullopt;
}

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         kSigns.find(c) != std::string_view::npos;
}

std::string found(std::string_view what) {
  constexpr std::size_t kMostShown = 64;
  std::string shown(what.substr(0, kMostShown));
  std::replace_if(shown.begin(), shown.end(), [](char c) { return !is_plain(c); }, '?');
  return "found \"" + shown + "\", ";
}

std::optional<std::string> wrong_item(const Item& item) {
  if (item.key.empty() || item.value.empty())
    return found(item.whole) + "expected key=value, such as tp=8";
  if (find_size(item.key) == nullptr || parse_size(item.value)) return std::nullopt;
  return found(item.whole) + "expected a whole number from 1 to " + std::to_string(kMostGpus);
}

}  // namespace

JobWords read_words(std::string_view comment) {
  JobWords words;
  for (Word word = take_word(comment); !word.text.empty(); word = take_word(comment)) {
    if (word.text == kPlace) {
      words.place = true;
    } else if (word.text.starts_with(kLease)) {
      if (!words.lease)
        words.lease = whole_number<std::int64_t>(word.text.substr(kLease.size()), 1);
    } else if (word.text.starts_with(kJob)) {
      if (!words.job) words.job = word.text.substr(kJob.size());
    } else if (word.text.starts_with(kOrder)) {
      if (!words.order) words.order = word.text.substr(kOrder.size());
    }
  }
  return words;
}

std::string with_words(std::string_view comment, const JobWords& words) {
  std::string text = kept_words(comment);
  const std::string own = written(words);
  if (own.empty()) return text;
  text.resize(text.find_last_not_of(kBlanks) + 1);
  if (!text.empty()) text += ' ';
  return text + own;
}

bool is_leased(const JobWords& words, std::int64_t begin) {
  return words.lease && std::abs(begin - *words.lease) <= 1;
}

bool is_job_path(std::string_view text) {
  const std::size_t equals = std::min(text.find('='), text.size());
  return text == "-" || text.substr(0, equals).find('/') != std::string_view::npos ||
         (equals == text.size() && text.find('.') != std::string_view::npos);
}

std::optional<std::string> wrong_sizes(std::string_view text) {
  if (text.ends_with(',')) return "found a comma at the end, expected key=value after it";
  while (!text.empty()) {
    if (auto wrong = wrong_item(take_item(text))) return wrong;
  }
  return std::nullopt;
}

std::optional<std::string> wrong_job_text(std::string_view text) {
  if (text.empty()) return "found nothing, " + std::string(kExpected);
  if (text.size() > kMostText) {
    return "found " + std::to_string(text.size()) + " characters, expected at most " +
           std::to_string(kMostText);
  }
  if (!std::all_of(text.begin(), text.end(), is_plain))
    return "found other characters than letters, digits and " + std::string(kSigns);
  if (is_job_path(text))
    return found(text) + "but a file cannot be read by the placer: give sizes or a preset";
  if (text.find('=') == std::string_view::npos && text.find(',') == std::string_view::npos)
    return std::nullopt;  // a preset
  return wrong_sizes(text);
}

std::uint64_t least_gpus(std::string_view text) {
  std::uint64_t product = 1;
  std::uint64_t said = 1;
  while (!text.empty()) {
    const Item item = take_item(text);
    const Size* size = find_size(item.key);
    const std::uint64_t number = parse_size(item.value).value_or(1);
    if (item.key == "gpus" || item.key == "ranks") {
      said = std::max(said, number);
    } else if (size != nullptr && size->multiplies) {
      product = std::min(product * number, kMostGpus + 1);
    }
  }
  return std::max(product, said);
}

}  // namespace zonecut::slurm
