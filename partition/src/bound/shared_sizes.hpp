#pragma once
// Zones that are free to hold fewer vertices than they have room for, but all of them together: the
// sizes that cost least, where what a size costs is known. Exact where work allows, by dynamic
// programming over the few sizes that come near the cheapest mixture of sizes; a bound otherwise.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "partition_problem.hpp"

namespace zonecut {

/// Where sizes are shared out in every step: one part in so many of what else the step takes.
inline constexpr std::size_t kSharingPart = 4;

/// What a zone may hold, both included.
struct SizeRange {
  std::size_t least = 0;
  std::size_t most = 0;
  friend bool operator==(const SizeRange&, const SizeRange&) = default;
};

class SharedSizes {
 public:
  /// By zone. There is room for `vertices` at least.
  SharedSizes(std::span<const std::uint32_t> capacity, std::size_t vertices);

  /// From now on zones hold no less and no more than that, by zone, within their capacities. Some
  /// sizes add up.
  void allow(std::span<const SizeRange> ranges);

  struct Choice {
    double least = 0;  ///< no sizes that add up cost less
    /// Of the zones that have room, the largest capacity first; near to adding up where work ran
    /// out.
    std::vector<std::size_t> size{};
  };
  /// What a zone of 0 vertices and more costs, up to its capacity; infinite where no zone can have
  /// the size. O(room of all zones), and at most about `most_work` steps beside.
  const Choice& choose(std::span<const double> cost, std::size_t most_work);
  /// The same where zones of every capacity have costs of their own, the largest capacity first.
  const Choice& choose(std::span<const std::span<const double>> costs, std::size_t most_work);
  /// Of one choice, beside `most_work`.
  [[nodiscard]] std::size_t steps() const { return steps_; }
  /// The sizes of the last choice, by zone; none where they do not add up.
  [[nodiscard]] std::optional<Shares> shares() const;
  /// False where no sizes that zones could have at the last choice add up.
  [[nodiscard]] bool adds_up() const { return adds_up_; }
  /// Of every zone, what it has room for.
  [[nodiscard]] std::span<const std::size_t> capacity() const { return capacity_; }
  [[nodiscard]] std::size_t vertices() const { return vertices_; }

 private:
  struct Corner {  ///< of the lower hull of costs
    std::size_t size = 0;
    double cost = 0;
  };
  struct Sized {
    std::size_t size = 0;
    double over = 0;  ///< what it costs more than the best size, at the price of a vertex
  };
  struct Held {  ///< by the zones so far
    std::uint32_t all = 0;
    std::uint32_t last = 0;
    double over = 0;
  };
  struct Kind {             ///< zones of one capacity and range
    std::size_t costs = 0;  ///< whose they have, where every capacity has its own
    SizeRange range;
    std::size_t zones = 0;
    std::vector<Corner> hull;
    double best = 0;           ///< at the price of a vertex
    std::vector<Sized> sizes;  ///< the cheaper, the earlier
  };

  void find_hulls(std::span<const std::span<const double>> costs);
  void find_price();
  void take_at_price();
  void find_reduced(std::span<const std::span<const double>> costs);
  bool share(double most_over, std::size_t& work);
  bool add_zone(const Kind& kind, double most_over, std::size_t room_after, std::size_t& work);
  void trace_back();

  std::size_t vertices_;
  std::size_t steps_ = 0;
  std::size_t capacities_ = 0;         // different ones
  std::vector<std::size_t> capacity_;  // by zone, up to all vertices
  std::vector<std::size_t> order_;     // zones that have room, the largest capacity first
  std::vector<std::size_t> kind_of_;   // in that order
  std::vector<Kind> kinds_;
  double price_ = 0;  // of a vertex
  bool adds_up_ = true;
  double over_ = 0;                      // of the last choice, more than its mixture
  std::vector<std::vector<Held>> held_;  // by zones so far
  std::vector<double> least_;            // by vertices held; scratch
  std::vector<std::uint32_t> last_;
  Choice choice_;
};

}  // namespace zonecut
