#pragma once
// A small cluster and the book of its gangs, for tests.
#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "support/sketch.hpp"
#include "zonecut/scheduler/gang_book.hpp"

namespace zonecut {

inline constexpr const char* kThreeZones = R"(
  a: r1[s1 s2] r2[s3 s4]
  b: r3[s5 s6] r4[s7 s8]
  c: r5[s9 s10] r6[s11 s12]
)";

/// That the last so many of the members are not there.
inline std::vector<bool> last_absent(std::size_t members, std::size_t count) {
  std::vector<bool> absent(members, false);
  std::fill(absent.end() - static_cast<std::ptrdiff_t>(count), absent.end(), true);
  return absent;
}

/// A cluster whose gangs a test tells of, and what runs on it.
struct Yard {
  explicit Yard(const char* drawing = kThreeZones, BookOptions options = {})
      : sketched(sketch(drawing)),
        used(sketched.cluster->server_count(), 0),
        eligible(sketched.cluster->server_count(), ServerId{0}),
        book(std::move(options)) {
    for (std::size_t i = 0; i < eligible.size(); ++i) eligible[i] = ServerId{i};
  }

  [[nodiscard]] ServerId server(std::string_view name) const {
    return *sketched.cluster->find_server(name);
  }
  [[nodiscard]] GangState ring(const std::string& name, std::size_t members, int gpus = 8) const {
    GangState state;
    state.gang.name = name;
    state.gang.job = parse_job_text("model=llama3-8b,gpus=" +
                                    std::to_string(members * static_cast<std::size_t>(gpus)));
    state.gang.job.ranks_per_server = gpus;
    state.gang.eligible = eligible;
    state.gang.standing.resize(members);
    state.wish = name + std::to_string(members);
    state.pending = members;
    return state;
  }
  [[nodiscard]] ClusterNow at(std::int64_t now = 0) const { return {*sketched.fabric, used, now}; }
  /// A member runs where it was told to.
  void start(GangState& state, std::size_t member, std::int64_t now = 0) {
    const ServerId server = book.reservation(state.gang.name)->servers[member];
    state.gang.standing[member] = server;
    --state.pending;
    used[server] += state.gang.gpus();
    book.set(state, now);
  }
  [[nodiscard]] std::size_t zones(const std::vector<ServerId>& servers) const {
    std::set<DomainId> zones;
    for (const ServerId s : servers)
      zones.insert(sketched.cluster->domain_of(s, sketched.cluster->zone_level()));
    return zones.size();
  }
  /// Whether some server has more GPUs used and reserved than it has.
  [[nodiscard]] bool overbooked() const {
    const UsedGpus reserved = book.reserved(used.size());
    for (const ServerId server : eligible) {
      if (used[server] + reserved[server] > sketched.cluster->server(server).gpus) return true;
    }
    return false;
  }

  Sketch sketched;
  UsedGpus used;
  std::vector<ServerId> eligible;
  GangBook book;
};

/// A member may go to these alone; sorted.
inline Offer only(const std::vector<ServerId>& servers) {
  return {
      [=](ServerId server) { return std::binary_search(servers.begin(), servers.end(), server); },
      [=] { return servers; }};
}

}  // namespace zonecut
