// place() against the constraints by their definition, and against the search of every assignment:
// a job fits exactly when one exists.
#include <rapidcheck.h>

#include <algorithm>
#include <map>
#include <set>

#include "support/catch.hpp"
#include "zonecut/base/error.hpp"
#include "zonecut/scheduler/engine.hpp"

using namespace zonecut;

namespace {

struct World {
  Cluster cluster;
  ClusterView view;
  Fabric fabric;
  Job job;
  Constraints constraints;
  std::size_t vertices = 0;
  int ranks_per_server = 1;  ///< of the job
};

int any(int least, int most) { return *rc::gen::inRange(least, most + 1); }

/// Racks of uneven size, servers of two, four or six GPUs.
Cluster any_cluster() {
  const bool buildings = any(0, 2) == 0;
  std::vector<std::string> levels = {"zone", "rack"};
  if (buildings) levels.insert(levels.begin(), "building");
  ClusterBuilder builder("any", levels);
  levels.insert(levels.begin(), "cluster");
  builder.backend(FabricSpec::clos(levels, 1, 4));
  int next = 0;
  for (int building = buildings ? any(1, 2) : 1; building > 0; --building) {
    for (int zone = any(1, 3); zone > 0; --zone) {
      for (int rack = any(1, 3); rack > 0; --rack) {
        std::vector<std::string> path = {"z" + std::to_string(zone), "r" + std::to_string(rack)};
        if (buildings) path.insert(path.begin(), "b" + std::to_string(building));
        for (int server = any(1, 3); server > 0; --server)
          builder.add_server(path, "s" + std::to_string(next++), 2 * any(1, 3));
      }
    }
  }
  return builder.build();
}

void cut_off(ClusterView& view, ServerId server) {
  const FabricSpec& spec = view.cluster->backend();
  const SwitchRef leaf{view.cluster->server(server).rack, 0, 0};
  ZONECUT_ENSURES(spec.tiers.back().switches == 1);
  view.health.link_faults.push_back({server, leaf, std::nullopt});
}

bool is_cut_off(const ClusterView& view, ServerId server) {
  return std::ranges::any_of(view.health.link_faults, [&](const LinkFault& fault) {
    return fault.lower == std::variant<ServerId, SwitchRef>(server);
  });
}

ClusterView any_view(const Cluster& cluster) {
  ClusterView view(cluster);
  const JobId other = view.occupancy.add_job("other");
  for (std::size_t i = 0; i < cluster.server_count(); ++i) {
    const ServerId server{i};
    const int state = any(0, 9);
    if (state == 0) view.health.servers[server] = ServerHealth::Drained;
    if (state == 1) view.health.servers[server] = ServerHealth::Down;
    if (state == 3) cut_off(view, server);
    for (int gpu = 0; gpu < cluster.server(server).gpus; ++gpu) {
      if (any(0, 19) == 0) view.health.failed_gpus.push_back({server, gpu});
      if (any(0, 19) == 0 || state == 2) view.occupancy.hold(other, {server, gpu});
    }
  }
  return view;
}

Job any_job(std::size_t vertices, int ranks_per_server) {
  ExplicitTraffic traffic;
  traffic.ranks = static_cast<int>(vertices) * ranks_per_server;
  for (int rank = 0; rank < traffic.ranks; ++rank) {
    for (int other = 0; other < traffic.ranks; ++other) {
      if (rank != other && any(0, 3) == 0)
        traffic.matrix.push_back({RankId{static_cast<std::size_t>(rank)},
                                  RankId{static_cast<std::size_t>(other)}, Bytes{any(1, 9)}});
    }
  }
  if (traffic.matrix.empty() && traffic.ranks > 1)
    traffic.matrix.push_back({RankId{std::size_t{0}}, RankId{std::size_t{1}}, Bytes{1}});
  if (traffic.ranks == 1) {
    ExplicitCollective alone;
    alone.name = "alone";
    alone.members = {RankId{std::size_t{0}}};
    alone.bytes = Bytes{1};
    traffic.collectives.push_back(alone);
  }
  Job job;
  job.work = traffic;
  job.ranks_per_server = ranks_per_server;
  return job;
}

int any_divisor(int number) {
  int divisor = any(1, number);
  while (number % divisor != 0) --divisor;
  return divisor;
}

std::vector<ServerId> any_servers(const Cluster& cluster, int one_in) {
  std::vector<ServerId> servers;
  for (std::size_t i = 0; i < cluster.server_count(); ++i)
    if (any(1, one_in) == 1) servers.emplace_back(i);
  return servers;
}

Constraints any_constraints(const Cluster& cluster, std::size_t vertices, int ranks) {
  Constraints constraints;
  const int racks = cluster.rack_level();
  if (any(0, 3) == 0) constraints.required_level = any(1, racks);
  if (any(0, 3) == 0) constraints.preferred_level = any(1, racks);
  if (any(0, 2) == 0) {
    const int outer = any(1, racks);
    const int size = any_divisor(static_cast<int>(vertices));
    constraints.slices.push_back({outer, size * ranks});
    if (outer < racks && any(0, 1) == 0)
      constraints.slices.push_back({any(outer + 1, racks), any_divisor(size) * ranks});
  }
  if (any(0, 3) == 0) constraints.excluded = any_servers(cluster, 4);
  if (any(0, 3) == 0) constraints.whole_racks = true;
  if (any(0, 2) == 0) constraints.spread = Spread{any(1, racks), any(1, 3)};
  if (any(0, 4) == 0) constraints.only = any_servers(cluster, 2);
  return constraints;
}

/// The view borrows the cluster, so a world does not move.
std::unique_ptr<World> any_world() {
  Cluster cluster = any_cluster();
  auto vertices = static_cast<std::size_t>(any(1, 6));
  const int ranks = any(1, 2);
  Job job = any_job(vertices, ranks);
  Constraints constraints = any_constraints(cluster, vertices, ranks);
  const FabricSpec spec = cluster.backend();
  auto world = std::unique_ptr<World>(
      new World{cluster, ClusterView(cluster), Fabric::build(cluster, spec, Health(cluster)),
                std::move(job), std::move(constraints), vertices, ranks});
  world->view = any_view(world->cluster);
  // Of given servers the places used are settled before links are looked at.
  if (world->constraints.only) world->view.health.link_faults.clear();
  world->fabric = Fabric::build(world->cluster, spec, world->view.health);
  return world;
}

bool failed(const World& world, GpuId gpu) {
  const auto& failed = world.view.health.failed_gpus;
  return std::find(failed.begin(), failed.end(), gpu) != failed.end();
}

/// Whether somebody is in the rack who holds nothing on the given servers.
bool is_shared_with_strangers(const World& world, DomainId rack) {
  const auto holders_on = [&](ServerId server) {
    std::set<JobId> holders;
    for (int gpu = 0; gpu < world.cluster.server(server).gpus; ++gpu) {
      if (const auto holder = world.view.occupancy.holder({server, gpu})) holders.insert(*holder);
    }
    return holders;
  };
  std::set<JobId> own;
  for (const ServerId server : *world.constraints.only) own.merge(holders_on(server));
  const Domain& domain = world.cluster.domain(rack);
  for (std::size_t i = 0; i < domain.server_count; ++i) {
    const std::set<JobId> here = holders_on(ServerId{domain.first_server + i});
    if (!std::ranges::includes(own, here)) return true;
  }
  return false;
}

/// GPUs of a server the job may have, by the definition of each constraint.
int allowed_gpus(const World& world, ServerId server) {
  const Cluster& cluster = world.cluster;
  const Constraints& constraints = world.constraints;
  const ServerHealth health = world.view.health.servers[server];
  if (health == ServerHealth::Down || is_cut_off(world.view, server)) return 0;
  if (std::find(constraints.excluded.begin(), constraints.excluded.end(), server) !=
      constraints.excluded.end())
    return 0;
  if (constraints.only) {
    const auto& only = *constraints.only;
    if (std::find(only.begin(), only.end(), server) == only.end()) return 0;
    if (constraints.whole_racks && is_shared_with_strangers(world, cluster.server(server).rack))
      return 0;
  } else {
    if (health != ServerHealth::Up) return 0;
    const Domain& rack = cluster.domain(cluster.server(server).rack);
    for (std::size_t i = 0; constraints.whole_racks && i < rack.server_count; ++i) {
      const ServerId mate{rack.first_server + i};
      for (int gpu = 0; gpu < cluster.server(mate).gpus; ++gpu)
        if (world.view.occupancy.holder({mate, gpu})) return 0;
    }
  }
  int gpus = 0;
  for (int gpu = 0; gpu < cluster.server(server).gpus; ++gpu) {
    const bool held = !constraints.only && world.view.occupancy.holder({server, gpu});
    gpus += !held && !failed(world, {server, gpu});
  }
  return gpus;
}

bool in_one_domain(const Cluster& cluster, std::span<const ServerId> servers, int level) {
  return std::all_of(servers.begin(), servers.end(), [&](ServerId server) {
    return cluster.domain_of(server, level) == cluster.domain_of(servers.front(), level);
  });
}

/// Slices that lie wholly within these first vertices, the level of all, and the spread.
bool honours(const World& world, std::span<const ServerId> servers) {
  const Cluster& cluster = world.cluster;
  const Constraints& constraints = world.constraints;
  if (constraints.required_level && !in_one_domain(cluster, servers, *constraints.required_level))
    return false;
  for (const Slice& slice : constraints.slices) {
    const auto size = static_cast<std::size_t>(slice.gpus / world.ranks_per_server);
    for (std::size_t v = 0; v < servers.size(); v += size) {
      const auto run = servers.subspan(v, std::min(size, servers.size() - v));
      if (!in_one_domain(cluster, run, slice.level)) return false;
    }
  }
  if (!constraints.spread) return true;
  std::map<DomainId, std::set<ServerId>> used;
  for (const ServerId server : servers)
    used[cluster.domain_of(server, constraints.spread->level)].insert(server);
  return std::all_of(used.begin(), used.end(), [&](const auto& entry) {
    return entry.second.size() <= static_cast<std::size_t>(constraints.spread->servers);
  });
}

/// Every given server has room and stands in the order; one that is broken or excluded cannot.
bool uses_all_given(const World& world, std::span<const ServerId> servers) {
  if (!world.constraints.only) return true;
  return std::all_of(world.constraints.only->begin(), world.constraints.only->end(),
                     [&](ServerId server) {
                       return allowed_gpus(world, server) < world.ranks_per_server ||
                              std::find(servers.begin(), servers.end(), server) != servers.end();
                     });
}

/// Depth first over all assignments; every prefix of a good one is good.
bool some_assignment(const World& world, std::vector<int>& places, std::vector<ServerId>& servers) {
  if (servers.size() == world.vertices) return uses_all_given(world, servers);
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (places[i] == 0) continue;
    --places[i];
    servers.emplace_back(i);
    const bool found = honours(world, servers) && some_assignment(world, places, servers);
    servers.pop_back();
    ++places[i];
    if (found) return true;
  }
  return false;
}

