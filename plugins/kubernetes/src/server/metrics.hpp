#pragma once
// What the extender counts about itself, for Prometheus. Any number of threads may use it. Labels
// have few values, whatever the cluster's size: no gang, pod or node is named.
#include <memory>
#include <string>

namespace zonecut::kubernetes {

class Metrics {
 public:
  explicit Metrics(const std::string& version);
  Metrics(const Metrics&) = delete;
  Metrics& operator=(const Metrics&) = delete;
  ~Metrics();

  void count_request(const std::string& verb, int code, double seconds);
  /// `result`: "planned", "no_fit", "failed", …
  void count_plan(const std::string& result, double seconds);
  /// All plans that were tried so far; never fewer than before.
  void set_plan_attempts(double attempts);
  void count_expired_reservation();
  void count_relist(const std::string& resource);
  void count_watch_failure(const std::string& resource);
  void count_api_write(const std::string& kind, const std::string& result);

  /// Bytes per iteration between zones of all gangs that are placed.
  void set_cut_bytes(double bytes);
  void set_reservations(double reservations, double gpus);
  void set_waiting_gangs(double gangs);
  /// Since anything was heard from the watch of a resource.
  void set_watch_age(const std::string& resource, double seconds);
  void set_leader(bool leads);

  /// In Prometheus' text format, of this type.
  [[nodiscard]] std::string text() const;
  static constexpr const char* kType = "text/plain; version=0.0.4; charset=utf-8";

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace zonecut::kubernetes
