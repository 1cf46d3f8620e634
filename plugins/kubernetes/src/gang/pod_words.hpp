#pragma once
// Labels and annotations of a pod, looked up as the sources of gangs need them.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "objects/objects.hpp"

namespace zonecut::kubernetes {

/// A value and where it stands: "namespace/name#/metadata/labels/zonecut.dev~1rank".
struct PodWord {
  std::string value;
  std::string where;
};

/// None where it is absent or empty.
[[nodiscard]] std::optional<PodWord> label_of(const Pod& pod, std::string_view key);
[[nodiscard]] std::optional<PodWord> annotation_of(const Pod& pod, std::string_view key);
/// The annotation; else the label of that name.
[[nodiscard]] std::optional<PodWord> word_of(const Pod& pod, std::string_view key);

[[nodiscard]] std::string text_of(const std::optional<PodWord>& word);  ///< empty where absent

/// An index or count, at most a million. Throws InputError on anything else.
[[nodiscard]] std::uint32_t number_of(const PodWord& word);
[[nodiscard]] std::optional<std::uint32_t> number_of(const std::optional<PodWord>& word);

/// Roles are compared in lower case: Kubeflow writes Worker in its objects and worker in labels.
[[nodiscard]] std::string role_name(std::string text);

/// The owner that controls the pod, where it is of that kind; an empty kind is any. None: not so.
[[nodiscard]] const Owner* controller_of(const Pod& pod, std::string_view kind);

}  // namespace zonecut::kubernetes