bool exists(const World& world) {
  std::vector<int> places;
  for (std::size_t i = 0; i < world.cluster.server_count(); ++i)
    places.push_back(allowed_gpus(world, ServerId{i}) / world.ranks_per_server);
  std::vector<ServerId> servers;
  return some_assignment(world, places, servers);
}

std::string text_of(const World& world) {
  std::string text = std::to_string(world.vertices) + " x " +
                     std::to_string(world.ranks_per_server) + " ranks; GPUs:";
  for (std::size_t i = 0; i < world.cluster.server_count(); ++i) {
    const ServerId server{i};
    if (is_cut_off(world.view, server)) text += " cut off:";
    text += " " + world.cluster.path(world.cluster.server(server).rack) + "/" +
            world.cluster.server(server).name + "=" + std::to_string(allowed_gpus(world, server));
  }
  const Constraints& constraints = world.constraints;
  if (constraints.required_level)
    text += "; required " + std::to_string(*constraints.required_level);
  if (constraints.preferred_level)
    text += "; preferred " + std::to_string(*constraints.preferred_level);
  for (const Slice& slice : constraints.slices)
    text += "; slice " + std::to_string(slice.gpus) + " at " + std::to_string(slice.level);
  if (constraints.spread) {
    text += "; spread " + std::to_string(constraints.spread->servers) + " at " +
            std::to_string(constraints.spread->level);
  }
  if (constraints.only) text += "; given " + std::to_string(constraints.only->size());
  return text;
}

