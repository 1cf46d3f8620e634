#include "api/lease.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "api/micro_time.hpp"
#include "zonecut/base/error.hpp"

namespace zonecut::kubernetes {
namespace {

using nlohmann::json;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

/// One candidate. The times in the lease are for people; what counts is how long the lease has not
/// changed, by our own clock (k8s.io/client-go/tools/leaderelection).
class Candidate {
 public:
  Candidate(ApiClient& client, const LeaseOptions& options,
            const std::function<void(bool)>& changed, const std::atomic<bool>& stop)
      : client_(client),
        options_(options),
        changed_(changed),
        stop_(stop),
        folder_(
            fmt::format("/apis/coordination.k8s.io/v1/namespaces/{}/leases", options.name_space)) {}

  void run() {
    while (!is_over()) {
      const auto begin = Clock::now();
      if (tried()) {
        renewed_ = begin;
        lead(true);
      } else if (!is_ours() || Clock::now() - renewed_ >= options_.renew_deadline) {
        lead(false);
      }
      client_.pause(next_pause(), stop_);
    }
    const bool led = leads_;
    lead(false);
    if (led) give_up();
  }

 private:
  [[nodiscard]] bool is_over() const { return stop_ || client_.is_shut(); }

  void lead(bool leads) {
    if (leads == leads_) return;
    leads_ = leads;
    changed_(leads);
  }

  /// No longer than until the moment at which a leader that could not renew has to stop.
  [[nodiscard]] milliseconds next_pause() const {
    return leads_ ? std::min(options_.retry, time_left()) : options_.retry;
  }
  [[nodiscard]] milliseconds time_left() const {
    const auto left = renewed_ + options_.renew_deadline - Clock::now();
    return std::max(std::chrono::ceil<milliseconds>(left), milliseconds(1));
  }
  [[nodiscard]] RequestLimits limits() const {
    const milliseconds time = std::min(options_.renew_deadline / 2, milliseconds(5000));
    return {leads_ ? std::min(time, time_left()) : time, milliseconds(0)};
  }

  /// Whether the lease is ours now.
  bool tried() {
    try {
      return acquired();
    } catch (const IoError& error) {
      fail(error.what());
      return false;
    }
  }

  bool acquired() {
    const ApiAnswer found = client_.get(folder_ + "/" + options_.name, limits());
    if (found.status == 404) return accepted(client_.post(folder_, first_lease(), limits()));
    if (!found.is_success() || !found.body.is_object()) {
      fail(found.message());
      return false;
    }
    look_at(found.body);
    if (!is_ours() && !is_free()) return false;
    return accepted(client_.put(folder_ + "/" + options_.name, taken(found.body), limits()));
  }

  bool accepted(const ApiAnswer& answer) {
    if (answer.is_success() && answer.body.is_object()) {
      look_at(answer.body);
      return is_ours();
    }
    if (answer.status != 409) fail(answer.message());  // 409: another was faster
    return false;
  }

  /// Remembers the lease and when we first saw it so.
  void look_at(const json& lease) {
    const json::json_pointer spec("/spec");
    const json seen = lease.contains(spec) ? lease[spec] : json::object();
    if (seen == seen_) return;
    seen_ = seen;
    seen_at_ = Clock::now();
  }
  [[nodiscard]] std::string holder() const {
    return seen_.is_object() && seen_.contains("holderIdentity") &&
                   seen_["holderIdentity"].is_string()
               ? seen_["holderIdentity"].get<std::string>()
               : std::string();
  }
  [[nodiscard]] std::int64_t number(const char* key, std::int64_t fallback) const {
    return seen_.is_object() && seen_.contains(key) && seen_[key].is_number_integer()
               ? seen_[key].get<std::int64_t>()
               : fallback;
  }
  [[nodiscard]] bool is_ours() const { return holder() == options_.identity; }
  [[nodiscard]] bool is_free() const {
    constexpr std::int64_t kLongest = 24 * 3600;
    const std::int64_t seconds =
        std::clamp<std::int64_t>(number("leaseDurationSeconds", duration_seconds()), 0, kLongest);
    return holder().empty() || Clock::now() - seen_at_ >= std::chrono::seconds(seconds);
  }

  [[nodiscard]] std::int64_t duration_seconds() const {
    return std::max<std::int64_t>(
        std::chrono::ceil<std::chrono::seconds>(options_.duration).count(), 1);
  }
  [[nodiscard]] json first_lease() const {
    json lease = {{"apiVersion", "coordination.k8s.io/v1"},
                  {"kind", "Lease"},
                  {"metadata", {{"name", options_.name}, {"namespace", options_.name_space}}}};
    return written(std::move(lease), 0, true);
  }
  /// The lease as it was read, its resourceVersion with it, so that the API server refuses it where
  /// another wrote in between.
  [[nodiscard]] json taken(json lease) const {
    const std::int64_t changes = number("leaseTransitions", 0);
    return written(std::move(lease), is_ours() ? changes : changes + 1, !is_ours());
  }
  [[nodiscard]] json written(json lease, std::int64_t changes, bool is_new) const {
    const std::string now = micro_time(std::chrono::system_clock::now());
    json& spec = lease["spec"];
    if (!spec.is_object()) spec = json::object();
    spec["holderIdentity"] = options_.identity;
    spec["leaseDurationSeconds"] = duration_seconds();
    spec["leaseTransitions"] = changes;
    spec["renewTime"] = now;
    if (is_new) spec["acquireTime"] = now;
    return lease;
  }

  /// Lets the next one in at once. Where that fails it waits until the lease expires.
  void give_up() {
    try {
      const ApiAnswer found = client_.get(folder_ + "/" + options_.name, limits());
      if (!found.is_success() || !found.body.is_object()) return fail(found.message());
      look_at(found.body);
      if (!is_ours()) return;
      json lease = found.body;
      lease["spec"]["holderIdentity"] = "";
      lease["spec"]["leaseDurationSeconds"] = 1;
      lease["spec"]["renewTime"] = micro_time(std::chrono::system_clock::now());
      const ApiAnswer answer = client_.put(folder_ + "/" + options_.name, lease, limits());
      if (!answer.is_success()) fail(answer.message());
    } catch (const IoError& error) {
      fail(error.what());
    }
  }

  void fail(const std::string& what) const {
    if (options_.failed) options_.failed(what);
  }

  ApiClient& client_;
  const LeaseOptions& options_;
  const std::function<void(bool)>& changed_;
  const std::atomic<bool>& stop_;
  const std::string folder_;
  bool leads_ = false;
  Clock::time_point renewed_;
  json seen_;
  Clock::time_point seen_at_;
};

}  // namespace

void keep_lease(ApiClient& client, const LeaseOptions& options,
                const std::function<void(bool)>& changed, const std::atomic<bool>& stop) {
  ZONECUT_ENSURES(!options.identity.empty());
  ZONECUT_ENSURES(options.retry < options.renew_deadline);
  ZONECUT_ENSURES(options.renew_deadline < options.duration);
  Candidate(client, options, changed, stop).run();
}

}  // namespace zonecut::kubernetes
