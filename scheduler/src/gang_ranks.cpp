#include "zonecut/scheduler/gang_ranks.hpp"

#include <algorithm>
#include <charconv>
#include <tuple>
#include <utility>

namespace zonecut {
namespace {

class Places {
 public:
  Places(std::span<const RankClaim> claims, std::size_t members, std::span<const ServerId> planned)
      : claims_(claims), planned_(planned), taken_(members, false) {
    ranks_.places.resize(claims.size());
  }

  Ranks all() && {
    for (std::size_t i = 0; i < claims_.size(); ++i) {
      const std::optional<std::size_t>& said = claims_[i].said;
      if (!said) {
        open_.push_back(i);
      } else if (!take(i, *said)) {
        ranks_.clash = {*said < taken_.size() ? RankClash::Why::Taken : RankClash::Why::Beyond, i};
        return std::move(ranks_);
      }
    }
    settle([](const RankClaim& claim) { return claim.before; });
    if (planned_.size() == taken_.size())
      settle([this](const RankClaim& claim) { return planned_at(claim); });
    settle([](const RankClaim& claim) { return claim.name.number; });
    settle([this](const RankClaim&) { return lowest(); });
    if (!open_.empty()) ranks_.clash = {RankClash::Why::TooMany, claims_.size()};
    return std::move(ranks_);
  }

 private:
  bool take(std::size_t claim, std::size_t member) {
    if (member >= taken_.size() || taken_[member]) return false;
    taken_[member] = true;
    ranks_.places[claim] = member;
    return true;
  }

  template <class Wish>
  void settle(const Wish& wish) {
    std::erase_if(open_, [&](std::size_t claim) {
      const std::optional<std::size_t> member = wish(claims_[claim]);
      return member && take(claim, *member);
    });
  }

  std::optional<std::size_t> planned_at(const RankClaim& claim) const {
    for (std::size_t v = 0; claim.server && v < planned_.size(); ++v) {
      if (planned_[v] == *claim.server && !taken_[v]) return v;
    }
    return std::nullopt;
  }

  std::optional<std::size_t> lowest() const {
    const auto free = std::find(taken_.begin(), taken_.end(), false);
    if (free == taken_.end()) return std::nullopt;
    return static_cast<std::size_t>(free - taken_.begin());
  }

  std::span<const RankClaim> claims_;
  std::span<const ServerId> planned_;
  std::vector<bool> taken_;
  Ranks ranks_;
  std::vector<std::size_t> open_;  // claims without a place so far
};

}  // namespace

bool operator<(const CountedName& a, const CountedName& b) {
  return std::tuple(a.stem, a.number.value_or(0), a.whole) <
         std::tuple(b.stem, b.number.value_or(0), b.whole);
}

CountedName counted_name(std::string_view name) {
  const std::size_t digits = name.find_last_not_of("0123456789") + 1;
  CountedName counted{name.substr(0, digits), std::nullopt, name};
  std::size_t number = 0;
  const char* const end = name.data() + name.size();
  const auto [at, error] = std::from_chars(name.data() + digits, end, number);
  if (error == std::errc{} && at == end) counted.number = number;
  return counted;
}

Ranks ranks_of(std::span<const RankClaim> claims, std::size_t members,
               std::span<const ServerId> planned) {
  return Places(claims, members, planned).all();
}

}  // namespace zonecut
