// An attribution for people: what adds how much, and where counters point.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "report/text.hpp"
#include "zonecut/scheduler/attribution_report.hpp"

namespace zonecut {
namespace {

using report::clean;

std::string signed_time(Seconds time) {
  return (time.count < 0 ? "-" : "") + to_text(Seconds{std::abs(time.count)});
}

/// Of a time far below what is predicted everything is a multiple that says nothing.
std::string percent(double part) {
  constexpr double kMost = 10;
  if (std::abs(part) < kMost) return fmt::format("{:.1f} %", part * 100);
  return part > 0 ? "> 999 %" : "< -999 %";
}

std::string shares_text(const Attribution& found) {
  std::string text;
  for (const CauseShare& share : found.shares) {
    text += fmt::format("  {:>9} {:>8}  {:<12} {}\n", signed_time(share.seconds),
                        percent(share.seconds.count / found.measured.count),
                        cause_name(share.cause), cause_summary(share.cause));
  }
  return text;
}

/// Where far less was measured than is predicted, something is not as the files say. Empty where
/// that is not so.
std::string doubt(const Attribution& found) {
  constexpr double kFarBelow = 0.9;
  const double measured = found.measured.count;
  const Seconds least = found.shares.front().seconds;
  if (measured >= kFarBelow * found.predicted_low.count) return {};
  if (measured < kFarBelow * least.count) {
    return fmt::format(
        "Even the best placement is predicted to take {}: the job file, the speed of links or\n"
        "the unit of --measured does not match.\n",
        to_text(least));
  }
  const auto largest =
      std::ranges::max_element(std::span(found.shares).subspan(1), {},
                               [](const CauseShare& share) { return share.seconds.count; });
  return fmt::format(
      "Less was measured than is predicted: the job, the state or --routing does not match.\n"
      "Most of what is predicted beyond the least is {}:\n{}.\n",
      cause_name(largest->cause), cause_summary(largest->cause));
}

std::string most_of_it(const Attribution& found) {
  if (std::string text = doubt(found); !text.empty()) return text;
  const Cause cause = main_cause(found);
  const double least = found.shares.front().seconds.count;
  if (cause == Cause::Least) {
    return found.measured.count > least
               ? "It takes a hundredth longer at most than the best placement on the empty cluster "
                 "would.\n"
               : "It takes no longer than the best placement on the empty cluster would.\n";
  }
  double seconds = 0;
  double added = 0;  // more than what exceeds the least where a share is negative
  for (const CauseShare& share : found.shares) {
    if (share.cause == cause) seconds = share.seconds.count;
    if (share.cause != Cause::Least) added += std::max(0.0, share.seconds.count);
  }
  return fmt::format("Of what adds to the least, {:.0f} % is {}: {}.\n", 100 * seconds / added,
                     cause_name(cause), cause_summary(cause));
}

std::string conclusion(const Attribution& found) {
  std::string text = most_of_it(found);
  // The mean can lie beyond either: where one launch in twenty is far slower, nine in ten are
  // alike.
  if (found.predicted_low != found.predicted || found.predicted_high != found.predicted) {
    const bool within =
        found.measured >= found.predicted_low && found.measured <= found.predicted_high;
    text += fmt::format(
        "Launches differ: eight in ten take {} to {}. This one is {}.\n",
        to_text(found.predicted_low), to_text(found.predicted_high),
        within ? "one of these" : (found.measured > found.predicted_high ? "slower" : "faster"));
  }
  return text;
}

std::string place_name(const Cluster& cluster, const HotSpot& hot) {
  if (const auto* nic = std::get_if<NicRef>(&hot.where))
    return fmt::format("server {}, NIC {}", clean(cluster.server(nic->server).name), nic->nic);
  if (const auto* server = std::get_if<ServerId>(&hot.where))
    return "server " + clean(cluster.server(*server).name);
  const DomainId domain = std::get<DomainId>(hot.where);
  const auto level = static_cast<std::size_t>(cluster.domain(domain).level);
  return clean(cluster.levels()[level]) + " " + clean(cluster.path(domain));
}

std::string finding_text(const Cluster& cluster, const CounterFinding& finding) {
  std::string text = fmt::format("  {}: {} in {}", clean(finding.counter), grouped(finding.count),
                                 counted(finding.readings, "reading"));
  if (const auto times = finding.against_others) {
    text += *times < 1000 ? fmt::format(", {:.3g} times what other servers have", *times)
                          : fmt::format(", {:.0f} times what other servers have", *times);
  }
  text += '\n';
  if (const auto meaning = counter_meaning(finding.counter); !meaning.empty())
    text += fmt::format("    {}\n", meaning);
  for (const HotSpot& hot : finding.hot) {
    text += fmt::format("    {:.0f} % on {} ({} of {})\n",
                        100 * static_cast<double>(hot.count) / static_cast<double>(finding.count),
                        place_name(cluster, hot), grouped(hot.readings),
                        counted(finding.readings, "reading"));
  }
  if (finding.hot.empty()) {
    text += finding.readings == 1 ? "    there is no other of the job to compare it with\n"
                                  : "    no part of the job stands out\n";
  }
  return text;
}

}  // namespace

std::string write_attribution_text(const AttributionReport& report) {
  const Attribution& found = report.attribution;
  std::string text = fmt::format("{}: {}, {}\n", clean(report.job), counted(report.ranks, "rank"),
                                 describe(report.routing));
  if (!report.assumed_model.empty())
    text += fmt::format("model          {}\n", report.assumed_model);
  text += fmt::format("communication  {} per {} measured, {} predicted\n", to_text(found.measured),
                      report.period, to_text(found.predicted));
  text += shares_text(found) + conclusion(found);
  if (!report.counted) return text;
  if (report.findings.empty()) return text + "No counter grew on its servers.\n";
  text += "Counters that grew on its servers:\n";
  for (const CounterFinding& finding : report.findings)
    text += finding_text(report.cluster, finding);
  return text;
}

}  // namespace zonecut
