#include "zonecut/scheduler/frontend.hpp"

#include <fmt/format.h>

#include <map>

#include "routing/link_times.hpp"
#include "zonecut/base/int128.hpp"

namespace zonecut {
namespace {

constexpr std::int64_t kOptimizerBytes = 12;
constexpr std::int64_t kTokenBytes = 4;

std::int64_t samples_of(const Training& t) {
  return t.global_batch > 0 ? t.global_batch
                            : std::int64_t{t.micro_batches} * t.micro_batch * t.parallelism.dp;
}

const Value* section_of(const Value& root) {
  for (const Value::Entry& entry : root.entries) {
    if (entry.key == "storage") return &entry.value;
  }
  return nullptr;
}

/// What a job moves if it does not say.
StorageTraffic usual_storage(const Job& job) {
  StorageTraffic storage;
  if (const auto* training = std::get_if<Training>(&job.work)) {
    const std::int64_t each = training->parameter_bytes + kOptimizerBytes;
    storage.checkpoint = {training->model.parameters * each};
    if (const auto& encoder = training->encoder) {
      const std::int64_t of_encoder = encoder->frozen ? training->parameter_bytes : each;
      storage.checkpoint += Bytes{encoder->parameters * of_encoder};
    }
    storage.ingestion = {samples_of(*training) * training->sequence * kTokenBytes};
  }
  return storage;
}

/// The bytes that so many of the job's vertices move, rounded up.
std::int64_t part_of(Bytes bytes, std::size_t vertices, std::size_t all) {
  const auto part = (static_cast<UInt128>(bytes.count) * vertices + all - 1) / all;
  return static_cast<std::int64_t>(part);
}

class FrontendLoads {
 public:
  FrontendLoads(const Cluster& cluster, std::span<const ServerId> servers) : all_(servers.size()) {
    for (const ServerId server : servers) {
      ++below_[server];
      for (DomainId at = cluster.server(server).rack; cluster.domain(at).parent;
           at = *cluster.domain(at).parent) {
        ++below_[at];
      }
    }
  }

  [[nodiscard]] StorageTime time(const Fabric& frontend, Bytes bytes, bool outward) const {
    StorageTime longest{bytes, {}, std::nullopt};
    if (bytes.count == 0) return longest;
    for (const auto& [place, vertices] : below_) {
      const Bundle bundle{place, outward};
      const Bytes part{part_of(bytes, vertices, all_)};
      const BytesPerSecond capacity = capacity_of(frontend, bundle);
      if (capacity.count == 0) {
        throw InputError("frontend",
                         fmt::format("nothing leads up from {}, but the job must pass {}",
                                     bundle_name(frontend, bundle), to_text(part)),
                         "give its tier switches and uplinks");
      }
      const Seconds time = transfer_time(part, capacity);
      if (time > longest.time) {
        longest.time = time;
        longest.binding = {bundle, part, capacity, time};
      }
    }
    return longest;
  }

 private:
  std::size_t all_;
  std::map<std::variant<ServerId, DomainId>, std::size_t> below_;  // vertices
};

void wait_for_storage(StorageTime& time, const std::optional<BytesPerSecond>& bandwidth) {
  if (!bandwidth) return;
  const Seconds there = transfer_time(time.bytes, *bandwidth);
  if (there <= time.time) return;
  time.time = there;
  time.binding.reset();
}

}  // namespace

StorageTraffic read_storage(const Document& document, const Job& job, ProblemList& problems) {
  StorageTraffic storage = usual_storage(job);
  const Value* section = section_of(document.root);
  if (section == nullptr) return storage;
  Fields fields(document, *section, problems);
  storage.checkpoint = fields.bytes("checkpoint", storage.checkpoint);
  storage.ingestion = fields.bytes("ingestion", storage.ingestion);
  if (const Value* interval = fields.find("checkpoint_interval")) {
    storage.interval = fields.duration("checkpoint_interval", {});
    if (storage.interval->count <= 0)
      problems.add(fields.where(*interval), "checkpoint_interval is 0, expected a time");
  }
  if (const Value* bandwidth = fields.find("bandwidth")) {
    storage.bandwidth = fields.bandwidth("bandwidth", {});
    if (storage.bandwidth->count == 0)
      problems.add(fields.where(*bandwidth), "bandwidth is 0, expected what storage takes");
  }
  fields.finish();
  return storage;
}

FrontendPrediction predict_frontend(const Fabric& frontend, const StorageTraffic& storage,
                                    std::span<const ServerId> servers) {
  const FrontendLoads loads(frontend.cluster(), servers);
  FrontendPrediction predicted;
  predicted.checkpoint = loads.time(frontend, storage.checkpoint, true);
  predicted.ingestion = loads.time(frontend, storage.ingestion, false);
  wait_for_storage(predicted.checkpoint, storage.bandwidth);
  wait_for_storage(predicted.ingestion, storage.bandwidth);
  if (storage.interval) predicted.share = predicted.checkpoint.time.count / storage.interval->count;
  return predicted;
}

}  // namespace zonecut
