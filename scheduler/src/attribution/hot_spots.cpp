// Where in the cluster a counter grew more than chance explains.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "zonecut/scheduler/nic_counters.hpp"

namespace zonecut {
namespace {

constexpr std::size_t kMostHotSpots = 8;
constexpr double kLeastRatio = 3;
constexpr double kStandardErrors = 4;
/// Twice the log-likelihood ratio of one place is a chi-squared variable of one degree of freedom,
/// so one above x has a probability below exp(-x); of all places together below their number times
/// that.
constexpr double kLogOfChance = 6.9;  // once in a thousand

using Where = std::variant<NicRef, ServerId, DomainId>;
/// How far out it is, and where: of places with the same readings the innermost comes first.
using Place = std::pair<int, Where>;

struct Sum {
  double count = 0;
  double readings = 0;
  double logs = 0;  // of count + 1
};

/// What counters differ by without any fault, on a logarithmic scale: congestion marks differ by
/// far more than Poisson counts do. Median and median deviation, which hot spots hardly move.
struct Usual {
  double log = 0;
  double deviation = 0;
};

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

Usual usual_of(std::span<const CounterReading> readings) {
  constexpr double kDeviationOfNormal = 1.4826;
  std::vector<double> logs;
  for (const CounterReading& reading : readings)
    logs.push_back(std::log1p(static_cast<double>(reading.count)));
  const double middle = median(logs);
  for (double& log : logs) log = std::abs(log - middle);
  return {middle, kDeviationOfNormal * median(std::move(logs))};
}

std::vector<Place> places_of(const Cluster& cluster, const CounterReading& reading) {
  std::vector<Place> places;
  const auto add = [&](const Where& where) {
    places.emplace_back(static_cast<int>(places.size()), where);
  };
  if (reading.nic) add(NicRef{reading.server, *reading.nic});
  add(reading.server);
  for (int level = cluster.rack_level(); level > 0; --level)
    add(cluster.domain_of(reading.server, level));
  return places;
}

/// 0 where the place has no more than its share.
double log_likelihood_ratio(const Sum& inside, const Sum& all) {
  const double expected = all.count * inside.readings / all.readings;
  if (inside.count <= expected || inside.readings >= all.readings) return 0;
  const double outside = all.count - inside.count;
  double ratio = inside.count * std::log(inside.count / expected);
  if (outside > 0) ratio += outside * std::log(outside / (all.count - expected));
  return ratio;
}

bool is_far_above(const Sum& inside, const Sum& all, const Usual& usual) {
  const double rest = (all.count - inside.count) / (all.readings - inside.readings);
  return inside.count / inside.readings >= kLeastRatio * rest &&
         inside.logs / inside.readings - usual.log >=
             kStandardErrors * usual.deviation / std::sqrt(inside.readings);
}

std::optional<HotSpot> hottest(const Cluster& cluster, std::span<const CounterReading> readings) {
  if (readings.empty()) return std::nullopt;
  const Usual usual = usual_of(readings);
  std::map<Place, Sum> sums;
  Sum all;
  for (const CounterReading& reading : readings) {
    const auto count = static_cast<double>(reading.count);
    all.count += count;
    all.readings += 1;
    for (const Place& place : places_of(cluster, reading)) {
      sums[place].count += count;
      sums[place].readings += 1;
      sums[place].logs += std::log1p(count);
    }
  }
  const double least = std::log(static_cast<double>(sums.size()) + 1) + kLogOfChance;
  double most = least;
  std::optional<HotSpot> hot;
  for (const auto& [place, sum] : sums) {
    const double ratio = log_likelihood_ratio(sum, all);
    if (ratio <= most || !is_far_above(sum, all, usual)) continue;
    most = ratio;
    hot = HotSpot{place.second, static_cast<std::int64_t>(sum.count),
                  static_cast<std::size_t>(sum.readings)};
  }
  return hot;
}

bool is_in(const Cluster& cluster, const CounterReading& reading, const Where& where) {
  return std::ranges::count(places_of(cluster, reading), where, &Place::second) > 0;
}

CounterFinding finding_of(const Cluster& cluster, const NicCounter& counter,
                          const IdMap<ServerId, bool>& ours) {
  CounterFinding finding{counter.name, 0, 0, {}, std::nullopt};
  std::vector<CounterReading> left;
  double others = 0;
  double other_readings = 0;
  for (const CounterReading& reading : counter.readings) {
    if (ours[reading.server]) {
      finding.count += reading.count;
      left.push_back(reading);
    } else {
      others += static_cast<double>(reading.count);
      other_readings += 1;
    }
  }
  finding.readings = left.size();
  if (others > 0 && !left.empty()) {
    finding.against_others = static_cast<double>(finding.count) / static_cast<double>(left.size()) /
                             (others / other_readings);
  }
  while (finding.hot.size() < kMostHotSpots) {
    const auto hot = hottest(cluster, left);
    if (!hot) break;
    std::erase_if(
        left, [&](const CounterReading& reading) { return is_in(cluster, reading, hot->where); });
    finding.hot.push_back(*hot);
  }
  return finding;
}

}  // namespace

std::vector<CounterFinding> findings_of(const Cluster& cluster,
                                        std::span<const NicCounter> counters,
                                        std::span<const ServerId> servers) {
  IdMap<ServerId, bool> ours(cluster.server_count(), false);
  for (const ServerId server : servers) ours[server] = true;
  std::vector<CounterFinding> findings;
  for (const NicCounter& counter : counters) {
    CounterFinding finding = finding_of(cluster, counter, ours);
    if (finding.count > 0) findings.push_back(std::move(finding));
  }
  return findings;
}

std::string_view counter_meaning(std::string_view name) {
  // As the drivers of common RoCE NICs call them, under hw_counters and in ethtool.
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 14> kMeanings = {{
      {"out_of_sequence", "packets came out of order: lost on the way here, or on several paths"},
      {"packet_seq_err", "receivers asked for packets again: lost on the way from here"},
      {"local_ack_timeout_err", "nobody acknowledged what was sent: a lost path or a dead peer"},
      {"rnr_nak_retry_err", "the receiver was not ready: its host, not the fabric"},
      {"out_of_buffer", "no receive buffer was posted: its host, not the fabric"},
      {"rx_icrc_encapsulated", "packets were damaged on the way: a cable or an optic"},
      {"link_downed", "the link went down: its cable, its optic or the leaf's port"},
      {"link_error_recovery", "the link recovered from errors: its cable or optic"},
      {"symbol_error", "symbols were damaged: its cable or optic"},
      {"np_cnp_sent", "congestion was marked on the way here"},
      {"rp_cnp_handled", "congestion was marked on the way from here"},
      {"np_ecn_marked_roce_packets", "congestion was marked on the way here"},
      {"rx_discards_phy", "arriving packets were dropped: its buffer overflowed"},
      {"rx_prio3_pause", "the leaf was asked to pause: its host takes too slowly"},
  }};
  const auto found =
      std::ranges::find(kMeanings, name, [](const auto& meaning) { return meaning.first; });
  return found == kMeanings.end() ? std::string_view{} : found->second;
}

}  // namespace zonecut
