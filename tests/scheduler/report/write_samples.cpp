// Writes reports of several kinds of jobs into a directory, for check_samples.py, which reads them
// with parsers that are not ours.
#include <fmt/format.h>

#include <array>
#include <fstream>
#include <iostream>

#include "scheduler/report/sample.hpp"

using namespace zonecut;

namespace {

void write_file(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  if (!file.flush()) throw std::runtime_error("cannot write " + path);
}

void write_all(const std::string& directory, const std::string& name, const Report& report) {
  const std::string base = directory + "/" + name;
  write_file(base + ".html", write_html(report));
  write_file(base + ".report.json", write_json(report));
  write_file(base + ".placement.json",
             write_placement_json(report.problem, report.placement, report.provenance));
  for (const int width : {40, 80, 132})
    write_file(fmt::format("{}.{}.txt", base, width), write_terminal(report, {width, false, true}));
}

/// Names that are markup, quotes, terminal escapes and broken UTF-8 at once.
void write_hostile(const std::string& directory) {
  const std::string evil = "<script>]]>&\"'--><!--\x1b[2J\xff\xed\xa0\x80";
  ClusterBuilder builder(evil, {"zone", "rack"});
  for (int i = 0; i < 6; ++i)
    builder.add_server(std::array{evil.substr(0, 8) + std::to_string(i / 2), "r" + evil.substr(9)},
                       evil.substr(0, 16) + std::to_string(i), 8);
  const Cluster cluster = builder.build();
  const ClusterView view(cluster);
  const Fabric fabric = Fabric::build(cluster, cluster.backend(), view.health);
  const Job job = job_of(4, {{0, 1, 1000}, {1, 2, 7}, {2, 3, 1'000'000'000'000}}, evil);
  const PlacementProblem problem = pose(view, fabric, job, {});
  const std::array servers{ServerId{0}, ServerId{2}, ServerId{3}, ServerId{4}};
  Report report{problem, evaluate(problem, servers, evil), {}, sample_provenance()};
  report.provenance.command = evil;
  report.placement.reasons = {evil};
  report.placement.candidates = {{evil, {}, {}, 0, 0, evil}};
  report.baselines = {{evil, evil, report.placement}};
  write_all(directory, "hostile", report);
}

/// Enough zones that the matrices are drawn without figures, then not at all.
void write_many_zones(const std::string& directory, int zones) {
  ClusterBuilder builder("many", {"zone", "rack"});
  for (int i = 0; i < zones; ++i)
    builder.add_server(std::array{"z" + std::to_string(i), std::string("r")},
                       "s" + std::to_string(i), 8);
  const Cluster cluster = builder.build();
  const ClusterView view(cluster);
  const Fabric fabric = Fabric::build(cluster, cluster.backend(), view.health);
  const Job job = training_of(4, zones / 4);
  const PlacementProblem problem = pose(view, fabric, job, {});
  std::vector<ServerId> servers;
  for (std::size_t i = 0; i < problem.traffic.vertices(); ++i) servers.push_back(ServerId{i});
  Report report{problem, evaluate(problem, servers, "in order"), {}, sample_provenance()};
  std::vector<ServerId> backwards(servers.rbegin(), servers.rend());
  report.baselines.push_back(
      {"reversed", "the same backwards", evaluate(problem, backwards, "reversed")});
  write_all(directory, fmt::format("zones-{}", zones), report);
}

void write_samples(const std::string& directory) {
  const Sample training(sketch(kFourServers), training_of(2, 2), "a1 a2 b1 b2", "a1 b1 a2 b2");
  write_all(directory, "training", training.report);
  const Sample matrix(sketch(kFourServers), job_of(2, {{0, 1, 5}}), "a1 a2");
  write_all(directory, "one-zone", matrix.report);
  const Sample silent(sketch(kFourServers), job_of(2, {}), "a1 c1", "b1 c1");
  write_all(directory, "silent", silent.report);
  write_hostile(directory);
  write_many_zones(directory, 20);
  write_many_zones(directory, 60);
  const NoFit refusal{{{"required level: zone", "needs 5 servers", "level cluster"},
                       {"free capacity", "needs 9", ""}}};
  write_file(directory + "/sample.refusal.json", write_refusal_json(refusal, sample_provenance()));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: write_samples DIRECTORY\n";
    return 2;
  }
  try {
    write_samples(argv[1]);
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
  return 0;
}
