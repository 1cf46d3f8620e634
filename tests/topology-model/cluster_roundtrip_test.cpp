// What is written reads back: on the shapes that matter, and on random ragged clusters.
#include <fmt/format.h>
#include <rapidcheck.h>

#include <algorithm>

#include "support/catch.hpp"
#include "zonecut/base/random.hpp"
#include "zonecut/topology/cluster_file.hpp"

using namespace zonecut;

namespace {

/// Draws from a few choices; rapidcheck hands over the seed only, so that clusters stay cheap.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : random_(seed) {}
  bool chance(std::size_t one_in) { return random_.below(one_in) == 0; }
  int number(int least, int most) {
    return least + static_cast<int>(random_.below(static_cast<std::size_t>(most - least + 1)));
  }
  template <class T>
  T one_of(std::initializer_list<T> choices) {
    return choices.begin()[random_.below(choices.size())];
  }

 private:
  Random random_;
};

FabricSpec any_fabric(Draw& draw, std::size_t tiers) {
  FabricSpec spec;
  spec.nics_per_server = draw.one_of({1, 4, 8, 18});
  spec.nic_bandwidth.count = draw.one_of<std::int64_t>({1, 50'000'000'000, 50'000'000'001});
  spec.leaves = draw.chance(2) ? LeafWiring::Rack : LeafWiring::Rail;
  spec.planes = draw.number(1, 3);
  spec.scale_up_bandwidth.count = draw.one_of<std::int64_t>({450'000'000'000, 7});
  spec.scale_up_latency.count = draw.one_of({1e-6, 3.3e-7, 0.0, 1.0 / 3});
  for (std::size_t i = 0; i < tiers; ++i) {
    TierSpec tier;
    tier.switch_name = draw.one_of<std::string>({"RTSW", "CTSW", "leaf 1", "null", "8", "é, {x}"});
    tier.switches = draw.number(1, 5);
    tier.uplinks = draw.number(1, 9);
    tier.uplink_bandwidth.count = draw.one_of<std::int64_t>({50'000'000'000, 12'345});
    tier.oversubscription = draw.one_of({0.0, 1.0, 7.0, 1 / 1.125, 2.8});
    tier.latency.count = draw.one_of({1e-6, 7e-6, 1.5e-5, 0.1, 1.23456789e-7});
    spec.tiers.push_back(tier);
  }
  if (draw.chance(2)) spec.tiers.back().buffer = draw.one_of({Bytes{113'000'000}, Bytes{64 << 20}});
  if (draw.chance(2)) spec.tiers.back().port_buffer = Bytes{draw.number(1, 5'000'000)};
  return spec;
}

/// A tree in which alike and odd domains are neighbours, so that rows form and break.
class AnyCluster {
 public:
  AnyCluster(std::uint64_t seed, std::size_t depth)
      : draw_(seed), levels_{"building", "zone", "row 1", "pod", "unit", "rack"} {
    levels_.resize(depth);
    if (draw_.chance(2)) levels_.back() = "scalable unit";
  }

  Cluster build() {
    ClusterBuilder builder(draw_.one_of<std::string>({"c", "8", "a: b", "\"q\" \\"}), levels_);
    builder.zone_level(
        levels_[static_cast<std::size_t>(draw_.number(0, static_cast<int>(levels_.size()) - 1))]);
    if (draw_.chance(2)) builder.backend(any_fabric(draw_, levels_.size() + 1));
    if (draw_.chance(3)) builder.frontend(any_fabric(draw_, levels_.size() + 1));
    std::vector<std::string> path;
    descend(builder, path);
    if (servers_ == 0) {
      path.assign(levels_.size(), "only");
      builder.add_server(path, "only", 1);
    }
    return builder.build();
  }

 private:
  void descend(ClusterBuilder& builder, std::vector<std::string>& path) {
    if (path.size() == levels_.size()) return fill_rack(builder, path);
    const int count = draw_.number(path.empty() ? 1 : 0, 3);
    for (int i = 0; i < count; ++i) {
      path.push_back(draw_.chance(12) ? fmt::format("odd [{}], x", i) : fmt::format("d{}", i + 1));
      builder.add_domain(path);
      descend(builder, path);
      path.pop_back();
    }
  }

  void fill_rack(ClusterBuilder& builder, const std::vector<std::string>& path) {
    const bool is_plain = !draw_.chance(4);
    const int count = is_plain ? 2 : draw_.number(0, 5);
    const bool is_grouped = !is_plain && draw_.chance(2);
    for (int i = 0; i < count; ++i) {
      std::optional<std::uint32_t> group;
      if (is_grouped && !draw_.chance(5)) {
        if (draw_.chance(2)) ++group_;
        group = group_;
      }
      const int gpus = is_plain || draw_.chance(2) ? 8 : draw_.number(1, 16);
      builder.add_server(path, server_name(), gpus, group);
    }
  }

  std::string server_name() {
    ++servers_;
    if (draw_.chance(20)) return fmt::format("odd {}, [x]", servers_);
    return draw_.chance(10) ? fmt::format("{}", servers_) : fmt::format("gpu{:04}", servers_);
  }

  Draw draw_;
  std::vector<std::string> levels_;
  int servers_ = 0;
  std::uint32_t group_ = 100;
};

/// Stronger than same_cluster: the order of domains and servers is kept too.
bool has_same_order(const Cluster& a, const Cluster& b) {
  for (std::size_t i = 1; i < a.domain_count(); ++i) {
    if (a.path(DomainId{i}) != b.path(DomainId{i})) return false;
  }
  for (std::size_t i = 0; i < a.server_count(); ++i) {
    if (a.server(ServerId{i}).name != b.server(ServerId{i}).name) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("any cluster that is written reads back the same", "[topology][property]") {
  CHECK(rc::check([] {
    const auto seed = *rc::gen::arbitrary<std::uint64_t>();
    const auto depth = *rc::gen::inRange<std::size_t>(1, 7);
    const Cluster cluster = AnyCluster(seed, depth).build();
    const std::string text = write_cluster(cluster);
    RC_LOG() << text;
    const Cluster again = parse_cluster(text, "written");
    RC_ASSERT(same_cluster(cluster, again));
    RC_ASSERT(has_same_order(cluster, again));
    RC_ASSERT(write_cluster(again) == text);
  }));
}

TEST_CASE("alike racks and zones are written as one row", "[topology]") {
  const Cluster cluster = parse_cluster(
      "format: cluster/v1\ngpus: 4\nscale_up: {servers: 18}\ndomains:\n"
      "  - {zone: 'zone[1-8]', rack: 'rack[001-192]', servers: 18}\n",
      "c.yaml");
  CHECK(write_cluster(cluster) ==
        "format: cluster/v1\nname: cluster\nlevels: [zone, rack]\nzone_level: zone\n"
        "backend:\n  nic_bandwidth: 400Gbps\ndomains:\n"
        "  - zone: zone[1-8]\n    rack: rack[001-192]\n"
        "    servers: zone[1-8]-rack[001-192]-s[1-18]\n    gpus: 4\n    scale_up: {servers: 18}\n");
}

TEST_CASE("an odd rack breaks the row, not the zones around it", "[topology]") {
  const Cluster cluster = parse_cluster(
      "format: cluster/v1\ndomains:\n"
      "  - {zone: 'z[1-2]', rack: 'r[1-4]', servers: 'a[01-16]'}\n"
      "  - zone: z3\n    domains:\n"
      "      - {rack: 'r[1-3]', servers: 'b[1-6]'}\n      - {rack: r4, servers: c1, gpus: 4}\n"
      "  - {zone: z4, rack: 'r[1-4]', servers: 'd[1-8]'}\n",
      "c.yaml");
  const std::string text = write_cluster(cluster);
  CHECK(text.substr(text.find("domains:")) == R"(domains:
  - zone: z[1-2]
    rack: r[1-4]
    servers: a[01-16]
  - zone: z3
    domains:
      - rack: r[1-3]
        servers: b[1-6]
      - rack: r4
        servers: c1
        gpus: 4
  - zone: z4
    rack: r[1-4]
    servers: d[1-8]
)");
  CHECK(same_cluster(parse_cluster(text, "written"), cluster));
}

TEST_CASE("clusters differ when anything but ids does", "[topology]") {
  const auto cluster = [](const std::string& rest) {
    return parse_cluster("format: cluster/v1\n" + rest, "c.yaml");
  };
  const Cluster base = cluster("domains: [{zone: a, rack: 'r[1-2]', servers: 'x[1-4]'}]");
  CHECK(same_cluster(base, base));
  CHECK(same_cluster(base, cluster("domains: [{zone: a, rack: r2, servers: 'x[3-4]'}, "
                                   "{zone: a, rack: r1, servers: 'x[2,1]'}]")));
  for (const char* other :
       {"name: d\ndomains: [{zone: a, rack: 'r[1-2]', servers: 'x[1-4]'}]",
        "levels: [zone, unit]\ndomains: [{zone: a, unit: 'r[1-2]', servers: 'x[1-4]'}]",
        "zone_level: rack\ndomains: [{zone: a, rack: 'r[1-2]', servers: 'x[1-4]'}]",
        "domains: [{zone: a, rack: 'r[2-3]', servers: 'x[1-4]'}]",
        "domains: [{zone: a, rack: 'r[1-2]', servers: 'x[2-5]'}]",
        "domains: [{zone: a, rack: 'r[2,1]', servers: 'x[1-4]'}]",
        "domains: [{zone: a, rack: 'r[1-2]', servers: 'x[1-4]', gpus: 4}]",
        "domains: [{zone: a, rack: 'r[1-2]', servers: 'x[1-4]', scale_up: {servers: 2}}]",
        "backend: {oversubscription: 2}\ndomains: [{zone: a, rack: 'r[1-2]', servers: 'x[1-4]'}]",
        "backend: {tiers: {rack: {buffer: 64MB}}}\n"
        "domains: [{zone: a, rack: 'r[1-2]', servers: 'x[1-4]'}]",
        "backend: {tiers: {rack: {port_buffer: 64MB}}}\n"
        "domains: [{zone: a, rack: 'r[1-2]', servers: 'x[1-4]'}]",
        "frontend: {}\ndomains: [{zone: a, rack: 'r[1-2]', servers: 'x[1-4]'}]"}) {
    INFO(other);
    CHECK_FALSE(same_cluster(base, cluster(other)));
  }
}
