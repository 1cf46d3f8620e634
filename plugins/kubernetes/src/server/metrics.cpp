#include "server/metrics.hpp"

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <mutex>

namespace zonecut::kubernetes {
namespace {

using prometheus::Counter;
using prometheus::Family;
using prometheus::Gauge;
using prometheus::Histogram;
using prometheus::Registry;

const Histogram::BucketBoundaries kSeconds{0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05,
                                           0.1,    0.25,  0.5,    1,     2.5,  5};

Family<Counter>& counters(Registry& registry, const char* name, const char* help) {
  return prometheus::BuildCounter().Name(name).Help(help).Register(registry);
}

Family<Gauge>& gauges(Registry& registry, const char* name, const char* help) {
  return prometheus::BuildGauge().Name(name).Help(help).Register(registry);
}

Family<Histogram>& histograms(Registry& registry, const char* name, const char* help) {
  return prometheus::BuildHistogram().Name(name).Help(help).Register(registry);
}

}  // namespace

struct Metrics::Impl {
  Registry registry;
  Family<Counter>& requests =
      counters(registry, "zonecut_requests_total", "Requests answered, by verb and status.");
  Family<Histogram>& request_seconds =
      histograms(registry, "zonecut_request_seconds", "Time to answer a request, by verb.");
  Family<Counter>& plans = counters(registry, "zonecut_plans_total", "Gangs planned, by result.");
  Histogram& plan_seconds =
      histograms(registry, "zonecut_plan_seconds", "Time to plan a gang.").Add({}, kSeconds);
  std::mutex attempts_mutex;
  Counter& plan_attempts =
      counters(registry, "zonecut_plan_attempts_total",
               "Plans that were tried, again and again for gangs that do not fit.")
          .Add({});
  Gauge& cut_bytes = gauges(registry, "zonecut_cut_bytes",
                            "Bytes per iteration, or second of service, between zones of all gangs "
                            "that are placed.")
                         .Add({});
  Gauge& reservations =
      gauges(registry, "zonecut_reservations", "Reservations held for gangs.").Add({});
  Gauge& reserved_gpus =
      gauges(registry, "zonecut_reserved_gpus", "GPUs that are reserved for gangs.").Add({});
  Gauge& waiting_gangs =
      gauges(registry, "zonecut_waiting_gangs", "Gangs that wait for room or members.").Add({});
  Family<Gauge>& watch_age = gauges(registry, "zonecut_watch_age_seconds",
                                    "Time since a watch was heard of, by resource.");
  Counter& expired = counters(registry, "zonecut_reservations_expired_total",
                              "Reservations that nothing renewed in time.")
                         .Add({});
  Family<Counter>& relists =
      counters(registry, "zonecut_relists_total", "Collections listed anew, by resource.");
  Family<Counter>& watch_failures =
      counters(registry, "zonecut_watch_failures_total", "Watches that failed, by resource.");
  Family<Counter>& api_writes = counters(registry, "zonecut_api_writes_total",
                                         "Objects written to the API, by kind and result.");
  Gauge& leader = gauges(registry, "zonecut_leader", "Whether this replica leads: 1 or 0.").Add({});
  Family<Gauge>& build_info =
      gauges(registry, "zonecut_build_info", "Always 1; the version that runs.");
};

Metrics::Metrics(const std::string& version) : impl_(std::make_unique<Impl>()) {
  impl_->build_info.Add({{"version", version}}).Set(1);
}

Metrics::~Metrics() = default;

void Metrics::count_request(const std::string& verb, int code, double seconds) {
  impl_->requests.Add({{"verb", verb}, {"code", std::to_string(code)}}).Increment();
  impl_->request_seconds.Add({{"verb", verb}}, kSeconds).Observe(seconds);
}

void Metrics::count_plan(const std::string& result, double seconds) {
  impl_->plans.Add({{"result", result}}).Increment();
  impl_->plan_seconds.Observe(seconds);
}

void Metrics::set_plan_attempts(double attempts) {
  const std::lock_guard lock(impl_->attempts_mutex);
  const double more = attempts - impl_->plan_attempts.Value();
  if (more > 0) impl_->plan_attempts.Increment(more);
}

void Metrics::count_expired_reservation() { impl_->expired.Increment(); }

void Metrics::count_relist(const std::string& resource) {
  impl_->relists.Add({{"resource", resource}}).Increment();
}

void Metrics::count_watch_failure(const std::string& resource) {
  impl_->watch_failures.Add({{"resource", resource}}).Increment();
}

void Metrics::count_api_write(const std::string& kind, const std::string& result) {
  impl_->api_writes.Add({{"kind", kind}, {"result", result}}).Increment();
}

void Metrics::set_cut_bytes(double bytes) { impl_->cut_bytes.Set(bytes); }

void Metrics::set_reservations(double reservations, double gpus) {
  impl_->reservations.Set(reservations);
  impl_->reserved_gpus.Set(gpus);
}

void Metrics::set_waiting_gangs(double gangs) { impl_->waiting_gangs.Set(gangs); }

void Metrics::set_watch_age(const std::string& resource, double seconds) {
  impl_->watch_age.Add({{"resource", resource}}).Set(seconds);
}

void Metrics::set_leader(bool leads) { impl_->leader.Set(leads ? 1 : 0); }

std::string Metrics::text() const {
  return prometheus::TextSerializer().Serialize(impl_->registry.Collect());
}

}  // namespace zonecut::kubernetes