void check_gpus(const World& world, const Placement& placement) {
  const auto ranks = static_cast<std::size_t>(world.ranks_per_server);
  RC_ASSERT(placement.gpus.size() == world.vertices * ranks);
  std::set<GpuId> distinct(placement.gpus.begin(), placement.gpus.end());
  RC_ASSERT(distinct.size() == placement.gpus.size());
  for (std::size_t rank = 0; rank < placement.gpus.size(); ++rank) {
    const GpuId gpu = placement.gpus[rank];
    RC_ASSERT(gpu.server == placement.servers[rank / ranks]);
    RC_ASSERT(gpu.index < world.cluster.server(gpu.server).gpus);
    RC_ASSERT(!failed(world, gpu));
    RC_ASSERT(allowed_gpus(world, gpu.server) >= world.ranks_per_server);
    if (!world.constraints.only) RC_ASSERT(!world.view.occupancy.holder(gpu));
  }
}

/// The preferred level, or the innermost above it where the job fits, is kept.
void check_preferred(World& world, const Placement& placement) {
  if (!world.constraints.preferred_level) return;
  const auto required = world.constraints.required_level;
  for (int level = *world.constraints.preferred_level; level > 0; --level) {
    if (in_one_domain(world.cluster, placement.servers, level)) break;
    world.constraints.required_level = std::max(level, required.value_or(0));
    RC_ASSERT(!exists(world));
  }
  world.constraints.required_level = required;
}

}  // namespace

