#pragma once
// Identifiers that cannot be mixed up. An Id<Tag> is an index into the table of its kind: it
// compares and hashes, and has no arithmetic. There is no invalid id; absence is std::optional.
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace zonecut {

template <class Tag>
class Id {
 public:
  constexpr explicit Id(std::size_t index) noexcept : value_(static_cast<std::uint32_t>(index)) {}
  [[nodiscard]] constexpr std::size_t index() const noexcept { return value_; }
  friend constexpr auto operator<=>(Id, Id) noexcept = default;

 private:
  std::uint32_t value_;
};

using DomainId = Id<struct DomainTag>;
using ServerId = Id<struct ServerTag>;
using SwitchId = Id<struct SwitchTag>;
using LinkId = Id<struct LinkTag>;
using JobId = Id<struct JobTag>;
using RankId = Id<struct RankTag>;

/// A GPU is named by its server and its index there, as the drivers do.
struct GpuId {
  ServerId server;
  int index;
  friend constexpr auto operator<=>(const GpuId&, const GpuId&) noexcept = default;
};

/// A vector indexed by one kind of id and by nothing else.
template <class Key, class Value>
class IdMap {
 public:
  IdMap() = default;
  explicit IdMap(std::size_t size, const Value& value = {}) : values_(size, value) {}

  [[nodiscard]] decltype(auto) operator[](Key id) { return values_[id.index()]; }
  [[nodiscard]] decltype(auto) operator[](Key id) const { return values_[id.index()]; }
  [[nodiscard]] std::size_t size() const noexcept { return values_.size(); }
  [[nodiscard]] bool empty() const noexcept { return values_.empty(); }
  [[nodiscard]] auto begin() { return values_.begin(); }
  [[nodiscard]] auto end() { return values_.end(); }
  [[nodiscard]] auto begin() const { return values_.begin(); }
  [[nodiscard]] auto end() const { return values_.end(); }

  Key push_back(Value value) {
    values_.push_back(std::move(value));
    return Key{values_.size() - 1};
  }

  friend bool operator==(const IdMap&, const IdMap&) = default;

 private:
  std::vector<Value> values_;
};

}  // namespace zonecut

template <class Tag>
struct std::hash<zonecut::Id<Tag>> {
  std::size_t operator()(zonecut::Id<Tag> id) const noexcept {
    return std::hash<std::size_t>{}(id.index());
  }
};
