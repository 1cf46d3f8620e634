#pragma once
// The best sets of a line at any prices (priced_sets.hpp), where its parts have few open places
// (line_parts.hpp), as those of double binary trees. Costs are whole numbers in 32 bits.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "bound/priced_sets.hpp"
#include "grid/joined_sums.hpp"
#include "grid/line_joins.hpp"
#include "grid/line_parts.hpp"

namespace zonecut {

class JoinedSets final : public PricedSets {
 public:
  /// Places of so many vertices each, sets of at most `largest` vertices. None where one look would
  /// take more than `most_steps`, or 128 MB.
  [[nodiscard]] static std::optional<JoinedSets> make(std::vector<std::uint32_t> widths,
                                                      std::span<const LineEdge> edges,
                                                      std::size_t largest, std::size_t most_steps);

  /// Work of one look at sets of so many vertices at most, before they are made.
  [[nodiscard]] static std::size_t steps(std::span<const std::uint32_t> widths,
                                         std::span<const LineEdge> edges, std::size_t largest);

  JoinedSets(JoinedSets&&) = default;  // sums refer to its parts
  JoinedSets(const JoinedSets&) = delete;
  JoinedSets& operator=(JoinedSets&&) = delete;
  JoinedSets& operator=(const JoinedSets&) = delete;
  ~JoinedSets() override = default;

  [[nodiscard]] std::span<const std::uint32_t> widths() const override { return widths_; }
  [[nodiscard]] std::size_t steps() const override { return steps_; }
  void solve(std::span<const double> prices) override;
  [[nodiscard]] double price(std::size_t place) const override {
    return unit_ * static_cast<double>(-cost_of_[place]);
  }
  [[nodiscard]] std::span<const double> costs() const override { return cost_; }
  void members(std::span<const std::size_t> sizes, std::span<std::uint8_t> taken) override;
  /// O(states of all parts · lines).
  void look_at_lines() override;

 private:
  using Units = std::int32_t;
  JoinedSets(std::vector<std::uint32_t> widths, std::span<const LineEdge> edges,
             std::size_t largest, std::size_t steps);
  void choose_unit(std::span<const double> prices);

  std::vector<std::uint32_t> widths_;
  std::vector<LinePart> parts_;
  std::vector<LineJoin> joins_;
  std::size_t counts_;  // sizes, 0 among them
  std::size_t steps_;
  JoinedSums<Units> sums_;
  double lightest_ = 0;     // edge, half of it
  double heaviest_ = 0;     // half of what a place may cut
  double most_joined_ = 0;  // half of what a join may cut
  double unit_ = 0;
  Units known_ = 0;             // less than that
  std::vector<Units> cost_of_;  // by place
  std::vector<double> cost_;    // by size
};

}  // namespace zonecut
