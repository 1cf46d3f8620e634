#include "state_file/state_reader.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cluster_file/file_format.hpp"
#include "zonecut/base/gather_document.hpp"
#include "zonecut/base/hostlist.hpp"
#include "zonecut/topology/cluster_file.hpp"

namespace zonecut {

ClusterView StateReader::read() {
  Fields fields(document_, document_.root, problems_);
  if (document_.root.kind != Value::Kind::Mapping && document_.root.kind != Value::Kind::Null)
    throw_in_order(problems_);
  require_format(fields, "state/v1");
  const Value* health = fields.find("health");
  const Value* jobs = fields.find("jobs");
  fields.finish();
  if (health != nullptr) read_health(*health);
  if (jobs != nullptr && jobs->kind != Value::Kind::List && jobs->kind != Value::Kind::Null)
    report(*jobs, "expected a list of jobs", "such as \"- {name: a, servers: gpu1}\"");
  if (jobs != nullptr) {
    for (const Value& job : jobs->items) read_job(job);
  }
  throw_in_order(problems_);
  return std::move(view_);
}

void StateReader::report(const Value& where, std::string what, std::string hint) {
  report_at(document_.where(where), std::move(what), std::move(hint));
}

void StateReader::report_at(std::string where, std::string what, std::string hint) {
  ++reported_;
  problems_.add(std::move(where), std::move(what), std::move(hint));
}

const PlaceIndex& StateReader::places() {
  if (!places_) places_.emplace(cluster_);
  return *places_;
}

/// A server's name as it is, or else a host list. So a name with brackets can be said too.
std::vector<ServerId> StateReader::servers_called(const std::string& text,
                                                  const std::string& where) {
  if (const auto server = cluster_.find_server(text)) return {*server};
  std::vector<ServerId> servers;
  try {
    for (const std::string& name : expand_hostlist(text, where, cluster_.server_count())) {
      if (const auto server = cluster_.find_server(name)) {
        servers.push_back(*server);
      } else {
        report_at(
            where, fmt::format("there is no server \"{}\" in cluster {}", name, cluster_.name()),
            fmt::format("its servers have names such as {}", cluster_.server(ServerId{0}).name));
      }
      if (has_enough_problems()) break;
    }
  } catch (const InputError& error) {
    const Problem& problem = error.problems().front();
    report_at(problem.where, problem.what, problem.hint);
  }
  return servers;
}

std::vector<StateReader::Said<ServerId>> StateReader::read_servers(const Value& value,
                                                                   std::size_t most) {
  std::vector<Said<ServerId>> servers;
  const auto read_one = [&](const Value& item) {
    const auto text = as_text(document_, item, problems_);
    if (!text) return;
    for (const ServerId id : servers_called(*text, document_.where(item)))
      servers.push_back({id, &item});
  };
  if (value.kind != Value::Kind::List) {
    read_one(value);
    return servers;
  }
  for (const Value& item : value.items) {
    read_one(item);
    if (has_enough_problems()) break;
    if (servers.size() > most) {  // or a short file would be long work
      report(item,
             fmt::format("more servers are named than cluster {} has room for", cluster_.name()));
      break;
    }
  }
  return servers;
}

/// The GPU numbers of one entry, whatever the server.
std::vector<StateReader::Said<int>> StateReader::read_gpu_numbers(const Value& value) {
  constexpr int kMostGpuNumber = 1023;
  std::vector<Said<int>> numbers;
  const auto read_one = [&](const Value& item) {
    if (const auto number = as_integer(document_, item, 0, kMostGpuNumber, problems_))
      numbers.push_back({static_cast<int>(*number), &item});
  };
  if (value.kind == Value::Kind::List) {
    for (const Value& item : value.items) read_one(item);
  } else {
    read_one(value);
  }
  return numbers;
}

/// {SERVERS: [0, 1, 2], …}
std::vector<StateReader::Said<GpuId>> StateReader::read_gpus(const Value& mapping) {
  std::vector<Said<GpuId>> gpus;
  if (mapping.kind != Value::Kind::Mapping) {
    report(mapping, "expected GPU numbers by server", "such as {gpu0001: [0, 1]}");
    return gpus;
  }
  for (const Value::Entry& entry : mapping.entries) {
    const std::string where = fmt::format("{}:{}:{}", document_.source, entry.line, entry.column);
    const std::vector<Said<int>> numbers = read_gpu_numbers(entry.value);
    for (const ServerId id : servers_called(entry.key, where)) {
      const Server& server = cluster_.server(id);
      for (const auto& [number, said_at] : numbers) {
        if (number < server.gpus) {
          gpus.push_back({{id, number}, said_at});
        } else {
          report(*said_at, fmt::format("there is no GPU {} in server {}, which has {}, numbered "
                                       "from 0",
                                       number, server.name, server.gpus));
        }
        if (has_enough_problems()) return gpus;
      }
      if (gpus.size() > cluster_.gpu_count()) {  // or a short file would be long work
        report(entry.value,
               fmt::format("more GPUs are named than cluster {} has", cluster_.name()));
        return gpus;
      }
    }
    if (has_enough_problems()) break;
  }
  return gpus;
}

ClusterView parse_state(const Cluster& cluster, std::string_view text, const std::string& source) {
  ProblemList problems;
  const Document document = gather_document(text, source, problems);
  return StateReader(cluster, document, problems).read();
}

ClusterView load_state(const Cluster& cluster, const std::string& path) {
  return parse_state(cluster, read_file(path), path);
}

}  // namespace zonecut