TEST_CASE("a placement honours every constraint, and a refusal means that none exists",
          "[scheduler]") {
  CHECK(rc::check([] {
    const auto world = any_world();
    int largest = 0;
    for (std::size_t i = 0; i < world->cluster.server_count(); ++i)
      largest = std::max(largest, world->cluster.server(ServerId{i}).gpus);
    RC_LOG() << text_of(*world) << '\n';
    RC_PRE(world->ranks_per_server <= largest);
    const PlacementProblem problem =
        pose(world->view, world->fabric, world->job, world->constraints);
    const PlacementResult result = place(problem, world->constraints, {});
    if (const auto* none = std::get_if<NoFit>(&result)) {
      RC_ASSERT(!none->blockers.empty());
      // How many places of each given server are used is settled before slices are looked at.
      if (!world->constraints.only || world->constraints.slices.empty()) RC_ASSERT(!exists(*world));
      return;
    }
    const auto& placement = std::get<Placement>(result);
    RC_ASSERT(placement.servers.size() == world->vertices);
    RC_ASSERT(honours(*world, placement.servers));
    RC_ASSERT(uses_all_given(*world, placement.servers));
    check_gpus(*world, placement);
    check_preferred(*world, placement);
    if (placement.lower_bound) RC_ASSERT(*placement.lower_bound <= placement.prediction.cross_zone);
  }));
}

