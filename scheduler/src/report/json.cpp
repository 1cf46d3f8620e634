// The JSON outputs; docs/schema says what each field means. The lists of ranks and servers are
// written directly: at 131,072 ranks a tree of values would cost more than the placement.
#include <fmt/format.h>

#include <iterator>

#include "report/figures.hpp"
#include "report/json_parts.hpp"
#include "report/scene.hpp"
#include "report/text.hpp"
#include "zonecut/partition/encoder.hpp"
#include "zonecut/scheduler/period.hpp"
#include "zonecut/scheduler/report.hpp"

namespace zonecut::report {
namespace {

/// A JSON object as its members, each rendered already.
class ObjectText {
 public:
  void add(std::string_view key, std::string value) {
    members_.emplace_back(key, std::move(value));
  }
  void add(std::string_view key, const Json& value) { add(key, dumped(value)); }
  /// Nothing in a JSON text but its layout holds a line feed, so lines can be moved in.
  [[nodiscard]] std::string text() const {
    std::string out = "{";
    for (std::size_t i = 0; i < members_.size(); ++i) {
      out += i == 0 ? "\n  " : ",\n  ";
      out += '"' + members_[i].first + "\": ";
      append_indented(out, members_[i].second);
    }
    return out + "\n}";
  }

 private:
  static void append_indented(std::string& out, std::string_view value) {
    out.reserve(out.size() + value.size() + value.size() / 16);
    for (const char c : value) {
      out += c;
      if (c == '\n') out += "  ";
    }
  }
  std::vector<std::pair<std::string, std::string>> members_;
};

Json json_of(const std::optional<NamedLoad>& load) {
  if (!load) return Json();
  return {{"link", load->name},
          {"bytes", load->bytes.count},
          {"capacity_bytes_per_second", load->capacity.count},
          {"seconds", load->time.count}};
}

Json shape_json(const Job& job) {
  const auto* training = std::get_if<Training>(&job.work);
  if (!training) return Json();
  const Parallelism& p = training->parallelism;
  Json shape = {{"tp", p.tp},
                {"cp", p.cp},
                {"pp", p.pp},
                {"dp", p.dp},
                {"ep", p.ep},
                {"etp", p.etp},
                {"vpp", p.virtual_stages},
                {"order", p.order}};
  if (training->encoder)
    shape["encoder"] = {{"tp", training->encoder->tp}, {"dp", encoder_dp(*training)}};
  return shape;
}

Json model_json(const Job& job) {
  if (const auto* training = std::get_if<Training>(&job.work)) return training->model.name;
  if (const auto* serving = std::get_if<Inference>(&job.work)) return serving->model.name;
  return Json();
}

Json job_json(const PlacementProblem& problem) {
  return {{"name", problem.job.name},
          {"ranks", problem.traffic.ranks},
          {"ranks_per_server", problem.traffic.ranks_per_server},
          {"parallelism", shape_json(problem.job)},
          {"model", model_json(problem.job)},
          {"assumed_model", or_null(assumed_model_text(problem.job))}};
}

Json metrics_json(const PlacementFigures& figures) {
  Json json;
  json["cross_zone_bytes"] = figures.cross_zone.count;
  json["lower_bound_bytes"] = figures.lower_bound ? Json(figures.lower_bound->count) : Json();
  json["gap"] = figures.gap ? Json(*figures.gap) : Json();
  json["communication_seconds"] = figures.communication.count;
  json["undisturbed_seconds"] = figures.undisturbed.count;
  json["binding_link"] = figures.binding ? Json(figures.binding->name) : Json();
  json["binding_phase"] = or_null(figures.binding_phase);
  json["cost"] = figures.cost;
  json["bound_method"] = or_null(figures.bound_method);
  json["method"] = figures.method;
  json["servers"] = figures.servers;
  json["racks"] = figures.racks;
  json["zones"] = figures.zones;
  return json;
}

Json phases_json(const PlacementFigures& figures) {
  Json phases = Json::array();
  for (const PhaseFigures& phase : figures.phases) {
    phases.push_back({{"name", phase.name},
                      {"bytes", phase.bytes.count},
                      {"latency_seconds", phase.latency.count},
                      {"transfer_seconds", phase.transfer.count},
                      {"transfer_low_seconds", phase.transfer_low.count},
                      {"transfer_high_seconds", phase.transfer_high.count},
                      {"admission_seconds", phase.admission.count},
                      {"exposed_seconds", phase.exposed.count},
                      {"binding", json_of(phase.binding)}});
  }
  return phases;
}

Json levels_json(const PlacementFigures& figures) {
  Json levels = Json::array();
  for (const LevelBytes& level : figures.by_level) {
    levels.push_back({{"level", level.level}, {"bytes", level.bytes.count}});
    if (level.scale_up.count > 0) levels.back()["scale_up_bytes"] = level.scale_up.count;
  }
  return levels;
}

Json matrix_json(const Cluster& cluster, const PlacementFigures& figures) {
  Json rows = Json::array();
  for (const auto& row : figures.zone_matrix) {
    Json cells = Json::array();
    for (const Bytes bytes : row) cells.push_back(bytes.count);
    rows.push_back(std::move(cells));
  }
  return {{"zones", zone_names(cluster)}, {"bytes", std::move(rows)}};
}

Json leftover_json(const Cluster& cluster, const Leftover& leftover) {
  Json blocks = Json::array();
  for (std::size_t level = 0; level < leftover.largest_free_block.size(); ++level) {
    const bool named = level < cluster.levels().size();
    blocks.push_back({{"level", named ? clean(cluster.levels()[level]) : "server"},
                      {"servers", leftover.largest_free_block[level]}});
  }
  return {{"free_gpus", leftover.free_gpus},
          {"free_servers", leftover.free_servers},
          {"half_used_racks", leftover.half_used_racks},
          {"largest_free_block", std::move(blocks)}};
}

Json candidates_json(const std::vector<Candidate>& candidates) {
  Json list = Json::array();
  for (const Candidate& candidate : candidates) {
    list.push_back({{"name", candidate.name},
                    {"communication_seconds", candidate.communication.count},
                    {"cross_zone_bytes", candidate.cross_zone.count},
                    {"cost", candidate.cost},
                    {"half_used_racks", candidate.half_used_racks},
                    {"verdict", candidate.verdict}});
  }
  return list;
}

/// The name of every server that `placement` uses, as a JSON string, made once.
class QuotedNames {
 public:
  explicit QuotedNames(const Cluster& cluster)
      : cluster_(cluster), quoted_(cluster.server_count()) {}
  const std::string& of(ServerId id) {
    std::string& quoted = quoted_[id];
    if (quoted.empty()) quoted = dumped(Json(cluster_.server(id).name), -1);
    return quoted;
  }

