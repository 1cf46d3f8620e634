#pragma once
// Ids that follow each other, for a range-based for: the servers of a domain, say.
#include <cstddef>

namespace zonecut {

template <class Key>
class IdRange {
 public:
  class Iterator {
   public:
    using value_type = Key;
    using difference_type = std::ptrdiff_t;
    constexpr Iterator() = default;
    constexpr explicit Iterator(std::size_t index) noexcept : index_(index) {}
    [[nodiscard]] constexpr Key operator*() const noexcept { return Key{index_}; }
    constexpr Iterator& operator++() noexcept { return ++index_, *this; }
    constexpr Iterator operator++(int) noexcept { return Iterator{index_++}; }
    friend constexpr bool operator==(Iterator, Iterator) noexcept = default;

   private:
    std::size_t index_ = 0;
  };

  constexpr IdRange(std::size_t first, std::size_t count) noexcept
      : first_(first), end_(first + count) {}
  [[nodiscard]] constexpr Iterator begin() const noexcept { return Iterator{first_}; }
  [[nodiscard]] constexpr Iterator end() const noexcept { return Iterator{end_}; }

 private:
  std::size_t first_;
  std::size_t end_;
};

}  // namespace zonecut