TEST_CASE("the bound of a job in slices lies between that of the job and its least cut",
          "[scheduler]") {
  CHECK(rc::check([] {
    const std::vector<std::string> levels = {"zone", "rack"};
    ClusterBuilder builder("sliced", levels);
    const int zones = any(2, 3);
    int servers = 0;
    std::vector<int> room(static_cast<std::size_t>(zones));
    for (int zone = 0; zone < zones; ++zone) {
      const int racks = any(1, 2);
      for (int rack = 0; rack < racks; ++rack) {
        const std::vector<std::string> path = {"z" + std::to_string(zone),
                                               "r" + std::to_string(rack)};
        const int here = any(1, 3);
        room[static_cast<std::size_t>(zone)] += here;
        for (int i = 0; i < here; ++i) builder.add_server(path, "s" + std::to_string(servers++), 1);
      }
    }
    const Cluster cluster = builder.build();
    const Fabric fabric = Fabric::build(cluster, cluster.backend(), Health(cluster));
    const ClusterView view(cluster);
    const int vertices = any(2, std::min(servers, 8));
    const Job job = any_job(static_cast<std::size_t>(vertices), 1);
    Constraints constraints;
    const int size = any_divisor(vertices);
    constraints.slices.push_back({1, size});
    const PlacementProblem problem = pose(view, fabric, job, constraints);

    // Every way to give each slice a zone that has room for it.
    const auto runs = static_cast<std::size_t>(vertices / size);
    std::optional<std::int64_t> least;
    std::vector<std::size_t> zone_of(runs, 0);
    for (bool more = true; more;) {
      std::vector<int> taken(room.size(), 0);
      for (const std::size_t zone : zone_of) taken[zone] += size;
      const bool fits = std::ranges::equal(taken, room, std::ranges::less_equal{});
      std::int64_t cut = 0;
      for (std::size_t u = 0; u < problem.graph.vertices(); ++u) {
        for (const auto& [v, weight] : problem.graph.neighbours(u)) {
          if (u < v && zone_of[u / static_cast<std::size_t>(size)] !=
                           zone_of[v / static_cast<std::size_t>(size)])
            cut += weight;
        }
      }
      if (fits && (!least || cut < *least)) least = cut;
      more = false;
      for (std::size_t i = 0; i < runs && !more; ++i) {
        zone_of[i] = (zone_of[i] + 1) % room.size();
        more = zone_of[i] != 0;
      }
    }
    if (!least) return;
    RC_ASSERT(problem.bound);
    RC_ASSERT(problem.bound->value <= *least);
    const PlacementProblem whole = pose(view, fabric, job, {});
    RC_ASSERT(!whole.bound || problem.bound->value >= whole.bound->value);
    RC_TAG(problem.bound->value == *least ? "proven" : "below");
  }));
}

/// Four unequal zones of servers of eight GPUs.
Cluster four_zones() {
  ClusterBuilder builder("halves", {"zone", "rack"});
  builder.backend(FabricSpec::clos(std::vector<std::string>{"cluster", "zone", "rack"}, 1, 7));
  int servers = 0;
  for (const auto& [zone, racks] : {std::pair{"a", 21}, {"b", 17}, {"c", 12}, {"d", 9}}) {
    for (int rack = 0; rack < racks; ++rack) {
      const std::vector<std::string> path{zone, zone + std::to_string(rack)};
      for (int i = 0; i < 2; ++i) builder.add_server(path, "s" + std::to_string(servers++), 8);
    }
  }
  return builder.build();
}

TEST_CASE("where stages share servers the cut is bounded by parts of servers", "[scheduler]") {
  const Cluster cluster = four_zones();
  const Fabric fabric = Fabric::build(cluster, cluster.backend(), Health(cluster));
  const ClusterView view(cluster);
  for (const char* text :
       {"tp=4,pp=8,dp=19,model=llama3-70b", "tp=2,pp=12,dp=33,model=llama3-8b,mbs=1",
        "tp=4,pp=16,dp=13,vpp=2,model=llama3-70b", "tp=4,pp=8,dp=25,model=llama3-70b"}) {
    INFO(text);
    const Job job = parse_job_text(text);
    CHECK(vertex_coordinates(job, 8).empty());
    const PlacementProblem problem = pose(view, fabric, job, {});
    REQUIRE(problem.bound);
    CAPTURE(problem.bound->method);
    CHECK(problem.bound->method != "spanning tree");
    const PlacementResult result = place(problem, {}, {});
    const auto* placement = std::get_if<Placement>(&result);
    REQUIRE(placement != nullptr);
    REQUIRE(problem.bound->value <= placement->prediction.cross_zone.count);
    // The least cut found comes near.
    std::int64_t least = placement->prediction.cross_zone.count;
    for (const Candidate& candidate : placement->candidates) {
      least = std::min(least, candidate.cross_zone.count);
    }
    CHECK(least <= problem.bound->value * 23 / 20);
    // In short it is no higher.
    const PlacementProblem quick = pose(view, fabric, job, {}, {.proof = Proof::Quick});
    REQUIRE(quick.bound);
    CHECK(quick.bound->value <= least);
  }
}

