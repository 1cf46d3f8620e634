// The JSON of an attribution; docs/schema says what each field means.
#include "report/json_parts.hpp"
#include "zonecut/scheduler/attribution_report.hpp"

namespace zonecut {
namespace {

using report::Json;

Json where_json(const Cluster& cluster, const HotSpot& hot) {
  Json json{{"domain", nullptr}, {"server", nullptr}, {"nic", nullptr}};
  if (const auto* nic = std::get_if<NicRef>(&hot.where)) {
    json["server"] = cluster.server(nic->server).name;
    json["nic"] = nic->nic;
  } else if (const auto* server = std::get_if<ServerId>(&hot.where)) {
    json["server"] = cluster.server(*server).name;
  } else {
    json["domain"] = cluster.path(std::get<DomainId>(hot.where));
  }
  json["count"] = hot.count;
  json["readings"] = hot.readings;
  return json;
}

Json finding_json(const Cluster& cluster, const CounterFinding& finding) {
  Json hot = Json::array();
  for (const HotSpot& spot : finding.hot) hot.push_back(where_json(cluster, spot));
  const auto& against = finding.against_others;
  return {{"counter", finding.counter},
          {"meaning", report::or_null(std::string(counter_meaning(finding.counter)))},
          {"count", finding.count},
          {"readings", finding.readings},
          {"against_others", against ? Json(*against) : Json()},
          {"hot", std::move(hot)}};
}

}  // namespace

std::string write_attribution_json(const AttributionReport& report) {
  const Attribution& found = report.attribution;
  Json json{{"schema", "zonecut.attribution/v1"},
            {"job", report.job},
            {"ranks", report.ranks},
            {"assumed_model", report::or_null(report.assumed_model)},
            {"routing", describe(report.routing)},
            {"measured_seconds", found.measured.count},
            {"predicted_seconds", found.predicted.count},
            {"predicted_low_seconds", found.predicted_low.count},
            {"predicted_high_seconds", found.predicted_high.count},
            {"main_cause", cause_name(main_cause(found))}};
  json["causes"] = Json::array();
  for (const CauseShare& share : found.shares) {
    json["causes"].push_back({{"cause", cause_name(share.cause)},
                              {"seconds", share.seconds.count},
                              {"summary", cause_summary(share.cause)}});
  }
  json["counters"] = report.counted ? Json::array() : Json();
  for (const CounterFinding& finding : report.findings)
    json["counters"].push_back(finding_json(report.cluster, finding));
  json["provenance"] = report::provenance_json(report.provenance);
  return report::dumped(json) + '\n';
}

}  // namespace zonecut
