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
      : claims_(claims), taken_(members, false) {
    ranks_.places.resize(claims.size());
    if (planned.size() != members) return;
    for (std::size_t v = 0; v < members; ++v) planned_.emplace_back(planned[v], v);
    std::ranges::sort(planned_);
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

  /// The first free place that is planned on the server of the claim.
  [[nodiscard]] std::optional<std::size_t> planned_at(const RankClaim& claim) const {
    if (!claim.server) return std::nullopt;
    const auto here = std::ranges::equal_range(planned_, *claim.server, {},
                                               &std::pair<ServerId, std::size_t>::first);
    for (const auto& [server, member] : here) {
      if (!taken_[member]) return member;
    }
    return std::nullopt;
  }

  std::optional<std::size_t> lowest() {
    while (lowest_ < taken_.size() && taken_[lowest_]) ++lowest_;
    return lowest_ < taken_.size() ? std::optional(lowest_) : std::nullopt;
  }

  std::span<const RankClaim> claims_;
  std::vector<std::pair<ServerId, std::size_t>> planned_;  // members by server; empty: no plan
  std::vector<bool> taken_;
  std::size_t lowest_ = 0;  // all places below are taken
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
