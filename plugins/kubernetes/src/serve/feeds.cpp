#include "serve/feeds.hpp"

#include <utility>

#include "server/heap.hpp"
#include "zonecut/base/error.hpp"

namespace zonecut::kubernetes {

Feeds::Feeds(ApiClient& client, Desk& desk, const GpuResources& gpus, Bell& bell, Log& log,
             Metrics& metrics)
    : client_(client), desk_(desk), gpus_(gpus), bell_(bell), log_(log), metrics_(metrics) {
  heard(nodes_);
  heard(pods_);
  nodes_.thread = std::thread([this] { client_.watch("/api/v1/nodes", node_sink(nodes_), stop_); });
  pods_.thread = std::thread([this] { client_.watch("/api/v1/pods", pod_sink(pods_), stop_); });
}

Feeds::~Feeds() {
  stop_ = true;
  nodes_.thread.join();
  pods_.thread.join();
}

void Feeds::heard(Feed& feed) {
  feed.heard = Clock::now().time_since_epoch().count();
  bell_.ring();
}

void Feeds::note_ages() {
  for (Feed* const feed : {&nodes_, &pods_}) {
    const Clock::duration age = Clock::now().time_since_epoch() - Clock::duration(feed->heard);
    metrics_.set_watch_age(feed->resource, std::chrono::duration<double>(age).count());
  }
}

/// What cannot be read is left out, and said: one odd object must not blind us to all others.
template <class Take>
void Feeds::taken(Feed& feed, const nlohmann::json& object, const Take& take) {
  try {
    take(object);
  } catch (const InputError& error) {
    log_.warning("an object was left out",
                 {{"resource", feed.resource}, {"why", to_text(error.problems().front())}});
  }
}

void Feeds::note_list(Feed& feed, std::size_t count) {
  log_.info("listed", {{"resource", feed.resource}, {"count", static_cast<std::int64_t>(count)}});
  if (std::exchange(feed.listed, true)) metrics_.count_relist(feed.resource);
}

WatchSink Feeds::node_sink(Feed& feed) {
  WatchSink sink;
  sink.listing = [this] { listed_nodes_.clear(); };
  sink.listed = [this, &feed](const nlohmann::json& object) {
    taken(feed, object, [&](const auto& o) { listed_nodes_.push_back(read_node(o, gpus_, "")); });
  };
  sink.replaced = [this, &feed] {
    note_list(feed, listed_nodes_.size());
    desk_.replace_nodes(std::exchange(listed_nodes_, {}));
    heard(feed);
  };
  sink.changed = [this, &feed](const nlohmann::json& object) {
    taken(feed, object, [&](const auto& o) { desk_.node_changed(read_node(o, gpus_, "")); });
    heard(feed);
  };
  sink.deleted = [this, &feed](const nlohmann::json& object) {
    taken(feed, object, [&](const auto& o) { desk_.node_gone(read_node(o, gpus_, "").name); });
    heard(feed);
  };
  sink.up_to_date = [this, &feed] { heard(feed); };
  sink.failed = failure(feed);
  return sink;
}

WatchSink Feeds::pod_sink(Feed& feed) {
  WatchSink sink;
  sink.listing = [this] { listed_pods_.clear(); };
  sink.listed = [this, &feed](const nlohmann::json& object) {
    taken(feed, object, [&](const auto& o) {
      Pod pod = read_pod(o, gpus_, "");
      if (pod.gpus > 0 || !pod.gates.empty()) listed_pods_.push_back(std::move(pod));
    });
  };
  sink.replaced = [this, &feed] {
    note_list(feed, listed_pods_.size());
    desk_.replace_pods(std::exchange(listed_pods_, {}));
    give_memory_back();  // pages of a hundred megabytes
    heard(feed);
  };
  sink.changed = [this, &feed](const nlohmann::json& object) {
    taken(feed, object, [&](const auto& o) { desk_.pod_changed(read_pod(o, gpus_, "")); });
    heard(feed);
  };
  sink.deleted = [this, &feed](const nlohmann::json& object) {
    taken(feed, object, [&](const auto& o) { desk_.pod_gone(read_pod(o, gpus_, "").uid); });
    heard(feed);
  };
  sink.up_to_date = [this, &feed] { heard(feed); };
  sink.failed = failure(feed);
  return sink;
}

std::function<void(const std::string&, std::chrono::milliseconds)> Feeds::failure(Feed& feed) {
  return [this, &feed](const std::string& what, std::chrono::milliseconds again) {
    metrics_.count_watch_failure(feed.resource);
    log_.warning("a watch failed", {{"resource", feed.resource},
                                    {"why", what},
                                    {"again_in_ms", static_cast<std::int64_t>(again.count())}});
  };
}

}  // namespace zonecut::kubernetes
