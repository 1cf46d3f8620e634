#include "gang/pod_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>

#include "objects/json_text.hpp"
#include "zonecut/base/error.hpp"

namespace zonecut::kubernetes {
namespace {

constexpr std::uint32_t kMostPods = 1'000'000;

std::optional<PodWord> look_up(const Pod& pod, const Labels& words, std::string_view list,
                               std::string_view key) {
  const auto found = words.find(key);
  if (found == words.end() || found->second.empty()) return std::nullopt;
  std::string escaped(key);
  std::replace(escaped.begin(), escaped.end(), '/', '~');
  if (const std::size_t slash = escaped.find('~'); slash != std::string::npos)
    escaped.insert(slash + 1, "1");
  return PodWord{found->second, fmt::format("{}#/metadata/{}/{}", pod.full_name(), list, escaped)};
}

}  // namespace

std::optional<PodWord> label_of(const Pod& pod, std::string_view key) {
  return look_up(pod, pod.labels, "labels", key);
}

std::optional<PodWord> annotation_of(const Pod& pod, std::string_view key) {
  return look_up(pod, pod.annotations, "annotations", key);
}

std::optional<PodWord> word_of(const Pod& pod, std::string_view key) {
  std::optional<PodWord> word = annotation_of(pod, key);
  return word ? word : label_of(pod, key);
}

std::string text_of(const std::optional<PodWord>& word) {
  return word ? word->value : std::string();
}

std::uint32_t number_of(const PodWord& word) {
  const char* const last = word.value.data() + word.value.size();
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(word.value.data(), last, number);
  if (error != std::errc{} || end != last || number > kMostPods) {
    throw InputError(word.where, fmt::format("expected a whole number from 0 to {}, found {}",
                                             kMostPods, in_quotes(word.value)));
  }
  return number;
}

std::optional<std::uint32_t> number_of(const std::optional<PodWord>& word) {
  return word ? std::optional(number_of(*word)) : std::nullopt;
}

std::string role_name(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

const Owner* controller_of(const Pod& pod, std::string_view kind) {
  for (const Owner& owner : pod.owners) {
    if (owner.controller && (kind.empty() || owner.kind == kind)) return &owner;
  }
  return nullptr;
}

}  // namespace zonecut::kubernetes
