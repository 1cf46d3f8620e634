// Where in the cluster a counter grew more than chance explains.
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "zonecut/scheduler/nic_counters.hpp"

namespace zonecut {
namespace {

constexpr std::size_t kMostHotSpots = 8;
constexpr double kLeastRatio = 3;
constexpr double kStandardErrors = 4;
/// Given their sum, Poisson counts fall into a place as heads do, and Chernoff's bound says that
/// one with a log-likelihood ratio above x has a probability below exp(-x); of all places together
/// below their number times that.
constexpr double kLogOfChance = 6.908;  // once in a thousand

/// From the innermost: a reading, which is a NIC where the table has NICs, a server, domains.
constexpr std::size_t kReading = 0;
constexpr std::size_t kServer = 1;

struct Range {
  std::size_t begin = 0;
  std::size_t end = 0;
  [[nodiscard]] std::size_t size() const { return end - begin; }
};

struct Place {
  std::size_t kind = 0;
  Range range;
};

/// What parts of the cluster differ by without any fault, on a logarithmic scale: congestion marks
/// differ by far more than Poisson counts do, and alike on all NICs of a server or rack.
struct Usual {
  double log = 0;
  double deviation = 0;
};

/// Median, and a deviation that three in four keep to: hot spots that hold less than a quarter move
/// neither, and where more than a quarter counted something it is no sign of a fault to be of
/// these.
Usual usual_of(std::vector<double> logs) {
  constexpr double kDeviationOfNormal = 1 / 1.1503;
  const auto middle = logs.begin() + static_cast<std::ptrdiff_t>(logs.size() / 2);
  std::ranges::nth_element(logs, middle);
  const double median = *middle;
  for (double& log : logs) log = std::abs(log - median);
  const auto three_quarters =
      logs.begin() + static_cast<std::ptrdiff_t>((logs.size() * 3 + 3) / 4 - 1);
  std::ranges::nth_element(logs, three_quarters);
  return {median, kDeviationOfNormal * *three_quarters};
}

/// Readings in an order in which every server and domain is a range of them.
class Scan {
 public:
  Scan(const Cluster& cluster, std::span<const CounterReading> readings)
      : cluster_(cluster), readings_(readings), counts_(readings.size() + 1) {
    for (std::size_t i = 0; i < readings.size(); ++i)
      counts_[i + 1] = counts_[i] + readings[i].count;
    const auto kinds = static_cast<std::size_t>(cluster.rack_level()) + 2;
    for (std::size_t kind = 0; kind < kinds; ++kind) add_kind(kind);
  }

  [[nodiscard]] std::optional<Place> hottest() {
    std::size_t places = 0;
    for (std::size_t kind = 0; kind < kinds_.size(); ++kind) places += nameable(kind);
    // Of places with the same readings the innermost comes first.
    double most = std::log(static_cast<double>(places) + 1) + kLogOfChance;
    std::optional<Place> hot;
    for (std::size_t kind = 0; kind < kinds_.size(); ++kind) {
      for (std::size_t i = 0; i < kinds_[kind].logs.size(); ++i) {
        const Range range{kinds_[kind].begins[i], kinds_[kind].begins[i + 1]};
        if (kind == kReading && !readings_[range.begin].nic) continue;
        const double ratio = log_likelihood_ratio(range);
        if (ratio <= most || !is_far_above(kind, range)) continue;
        most = ratio;
        hot = Place{kind, range};
      }
    }
    return hot;
  }

  [[nodiscard]] HotSpot named(const Place& place) const {
    const CounterReading& reading = readings_[place.range.begin];
    HotSpot hot{reading.server, count(place.range), place.range.size()};
    if (place.kind == kReading) {
      hot.where = NicRef{reading.server, *reading.nic};
    } else if (place.kind != kServer) {
      hot.where = domain(place.kind, reading);
    }
    return hot;
  }

 private:
  struct Kind {
    std::vector<std::size_t> begins;  ///< of each unit in the readings, and the end of the last
    std::vector<double> logs;         ///< of each unit: of count + 1, in the mean
    std::optional<Usual> usual;       ///< of all units
  };

  void add_kind(std::size_t kind) {
    Kind units;
    for (std::size_t i = 0; i < readings_.size(); ++i) {
      if (i == 0 || kind == kReading || !is_same(kind, readings_[i - 1], readings_[i])) {
        units.begins.push_back(i);
        units.logs.push_back(0);
      }
      units.logs.back() += std::log1p(static_cast<double>(readings_[i].count));
    }
    units.begins.push_back(readings_.size());
    for (std::size_t i = 0; i < units.logs.size(); ++i)
      units.logs[i] /= static_cast<double>(units.begins[i + 1] - units.begins[i]);
    kinds_.push_back(std::move(units));
  }

