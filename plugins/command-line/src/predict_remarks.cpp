#include "predict_remarks.hpp"

#include <fmt/format.h>

#include "zonecut/base/counts.hpp"
#include "zonecut/base/error.hpp"
#include "zonecut/scheduler/period.hpp"

namespace zonecut::cli {
namespace {

constexpr Seconds kUsualPeriod{30};  // Meta's controller

nlohmann::ordered_json optional_json(const std::optional<Seconds>& time) {
  return time ? nlohmann::ordered_json(time->count) : nlohmann::ordered_json();
}

nlohmann::ordered_json incast_json(const Cluster& cluster, const std::vector<PhaseIncast>& incast) {
  auto phases = nlohmann::ordered_json::array();
  for (const PhaseIncast& phase : incast) {
    auto receivers = nlohmann::ordered_json::array();
    for (const Receiver& receiver : phase.receivers) {
      receivers.push_back({{"rank", receiver.rank.index()},
                           {"server", cluster.server(receiver.server).name},
                           {"senders", receiver.senders},
                           {"bytes_in_flight", receiver.in_flight.count}});
    }
    phases.push_back({{"phase", phase.phase}, {"receivers", std::move(receivers)}});
  }
  return phases;
}

/// Beside the receivers of the phase.
void add_overflows(nlohmann::ordered_json& object, const Fabric& fabric,
                   const PhaseOverflows& phase) {
  auto overflows = nlohmann::ordered_json::array();
  for (const QueueOverflow& overflow : phase.overflows) {
    auto ranks = nlohmann::ordered_json::array();
    for (const RankId rank : overflow.receivers) ranks.push_back(rank.index());
    overflows.push_back({{"queue", queue_name(fabric, overflow)},
                         {"bytes_queued", overflow.queued.count},
                         {"buffer_bytes", overflow.memory.count},
                         {"receivers", std::move(ranks)}});
  }
  object["fitting_window_bytes"] = phase.overflows.empty()
                                       ? nlohmann::ordered_json()
                                       : nlohmann::ordered_json(phase.fitting_window.count);
  object["overflows"] = std::move(overflows);
}

std::string overflows_text(const Fabric& fabric, const std::vector<PhaseOverflows>& phases) {
  std::string text;
  for (const PhaseOverflows& phase : phases) {
    if (phase.overflows.empty()) continue;
    text +=
        fmt::format("buffer         phase {}; {}\n", overflow_text(fabric, phase),
                    phase.fitting_window.count > 0
                        ? fmt::format("a window of {} fits", to_exact_text(phase.fitting_window))
                        : "no window fits");
  }
  if (text.empty() && !phases.empty()) return "buffer         no leaf overflows\n";
  return text;
}

std::string binding_of(const Frontend& frontend, const StorageTime& time) {
  if (time.binding) return bundle_name(frontend.fabric, time.binding->bundle);
  return time.bytes.count > 0 ? "storage" : "";
}

nlohmann::ordered_json frontend_json(const Frontend& frontend) {
  const auto json_of = [&](const StorageTime& time) {
    const std::string binding = binding_of(frontend, time);
    return nlohmann::ordered_json{
        {"bytes", time.bytes.count},
        {"seconds", time.time.count},
        {"binding", binding.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(binding)}};
  };
  const FrontendPrediction& predicted = frontend.prediction;
  auto checkpoint = json_of(predicted.checkpoint);
  checkpoint["interval_seconds"] = optional_json(frontend.storage.interval);
  checkpoint["share_of_interval"] =
      predicted.share ? nlohmann::ordered_json(*predicted.share) : nlohmann::ordered_json();
  return {{"checkpoint", std::move(checkpoint)}, {"ingestion", json_of(predicted.ingestion)}};
}

std::string frontend_text(const Frontend& frontend) {
  const auto line = [&](std::string_view what, const StorageTime& time, std::string_view beside) {
    if (time.bytes.count == 0) return fmt::format("frontend       {}: nothing\n", what);
    return fmt::format("frontend       {}: {} in {}{}: {}\n", what, to_text(time.bytes),
                       to_text(time.time), beside, binding_of(frontend, time));
  };
  std::string every;
  if (frontend.prediction.share) {
    every = fmt::format(", {:.1f} % of the {} between two", *frontend.prediction.share * 100,
                        to_text(*frontend.storage.interval));
  }
  return line("checkpoint", frontend.prediction.checkpoint, every) +
         line("ingestion", frontend.prediction.ingestion, " per iteration");
}

std::string incast_text(const Cluster& cluster, const std::vector<PhaseIncast>& incast) {
  std::string text;
  for (const PhaseIncast& phase : incast) {
    const std::optional<Receiver> most = worst(phase);
    if (!most) continue;
    text += fmt::format("incast         phase {}: {} at a time, {} in flight to rank {} on {}\n",
                        phase.phase, counted(most->senders, "sender"), to_text(most->in_flight),
                        most->rank.index(), cluster.server(most->server).name);
  }
  return text;
}

nlohmann::ordered_json controller_json(const Fabric& fabric, const Controller& controller) {
  const ControllerOutlook& outlook = controller.outlook;
  nlohmann::ordered_json fullest;
  if (outlook.fullest) fullest = fabric.name(*outlook.fullest);
  const auto meanwhile = [&](const std::optional<Seconds>& time) {
    nlohmann::ordered_json lost;
    if (time) lost = most_lost(controller.period, *time, controller.engineered).count;
    return nlohmann::ordered_json{{"communication_seconds", optional_json(time)},
                                  {"most_lost_seconds", std::move(lost)}};
  };
  return {{"period_seconds", controller.period.count},
          {"rules", outlook.rules},
          {"fullest_switch", std::move(fullest)},
          {"fullest_switch_rules", outlook.most_rules},
          {"before_first_run", meanwhile(outlook.unruled)},
          {"after_failures", meanwhile(outlook.stale)}};
}

std::string controller_text(const Fabric& fabric, const Controller& controller,
                            std::string_view period) {
  const ControllerOutlook& outlook = controller.outlook;
  if (!outlook.fullest) return "controller     no rules: no flow has a choice\n";
  std::string text = fmt::format("controller     {}, at most {} in one switch ({})\n",
                                 counted(outlook.rules, "rule"), grouped(outlook.most_rules),
                                 fabric.name(*outlook.fullest));
  const auto add = [&](std::string_view when, const std::optional<Seconds>& time) {
    if (!time) return;
    text += fmt::format("               {}, {} at most: {} per {}, which costs at most {}\n", when,
                        to_text(controller.period), to_text(*time), period,
                        to_text(most_lost(controller.period, *time, controller.engineered)));
  };
  add("until its first run for the job", outlook.unruled);
  add("after the failures until its next run", outlook.stale);
  return text;
}

Frontend frontend_of(const Situation& situation, std::span<const ServerId> servers) {
  const Cluster& cluster = situation.cluster;
  if (!cluster.frontend()) {
    throw InputError("--frontend", situation.cluster_file.name + " describes no frontend network",
                     "give it a section \"frontend\", such as frontend: {nic_bandwidth: 200Gbps}");
  }
  ProblemList problems;
  const StorageTraffic storage = read_storage(situation.job.document, situation.job.job, problems);
  problems.throw_if_any();
  Frontend frontend{Fabric::build(cluster, *cluster.frontend(), Health(cluster)), storage, {}};
  frontend.prediction = predict_frontend(frontend.fabric, storage, servers);
  return frontend;
}

}  // namespace

Remarks remarks_on(const RemarkChoice& choice, const Situation& situation,
                   const PlacementProblem& problem, const Placement& placement) {
  const std::span<const ServerId> servers = placement.servers;
  Remarks remarks;
  remarks.findings = lint(problem, servers, situation.constraints);
  if (choice.frontend) remarks.frontend = frontend_of(situation, servers);
  const std::optional<Traffic> chosen = arranged_on(problem, servers);
  const Traffic& traffic = chosen ? *chosen : problem.traffic;
  if (problem.routing.scheme == RoutingScheme::Engineered) {
    remarks.controller = {
        choice.controller_period.value_or(kUsualPeriod), placement.prediction.communication,
        controller_outlook(problem.fabric, traffic, servers, problem.routing, problem.background)};
  }
  if (choice.incast) {
    const std::optional<Bytes>& window = problem.routing.admission_window;
    remarks.incast = incast_of(problem.fabric, traffic, servers, window);
    remarks.overflows = overflows_of(problem.fabric, traffic, servers, window);
  }
  return remarks;
}

void add_remarks(nlohmann::ordered_json& object, const Fabric& fabric, const Remarks& remarks) {
  object["findings"] = nlohmann::ordered_json::array();
  for (const Finding& finding : remarks.findings) {
    object["findings"].push_back(
        {{"rule", finding.rule}, {"what", finding.what}, {"hint", finding.hint}});
  }
  if (remarks.incast) object["incast"] = incast_json(fabric.cluster(), *remarks.incast);
  for (std::size_t i = 0; i < remarks.overflows.size(); ++i)
    add_overflows(object["incast"][i], fabric, remarks.overflows[i]);
  if (remarks.frontend) object["frontend"] = frontend_json(*remarks.frontend);
  if (remarks.controller) object["controller"] = controller_json(fabric, *remarks.controller);
}

std::string beside_figures(const PlacementProblem& problem, const Remarks& remarks) {
  const Fabric& fabric = problem.fabric;
  std::string text;
  if (remarks.incast) text += incast_text(fabric.cluster(), *remarks.incast);
  text += overflows_text(fabric, remarks.overflows);
  if (remarks.frontend) text += frontend_text(*remarks.frontend);
  if (remarks.controller)
    text += controller_text(fabric, *remarks.controller, period_of(problem.job));
  return text;
}

}  // namespace zonecut::cli