 private:
  const Cluster& cluster_;
  IdMap<ServerId, std::string> quoted_;
};

std::string ranks_text(const Placement& placement, QuotedNames& names) {
  std::string out = "[";
  out.reserve(placement.gpus.size() * 56);
  for (std::size_t rank = 0; rank < placement.gpus.size(); ++rank) {
    const GpuId gpu = placement.gpus[rank];
    fmt::format_to(std::back_inserter(out), R"({}
  {{"rank": {}, "server": {}, "gpu": {}}})",
                   rank == 0 ? "" : ",", rank, names.of(gpu.server), gpu.index);
  }
  return out + (placement.gpus.empty() ? "]" : "\n]");
}

std::string servers_text(const Placement& placement, QuotedNames& names) {
  std::string out = "[";
  for (std::size_t vertex = 0; vertex < placement.servers.size(); ++vertex) {
    out += vertex == 0 ? "\n  " : ",\n  ";
    out += names.of(placement.servers[vertex]);
  }
  return out + (placement.servers.empty() ? "]" : "\n]");
}

Json routing_json(const Routing& routing) {
  return {{"scheme", routing_name(routing.scheme)},
          {"queue_pairs", routing.queue_pairs},
          {"hash_seed", routing.hash_seed ? Json(*routing.hash_seed) : Json()}};
}

Json admission_json(const Routing& routing) {
  if (!routing.admission_window) return Json();
  return {{"by", "receiver"}, {"window_bytes", routing.admission_window->count}};
}

Json disturbed_json(const std::vector<Disturbance>& disturbed) {
  Json jobs = Json::array();
  for (const Disturbance& job : disturbed) {
    jobs.push_back({{"job", clean(job.job)},
                    {"per", period_word(job.served)},
                    {"alone_seconds", job.alone.count},
                    {"beside_seconds", job.beside.count}});
  }
  return jobs;
}

std::string rings_text(const std::vector<ChosenRing>& rings) {
  std::string out = "[";
  for (const ChosenRing& ring : rings) {
    out += out.size() == 1 ? "\n  " : ",\n  ";
    fmt::format_to(std::back_inserter(out), R"({{"phase": {}, "ranks": [)",
                   dumped(Json(ring.phase)));
    for (std::size_t i = 0; i < ring.ranks.size(); ++i)
      fmt::format_to(std::back_inserter(out), "{}{}", i == 0 ? "" : ", ", ring.ranks[i].index());
    out += "]}";
  }
  return out + "\n]";
}

std::string placement_text(const PlacementProblem& problem, const Placement& placement,
                           const Provenance& provenance) {
  const Cluster& cluster = *problem.view.cluster;
  const PlacementFigures figures = figures_of(problem.fabric, placement);
  QuotedNames names(cluster);
  ObjectText object;
  object.add("schema", Json("zonecut.placement/v1"));
  object.add("job", job_json(problem));
  object.add("ranks", ranks_text(placement, names));
  object.add("servers", servers_text(placement, names));
  if (!placement.rings.empty()) object.add("rings", rings_text(placement.rings));
  object.add("metrics", metrics_json(figures));
  object.add("routing", routing_json(problem.routing));
  object.add("admission", admission_json(problem.routing));
  object.add("phases", phases_json(figures));
  object.add("disturbed", disturbed_json(placement.disturbed));
  object.add("bytes_by_level", levels_json(figures));
  object.add("zone_matrix", matrix_json(cluster, figures));
  object.add("leftover", leftover_json(cluster, placement.leftover));
  object.add("candidates", candidates_json(placement.candidates));
  object.add("reasons", Json(placement.reasons));
  object.add("provenance", provenance_json(provenance));
  return object.text();
}

Json baseline_json(const PlacementProblem& problem, const ComparedPlacement& baseline) {
  Json json{{"name", baseline.name}, {"summary", baseline.summary}};
  json["found_room"] = baseline.placement.has_value();
  if (!baseline.placement) return json;
  const Cluster& cluster = *problem.view.cluster;
  const PlacementFigures figures = figures_of(problem.fabric, *baseline.placement);
  json["metrics"] = metrics_json(figures);
  json["phases"] = phases_json(figures);
  json["bytes_by_level"] = levels_json(figures);
  json["zone_matrix"] = matrix_json(cluster, figures);
  json["leftover"] = leftover_json(cluster, baseline.placement->leftover);
  return json;
}

}  // namespace
}  // namespace zonecut::report

namespace zonecut {

std::string write_placement_json(const PlacementProblem& problem, const Placement& placement,
                                 const Provenance& provenance) {
  return report::placement_text(problem, placement, provenance) + '\n';
}

std::string write_json(const Report& report) {
  report::Json baselines = report::Json::array();
  for (const ComparedPlacement& baseline : report.baselines)
    baselines.push_back(report::baseline_json(report.problem, baseline));
  report::ObjectText object;
  object.add("schema", report::Json("zonecut.report/v1"));
  object.add("placement",
             report::placement_text(report.problem, report.placement, report.provenance));
  object.add("baselines", baselines);
  return object.text() + '\n';
}

std::string write_refusal_json(const NoFit& refusal, const Provenance& provenance) {
  report::Json json;
  json["schema"] = "zonecut.refusal/v1";
  json["blockers"] = report::blockers_json(refusal.blockers);
  json["provenance"] = report::provenance_json(provenance);
  return report::dumped(json) + '\n';
}

}  // namespace zonecut
