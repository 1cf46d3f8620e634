#pragma once
// Which gang a pod belongs to and which place it has in it, by the labels and annotations of every
// controller that is known. Indices are compared as numbers.
#include <cstdint>
#include <optional>
#include <string>

#include "objects/objects.hpp"

namespace zonecut::kubernetes {

/// An object of the API that says how many pods the gang has.
struct SizeSource {
  std::string api_version;  ///< "batch/v1"; empty: nothing but an annotation can say it
  std::string kind;         ///< "Job"
  std::string name;
  friend bool operator==(const SizeSource&, const SizeSource&) = default;
};

struct GangMember {
  std::string gang;    ///< "namespace/source/name": unique in the cluster
  std::string source;  ///< "Job", "JobSet", "LeaderWorkerSet", …
  /// Its place, where the pod says it; 0 to size - 1. Roles of different kinds follow each other.
  std::optional<std::uint32_t> rank;
  std::optional<std::uint32_t> size;  ///< pods of the gang, where the pod says it
  SizeSource size_source;             ///< who says it else
  std::string job;                    ///< zonecut.dev/job, as it stands; empty: nothing said
};

/// None for a pod of no gang. Throws InputError where its labels contradict themselves (an index
/// that is no number, a size of 0, a rank beyond the size).
[[nodiscard]] std::optional<GangMember> gang_of(const Pod& pod);

/// How many pods an object means that a SizeSource names: .spec.completions or .spec.parallelism of
/// a Job, sums over roles elsewhere. None where it does not say. Throws InputError on wrong types.
[[nodiscard]] std::optional<std::uint32_t> size_of(const SizeSource& source,
                                                   const nlohmann::json& object);

/// "/apis/batch/v1/namespaces/NS/jobs/NAME"; empty for a kind that is not known.
[[nodiscard]] std::string path_of(const SizeSource& source, const std::string& name_space);

}  // namespace zonecut::kubernetes