  [[nodiscard]] DomainId domain(std::size_t kind, const CounterReading& reading) const {
    return cluster_.domain_of(reading.server,
                              cluster_.rack_level() - static_cast<int>(kind - kServer - 1));
  }

  [[nodiscard]] bool is_same(std::size_t kind, const CounterReading& a,
                             const CounterReading& b) const {
    return kind == kServer ? a.server == b.server : domain(kind, a) == domain(kind, b);
  }

  [[nodiscard]] std::size_t nameable(std::size_t kind) const {
    if (kind != kReading) return kinds_[kind].logs.size();
    return static_cast<std::size_t>(std::ranges::count_if(
        readings_, [](const auto& reading) { return reading.nic.has_value(); }));
  }

  [[nodiscard]] std::int64_t count(Range range) const {
    return counts_[range.end] - counts_[range.begin];
  }

  /// 0 where the place has no more than its share.
  [[nodiscard]] double log_likelihood_ratio(Range range) const {
    if (range.size() == readings_.size()) return 0;
    const auto all = static_cast<double>(counts_.back());
    const auto inside = static_cast<double>(count(range));
    const double expected =
        all * static_cast<double>(range.size()) / static_cast<double>(readings_.size());
    if (inside <= expected) return 0;
    const auto outside = static_cast<double>(counts_.back() - count(range));
    double ratio = inside * std::log(inside / expected);
    if (outside > 0) ratio += outside * std::log(outside / (all - expected));
    return ratio;
  }

  /// Whether it is far above the rest, of its own kind and of all that it consists of.
  [[nodiscard]] bool is_far_above(std::size_t kind, Range range) {
    const auto inside = static_cast<double>(count(range)) / static_cast<double>(range.size());
    const auto outside = static_cast<double>(counts_.back() - count(range)) /
                         static_cast<double>(readings_.size() - range.size());
    if (inside < kLeastRatio * outside) return false;
    for (std::size_t part = 0; part <= kind; ++part) {
      const Range units = units_in(kinds_[part], range);
      const Usual usual = usual_outside(kinds_[part], units);
      double sum = 0;
      for (std::size_t i = units.begin; i < units.end; ++i) sum += kinds_[part].logs[i];
      const auto size = static_cast<double>(units.size());
      if (sum / size - usual.log < kStandardErrors * usual.deviation / std::sqrt(size))
        return false;
    }
    return true;
  }

  static Range units_in(const Kind& kind, Range range) {
    const auto index = [&](std::size_t reading) {
      return static_cast<std::size_t>(std::ranges::lower_bound(kind.begins, reading) -
                                      kind.begins.begin());
    };
    return {index(range.begin), index(range.end)};
  }

  /// Few among many do not move what is usual of all.
  static Usual usual_outside(Kind& kind, Range units) {
    constexpr std::size_t kMany = 16;
    if (units.size() * kMany <= kind.logs.size()) {
      if (!kind.usual) kind.usual = usual_of(kind.logs);
      return *kind.usual;
    }
    std::vector<double> logs(kind.logs.begin(),
                             kind.logs.begin() + static_cast<std::ptrdiff_t>(units.begin));
    logs.insert(logs.end(), kind.logs.begin() + static_cast<std::ptrdiff_t>(units.end),
                kind.logs.end());
    return usual_of(std::move(logs));
  }

  const Cluster& cluster_;
  std::span<const CounterReading> readings_;
  std::vector<std::int64_t> counts_;  ///< of all readings before
  std::vector<Kind> kinds_;
};

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
  if (finding.count == 0) return finding;
  // Servers are numbered depth first, so that those of any domain now follow each other.
  std::ranges::sort(left, {}, [](const CounterReading& reading) {
    return std::pair(reading.server, reading.nic);
  });
  while (finding.hot.size() < kMostHotSpots && left.size() > 1) {
    Scan scan(cluster, left);
    const auto hot = scan.hottest();
    if (!hot) break;
    finding.hot.push_back(scan.named(*hot));
    left.erase(left.begin() + static_cast<std::ptrdiff_t>(hot->range.begin),
               left.begin() + static_cast<std::ptrdiff_t>(hot->range.end));
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
