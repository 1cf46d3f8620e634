#include "routing/hashed_time.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace zonecut {
namespace {

/// At `time` the logarithm of P(slowest < time) rises by `log_rise`; -infinity to finite at the
/// first time that can happen at all.
struct Step {
  double time;
  double log_rise;
};

/// Below this chance a tail no longer moves the mean.
constexpr double kNegligible = 1e-9;

/// log of Binomial(n, p) at k, for real n (an effective number of flows).
double log_binomial(double n, double p, double k) {
  if (k > n) return -std::numeric_limits<double>::infinity();
  const double choose = std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1);
  return choose + k * std::log(p) + (n - k) * std::log1p(-p);
}

/// Flows on one cable: counts from the least that some cable must carry to the most that still
/// matters, `stride` apart where thousands would lie between.
class CableFlows {
 public:
  CableFlows(double flows, double cables) : flows_(flows), chance_(1 / cables) {
    const double mean = flows / cables;
    least_ = std::max(1.0, std::ceil(mean - 1e-9));
    const double most = std::min(flows, std::ceil(mean + 8 * std::sqrt(mean) + 40));
    stride_ = std::max(1.0, std::floor(std::sqrt(mean) / 64));
    counts_ = static_cast<std::size_t>(std::max(0.0, most - least_) / stride_) + 1;
  }

  [[nodiscard]] double count(std::size_t i) const {
    return std::min(flows_, least_ + stride_ * static_cast<double>(i));
  }

  /// P(more flows on the cable than count(i)).
  [[nodiscard]] std::vector<double> tails() const {
    std::vector<double> tails(counts_, 0.0);
    double tail = 0;
    for (std::size_t i = counts_; i-- > 1;) {
      tail += stride_ * std::exp(log_binomial(flows_, chance_, count(i)));
      tails[i - 1] = std::min(tail, kAlmostSure);
    }
    return tails;
  }

 private:
  static constexpr double kAlmostSure = 1 - 1e-15;
  double flows_;
  double chance_;
  double least_ = 1;
  double stride_ = 1;
  std::size_t counts_ = 1;
};

/// Appends the steps of a bundle that stands `copies` times; the time that one of its cables must
/// take in any case.
double add_steps(const HashedBundle& bundle, std::int64_t copies, std::vector<Step>& steps) {
  const double cable = static_cast<double>(bundle.cable.count);
  const double flows = std::max(1.0, std::round(bundle.bytes * bundle.bytes / bundle.squares));
  const double flow_time = bundle.bytes / flows / cable;
  if (bundle.cables == 1) return bundle.bytes / cable;
  const CableFlows on_cable(flows, static_cast<double>(bundle.cables));
  const std::vector<double> tails = on_cable.tails();
  const double links = static_cast<double>(bundle.cables) * static_cast<double>(copies);
  double before = 0;  // log P(no cable carries more than the count before)
  for (std::size_t i = 0; i < tails.size(); ++i) {
    const double now = links * std::log1p(-tails[i]);
    if (i > 0) steps.push_back({on_cable.count(i) * flow_time, now - before});
    before = now;
    if (before > -kNegligible) break;
  }
  return on_cable.count(0) * flow_time;
}

}  // namespace

HashedSpan span_of(std::vector<double>& seconds) {
  double mean = 0;  // advanced launch by launch, so that equal ones have exactly their own mean
  double squares = 0;
  double seen = 0;
  for (const double second : seconds) {  // Welford 1962
    const double off = second - mean;
    mean += off / ++seen;
    squares += off * (second - mean);
  }
  std::sort(seconds.begin(), seconds.end());
  const auto quantile = [&](double share) {
    const double at = share * (seen - 1);
    const auto below = static_cast<std::size_t>(at);
    const std::size_t above = std::min(below + 1, seconds.size() - 1);
    return seconds[below] + (at - static_cast<double>(below)) * (seconds[above] - seconds[below]);
  };
  return {{mean}, {quantile(0.1)}, {quantile(0.9)}, seen > 1 ? squares / (seen - 1) : 0};
}

HashedSpan operator+(const HashedSpan& a, const HashedSpan& b) {
  const double deviation = std::sqrt(a.variance) + std::sqrt(b.variance);
  return {a.mean + b.mean, a.low + b.low, a.high + b.high, deviation * deviation};
}

HashedSpan operator*(const HashedSpan& span, double factor) {
  return {span.mean * factor, span.low * factor, span.high * factor,
          span.variance * factor * factor};
}

HashedSpan at_least(const HashedSpan& span, Seconds other) {
  return {std::max(span.mean, other), std::max(span.low, other), std::max(span.high, other),
          span.mean < other ? 0 : span.variance};
}

void HashedSum::add(const HashedSpan& part, double times) {
  mean_ += part.mean.count * times;
  variance_ += part.variance * times;
}

HashedSpan HashedSum::total() const {
  constexpr double kTenth = 1.2815515655446004;  // deviations of the last tenth from the mean
  const double reach = kTenth * std::sqrt(variance_);
  return {{mean_}, {std::max(0.0, mean_ - reach)}, {mean_ + reach}, variance_};
}

HashedSpan HashedTime::slowest() const {
  std::vector<Step> steps;
  double least = 0;
  for (const auto& [bundle, count] : bundles_) {
    if (bundle.bytes > 0) least = std::max(least, add_steps(bundle, count, steps));
  }
  std::sort(steps.begin(), steps.end(),
            [](const Step& a, const Step& b) { return a.time < b.time; });
  // log P(slowest <= t) is minus the sum of all rises still to come.
  double log_chance = 0;
  for (const Step& step : steps) log_chance -= step.log_rise;
  HashedSpan span{{least}, {least}, {least}};
  double time = least;
  double square = least * least;  // mean of the squared time
  const auto advance = [&](double to) {
    const double chance = std::exp(log_chance);
    span.mean += Seconds{(1 - chance) * (to - time)};
    square += (1 - chance) * (to * to - time * time);
    if (chance < 0.1) span.low = {to};
    if (chance < 0.9) span.high = {to};
    time = to;
  };
  for (const Step& step : steps) {
    if (step.time > time) advance(step.time);
    log_chance += step.log_rise;
  }
  span.variance = std::max(0.0, square - span.mean.count * span.mean.count);
  return span;
}

HashedSpan hashed_span(const HashedBundle& bundle) {
  HashedTime time;
  time.add(bundle);
  return time.slowest();
}

}  // namespace zonecut
