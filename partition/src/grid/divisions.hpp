#pragma once
// What a row cuts inside when pieces of given sizes divide it among them: every vertex is taken,
// and none twice. Pieces that are cheap by themselves may leave each other no room for it.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>

namespace zonecut {

/// Not thread-safe.
class Divisions {
 public:
  virtual ~Divisions() = default;
  Divisions(const Divisions&) = delete;
  Divisions& operator=(const Divisions&) = delete;

  /// Twice what such a division cuts inside the row, and the prices of all its vertices: what all
  /// pieces cost together. Pieces of one vertex at least that make up a row. Where the search takes
  /// too long, and of many pieces, a bound. Of few known from the second time on.
  [[nodiscard]] std::int64_t least(std::span<const std::uint32_t> pieces);
  /// Steps of a search from now on, where that is less than it takes by itself.
  void allow(std::int64_t steps) { most_work_ = std::clamp(steps, kFewestSteps, most_by_itself_); }
  /// Vertices of a group: what pieces cut is known by how many they take of each.
  [[nodiscard]] virtual std::size_t group() const = 0;
  /// Steps since this was asked last.
  [[nodiscard]] virtual std::size_t take_work() = 0;

 protected:
  /// Steps that a search takes by itself.
  explicit Divisions(std::int64_t most_work) : most_by_itself_(most_work), most_work_(most_work) {}
  Divisions(Divisions&&) = default;
  Divisions& operator=(Divisions&&) = default;

  [[nodiscard]] std::int64_t most_work() const { return most_work_; }

 private:
  static constexpr std::size_t kMostPieces = 12;
  static constexpr std::int64_t kFewestSteps = 1'000;
  using Sizes = std::array<std::uint16_t, kMostPieces>;  ///< the largest first, then none
  struct Hash {
    std::size_t operator()(const Sizes& sizes) const;
  };

  [[nodiscard]] static Sizes sorted(std::span<const std::uint32_t> pieces);
  /// What pieces cut by themselves.
  [[nodiscard]] virtual std::int64_t alone(std::span<const std::uint32_t> pieces) = 0;
  /// No less than that.
  [[nodiscard]] virtual std::int64_t search(std::span<const std::uint32_t> pieces) = 0;

  std::unordered_map<Sizes, std::int64_t, Hash> known_;
  std::int64_t most_by_itself_;
  std::int64_t most_work_;
};

/// For hash tables of states.
[[nodiscard]] inline std::uint64_t mixed(std::uint64_t all, std::uint64_t more) {
  const std::uint64_t product = (all ^ more) * 0x9e3779b97f4a7c15U;
  return product ^ product >> 32;
}

}  // namespace zonecut
