#pragma once
// How long the slowest of many links takes when flows are hashed onto them: balls into bins, by
// distribution instead of by a sample of hashes.
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "zonecut/base/units.hpp"

namespace zonecut {

/// Cables that share one hashed load: each flow falls on each of them with equal chance.
struct HashedBundle {
  std::int64_t cables = 0;
  BytesPerSecond cable;  ///< of one
  double bytes = 0;      ///< on all of them together
  double squares = 0;    ///< Σ bytes² over the flows; bytes²/squares is the number of equal flows
                         ///< that collide alike (Kish's effective sample size)
  friend auto operator<=>(const HashedBundle&, const HashedBundle&) = default;
};

/// A time that depends on how the hash falls.
struct HashedSpan {
  Seconds mean;
  Seconds low;   ///< one launch in ten is faster
  Seconds high;  ///< one launch in ten is slower
  double variance = 0;
};

/// Of launches that were looked at one by one; sorts them. At least one.
[[nodiscard]] HashedSpan span_of(std::vector<double>& seconds);

/// Times of parts that wait for each other and are hashed alike: what is slow once is slow again.
[[nodiscard]] HashedSpan operator+(const HashedSpan& a, const HashedSpan& b);
[[nodiscard]] HashedSpan operator*(const HashedSpan& span, double factor);
/// The later of two ends that come about independently, for one of which `other` is certain.
[[nodiscard]] HashedSpan at_least(const HashedSpan& span, Seconds other);

/// The sum of many parts that are hashed apart: by the central limit theorem nearly normal.
class HashedSum {
 public:
  /// `times` parts like this one.
  void add(const HashedSpan& part, double times);
  [[nodiscard]] HashedSpan total() const;

 private:
  double mean_ = 0;
  double variance_ = 0;
};

/// The time of the slowest cable of several bundles. A bundle of M cables with n effective flows of
/// b bytes gives a cable K·b bytes, K ~ Binomial(n, 1/M); cables are taken as independent, except
/// that some cable carries at least ⌈n/M⌉ flows. Compared with packet-level simulation in
/// tests/scheduler/routing. O(bundles · log) for adding, O(distinct bundles · flows a cable) for
/// the result.
class HashedTime {
 public:
  void add(const HashedBundle& bundle, std::int64_t count = 1) { bundles_[bundle] += count; }
  /// All zero when nothing was added.
  [[nodiscard]] HashedSpan slowest() const;

 private:
  std::map<HashedBundle, std::int64_t> bundles_;
};

/// Of one bundle alone.
[[nodiscard]] HashedSpan hashed_span(const HashedBundle& bundle);

}  // namespace zonecut