TEST_CASE("what may take longer sends less between zones", "[scheduler]") {
  const Cluster cluster = four_zones();
  const Fabric fabric = Fabric::build(cluster, cluster.backend(), Health(cluster));
  const ClusterView view(cluster);
  bool any_traded = false;
  for (const char* text :
       {"tp=8,pp=4,dp=22,model=llama3-70b", "tp=4,pp=8,dp=25,model=llama3-70b"}) {
    INFO(text);
    const Job job = parse_job_text(text);
    const PlacementProblem problem = pose(view, fabric, job, {});
    std::optional<Placement> before;
    for (const double tolerance : {0.0, 0.02, 0.1, 1.0}) {
      CAPTURE(tolerance);
      Constraints constraints;
      constraints.time_tolerance = tolerance;
      PlacementResult result = place(problem, constraints, {});
      REQUIRE(std::holds_alternative<Placement>(result));
      Placement now = std::get<Placement>(std::move(result));
      double fastest = now.prediction.communication.count;
      Bytes least = now.prediction.cross_zone;
      for (const Candidate& each : now.candidates) {
        fastest = std::min(fastest, each.communication.count);
      }
      const double limit = fastest * (1 + tolerance);
      CHECK(now.prediction.communication.count <= limit);
      for (const Candidate& each : now.candidates) {
        if (each.communication.count <= limit) least = std::min(least, each.cross_zone);
      }
      CHECK(now.prediction.cross_zone == least);
      any_traded = any_traded || (before && least < before->prediction.cross_zone);
      before = std::move(now);
    }
  }
  CHECK(any_traded);
}

/// Two to four zones of unequal size, in two buildings or in none: their uplinks are as unequal.
Cluster any_uneven_zones() {
  const bool buildings = any(0, 1) == 1;
  std::vector<std::string> levels = {"zone", "rack"};
  if (buildings) levels.insert(levels.begin(), "building");
  ClusterBuilder builder("uneven", levels);
  levels.insert(levels.begin(), "cluster");
  builder.backend(FabricSpec::clos(levels, buildings ? 2 : 1, 7));
  int servers = 0;
  for (int zone = any(2, 4); zone > 0; --zone) {
    for (int rack = any(1, 3); rack > 0; --rack) {
      std::vector<std::string> path = {"z" + std::to_string(zone), "r" + std::to_string(rack)};
      if (buildings) path.insert(path.begin(), "b" + std::to_string(zone % 2));
      for (int i = any(1, 3); i > 0; --i)
        builder.add_server(path, "s" + std::to_string(servers++), 8);
    }
  }
  return builder.build();
}

Job any_training(int servers) {
  const std::string replicas = std::to_string(servers);
  const std::string ranks = std::to_string(8 * servers);
  return parse_job_text(*rc::gen::elementOf(std::vector<std::string>{
      "tp=8,dp=" + replicas + ",model=llama3-8b", "dp=" + ranks + ",model=llama3-8b,zero=3",
      "ep=8,dp=" + ranks + ",model=mixtral-8x7b"}));
}

TEST_CASE("no job is faster where some zones are kept from it", "[scheduler]") {
  CHECK(rc::check([] {
    const Cluster cluster = any_uneven_zones();
    const Fabric fabric = Fabric::build(cluster, cluster.backend(), Health(cluster));
    const ClusterView view(cluster);
    const Job job = any_training(any(2, static_cast<int>(cluster.server_count())));
    const auto seconds_without = [&](std::vector<ServerId> excluded) -> std::optional<double> {
      Constraints constraints;
      constraints.excluded = std::move(excluded);
      const PlacementProblem problem = pose(view, fabric, job, constraints);
      const PlacementResult result = place(problem, constraints, {});
      const auto* placement = std::get_if<Placement>(&result);
      if (!placement) return std::nullopt;
      return placement->prediction.communication.count;
    };
    const double everywhere = seconds_without({}).value();
    const std::span<const DomainId> zones = cluster.domains_at(cluster.zone_level());
    for (unsigned kept_out = 1; kept_out < (1U << zones.size()); ++kept_out) {
      std::vector<ServerId> excluded;
      for (std::size_t i = 0; i < zones.size(); ++i) {
        if ((kept_out >> i & 1) == 0) continue;
        const Domain& zone = cluster.domain(zones[i]);
        for (std::size_t k = 0; k < zone.server_count; ++k)
          excluded.emplace_back(zone.first_server + k);
      }
      const auto seconds = seconds_without(excluded);
      RC_ASSERT(!seconds || everywhere <= *seconds * 1.02);  // the search is none of every order
    }
  }));
}
