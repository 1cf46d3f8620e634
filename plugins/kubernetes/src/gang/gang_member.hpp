#pragma once
// Which gang a pod belongs to and which place it has in it, by the labels and annotations of every
// controller that is known. Indices are compared as numbers.
//
// A pod knows its place within its role ("Worker" 3), rarely within the whole gang: that needs the
// sizes of the roles before its own, which the controller's object says. So:
//
//   pod --gang_of--> GangMember --size_source, path_of--> object --shape_of--> GangShape
//   rank_of(member, shape)
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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
  std::string gang;                   ///< "namespace/source/name": unique in the cluster
  std::string source;                 ///< "Job", "JobSet", "LeaderWorkerSet", …, or "zonecut.dev"
  std::optional<std::uint32_t> rank;  ///< its place, 0 to size - 1, where the pod says it
  /// Else, what leads to the place once the shape is known:
  std::string role;                    ///< in lower case; may be empty
  std::uint32_t copy = 0;              ///< which of the role's copies: a Job of a JobSet
  std::optional<std::uint32_t> index;  ///< within role and copy
  std::optional<std::uint32_t> size;   ///< pods of the gang, where the pod says it
  SizeSource size_source;              ///< who says it else

  /// Whether size or rank cannot be known without the object that size_source names.
  [[nodiscard]] bool needs_shape() const { return !size || (index && !rank); }
  friend bool operator==(const GangMember&, const GangMember&) = default;
};

struct Role {
  std::string name;  ///< in lower case
  std::uint32_t copies = 1;
  std::uint32_t pods = 0;   ///< of each copy
  std::uint32_t first = 0;  ///< the index of a copy's first pod
  friend bool operator==(const Role&, const Role&) = default;
};

/// The roles in the order of their ranks. Those whose pods ask for no GPU (launchers, drivers) are
/// left out: they are not placed, and have no rank.
struct GangShape {
  std::vector<Role> roles;
  [[nodiscard]] std::uint32_t pods() const;  ///< fewer than two: no gang
  friend bool operator==(const GangShape&, const GangShape&) = default;
};

/// None for a pod of no gang. Words of our own (zonecut.dev/gang, /size, /rank, /job) each go
/// before what controllers say; of these the outermost counts. Throws InputError with a JSON
/// pointer into the pod where they contradict themselves (an index that is no number, a size of 0,
/// an index beyond the size).
[[nodiscard]] std::optional<GangMember> gang_of(const Pod& pod);

/// zonecut.dev/job of a pod, as it stands there; empty: nothing said.
[[nodiscard]] std::string_view job_of(const Pod& pod);

/// Our words of a pod that only mean something in a gang, by their names; none where it says by
/// zonecut.dev/size that it is alone.
[[nodiscard]] std::vector<std::string_view> words_for_gangs(const Pod& pod);

/// What an object means that a SizeSource names. None where it does not say. A Job that never runs
/// all its pods at once makes a shape without pods. Throws InputError on wrong types.
[[nodiscard]] std::optional<GangShape> shape_of(const SizeSource& source,
                                                const nlohmann::json& object,
                                                const GpuResources& gpus);

/// The member's place, 0 to size - 1; none where it has none, or needs the shape and `shape` is
/// null. Throws InputError where it lies beyond its role or the gang.
[[nodiscard]] std::optional<std::uint32_t> rank_of(const GangMember& member,
                                                   const GangShape* shape);

/// "/apis/batch/v1/namespaces/NS/jobs/NAME"; empty for a kind that is not known, and for a name
/// that no object can have.
[[nodiscard]] std::string path_of(const SizeSource& source, const std::string& name_space);

/// Where all objects of its kind are, those of all namespaces where `name_space` is empty.
[[nodiscard]] std::string collection_path(const SizeSource& source, const std::string& name_space);

/// The same object in another version of its API, to be asked for after a 404: releases of
/// Kubernetes serve different ones. None after the last.
[[nodiscard]] std::optional<SizeSource> next_version(const SizeSource& source);

}  // namespace zonecut::kubernetes
