#pragma once
// What the figures of a job are of, for people.
#include <variant>

#include "zonecut/base/units.hpp"
#include "zonecut/partition/job.hpp"

namespace zonecut {

[[nodiscard]] inline bool is_served(const Job& job) {
  return std::holds_alternative<Inference>(job.work);
}

/// "60 GB per iteration"; serving has none, and its figures are of what a second of it sends.
[[nodiscard]] inline const char* period_word(bool served) {
  return served ? "second of service" : "iteration";
}
[[nodiscard]] inline const char* period_of(const Job& job) { return period_word(is_served(job)); }

/// Where what a second of service sends takes longer than a second; else empty.
[[nodiscard]] inline const char* overload_text(const Job& job, Seconds communication) {
  return is_served(job) && communication.count > 1
             ? "more than a second for each second of service: too many requests"
             : "";
}

}  // namespace zonecut
