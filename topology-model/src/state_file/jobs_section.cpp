// The section `jobs` of a state file: who holds which GPUs.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "state_file/state_reader.hpp"
#include "zonecut/base/percentage.hpp"
#include "zonecut/base/random.hpp"

namespace zonecut {
namespace {

/// Each one looks at every server of the cluster.
constexpr std::size_t kMostRandomHolds = 100;

/// The first `count` after a seeded shuffle, in their old order again.
template <class T>
std::vector<T> draw(std::vector<T> from, std::size_t count, std::uint64_t seed) {
  Random(seed).shuffle(std::span<T>(from));
  from.erase(from.begin() + static_cast<std::ptrdiff_t>(count), from.end());
  std::sort(from.begin(), from.end());
  return from;
}

}  // namespace

void StateReader::read_job(const Value& value) {
  if (has_enough_problems()) return;
  Fields fields(document_, value, problems_);
  const std::optional<JobId> job = add_job(fields);
  const Value* servers = fields.find("servers");
  const Value* gpus = fields.find("gpus");
  const Value* domains = fields.find("domains");
  const Value* random = fields.find("random");
  const Value* traffic = fields.find("traffic");
  const Value* ends_in = fields.find("ends_in");
  fields.finish();
  if (!job) {
    ++reported_;
    return;
  }
  std::vector<Said<ServerId>> whole;
  if (servers != nullptr) whole = read_servers(*servers, cluster_.server_count());
  for (const auto& [server, where] : whole) hold_server(*job, server, *where);
  if (gpus != nullptr) hold_gpus(*job, *gpus);
  if (domains != nullptr) hold_domains(*job, *domains);
  if (random != nullptr) hold_random(*job, *random);
  if (traffic != nullptr) read_traffic(*job, *traffic, std::move(whole));
  if (ends_in != nullptr) read_end(*job, *ends_in);
}

void StateReader::read_end(JobId job, const Value& value) {
  const std::optional<Seconds> time = parse_duration(value.scalar);
  if (!time || time->count <= 0)
    return report(value, "expected how long the job still runs, up to 1e9s", "such as 36h");
  view_.ends.push_back({job, *time});
}

/// `servers`: those the job holds whole, as they are listed, which is their order unless another is
/// given.
void StateReader::read_traffic(JobId job, const Value& mapping,
                               std::vector<Said<ServerId>> servers) {
  if (has_enough_problems()) return;
  Fields fields(document_, mapping, problems_);
  RunningJob running{job, fields.required_text("job"), {}, std::nullopt, {}};
  if (const Value* work = fields.find("job")) running.where = document_.where(*work);
  if (const Value* order = fields.find("order"))
    servers = read_servers(*order, cluster_.gpu_count());
  if (const Value* iteration = fields.find("iteration")) {
    running.iteration = parse_duration(iteration->scalar);
    if (!running.iteration || running.iteration->count <= 0)
      report(*iteration, "expected how long an iteration takes, up to 1e9s", "such as 6.2s");
  }
  fields.finish();
  for (const auto& [server, where] : servers) {
    running.order.push_back(server);
    bool holds = false;
    for (int gpu = 0; gpu < cluster_.server(server).gpus; ++gpu)
      holds = holds || view_.occupancy.holder({server, gpu}) == job;
    if (holds) continue;
    report(*where, fmt::format("job {} sends from server {}, of which it holds no GPU",
                               view_.occupancy.job_name(job), cluster_.server(server).name));
    return;
  }
  if (running.order.empty())
    report(mapping, "its traffic depends on which rank is where, and nothing here says that",
           "order: its servers in rank order");
  view_.running.push_back(std::move(running));
}

std::optional<JobId> StateReader::add_job(Fields& fields) {
  const std::string name = fields.required_name("name");
  if (name.empty()) return std::nullopt;
  if (!job_names_.insert(name).second) {
    report(*fields.find("name"), fmt::format("there are two jobs called \"{}\"", name));
    return std::nullopt;
  }
  return view_.occupancy.add_job(name);
}

/// Reports a server once, not each of its GPUs.
void StateReader::hold_server(JobId job, ServerId id, const Value& where) {
  if (has_enough_problems()) return;
  Occupancy& occupancy = view_.occupancy;
  const Server& server = cluster_.server(id);
  for (int gpu = 0; gpu < server.gpus; ++gpu) {
    if (const auto holder = occupancy.holder({id, gpu})) {
      report(where,
             *holder == job
                 ? fmt::format("job {} names server {} twice", occupancy.job_name(job), server.name)
                 : fmt::format("job {} cannot hold server {}: job {} holds GPU {} of it",
                               occupancy.job_name(job), server.name, occupancy.job_name(*holder),
                               gpu));
      return;
    }
  }
  for (int gpu = 0; gpu < server.gpus; ++gpu) occupancy.hold(job, {id, gpu});
}

void StateReader::hold_gpus(JobId job, const Value& mapping) {
  Occupancy& occupancy = view_.occupancy;
  for (const auto& [gpu, where] : read_gpus(mapping)) {
    if (has_enough_problems()) return;
    const auto holder = occupancy.holder(gpu);
    if (!holder) {
      occupancy.hold(job, gpu);
      continue;
    }
    const std::string& server = cluster_.server(gpu.server).name;
    report(*where, *holder == job
                       ? fmt::format("job {} names GPU {} of server {} twice",
                                     occupancy.job_name(job), gpu.index, server)
                       : fmt::format("job {} cannot hold GPU {} of server {}: job {} holds it",
                                     occupancy.job_name(job), gpu.index, server,
                                     occupancy.job_name(*holder)));
  }
}

void StateReader::hold_domains(JobId job, const Value& value) {
  const auto hold_one = [&](const Value& item) {
    const auto name = as_text(document_, item, problems_);
    if (!name) return;
    const auto id = places().domain(*name);
    if (!id) {
      report(item,
             places().is_ambiguous(*name)
                 ? fmt::format("several domains are called \"{}\"", *name)
                 : fmt::format("there is no domain \"{}\" in cluster {}", *name, cluster_.name()),
             "write the path, such as zone-a/r3");
      return;
    }
    for (const ServerId server : cluster_.domain(*id).servers()) hold_server(job, server, item);
  };
  if (value.kind == Value::Kind::List) {
    for (const Value& item : value.items) hold_one(item);
  } else {
    hold_one(value);
  }
}

void StateReader::hold_random(JobId job, const Value& value) {
  Fields fields(document_, value, problems_);
  const Value* servers = fields.find("servers");
  const Value* gpus = fields.find("gpus");
  const auto seed = static_cast<std::uint64_t>(
      fields.integer("seed", 1, 0, std::numeric_limits<std::int64_t>::max()));
  fields.finish();
  if (++random_holds_ > kMostRandomHolds)
    return report(value, fmt::format("the file has more than {} random holds", kMostRandomHolds));
  if ((servers == nullptr) == (gpus == nullptr))
    return report(value, "expected either \"servers\" or \"gpus\"", "such as {servers: 50%}");
  if (servers != nullptr) {
    hold_random_servers(job, *servers, seed);
  } else {
    hold_random_gpus(job, *gpus, seed);
  }
}

void StateReader::hold_random_servers(JobId job, const Value& amount, std::uint64_t seed) {
  std::vector<ServerId> free;
  for (const ServerId server : cluster_.server_ids()) {
    if (view_.usable_gpu_count(server) == cluster_.server(server).gpus) free.push_back(server);
  }
  const auto count = read_amount(amount, free.size(), "free servers");
  if (!count) return;
  for (const ServerId server : draw(std::move(free), *count, seed))
    hold_server(job, server, amount);
}

void StateReader::hold_random_gpus(JobId job, const Value& amount, std::uint64_t seed) {
  std::vector<GpuId> free;
  for (const ServerId server : cluster_.server_ids()) {
    for (const int gpu : view_.usable_gpus(server)) free.push_back({server, gpu});
  }
  const auto count = read_amount(amount, free.size(), "free GPUs");
  if (!count) return;
  for (const GpuId gpu : draw(std::move(free), *count, seed)) view_.occupancy.hold(job, gpu);
}

/// A number, or a percentage of what is available, rounded to the nearest.
std::optional<std::size_t> StateReader::read_amount(const Value& value, std::size_t available,
                                                    std::string_view of_what) {
  if (value.kind == Value::Kind::Scalar && value.scalar.ends_with('%')) {
    if (const auto share = parse_percentage(value.scalar))
      return static_cast<std::size_t>(std::llround(*share * static_cast<double>(available)));
  } else if (value.kind == Value::Kind::Scalar && !value.quoted) {
    std::size_t count = 0;
    const char* end = value.scalar.data() + value.scalar.size();
    const auto [stop, error] = std::from_chars(value.scalar.data(), end, count);
    if (error == std::errc{} && stop == end && count <= available) return count;
  }
  report(value,
         fmt::format("expected a percentage, or a number up to the {} {}", available, of_what),
         "such as 50%");
  return std::nullopt;
}

}  // namespace zonecut
