// What kube-scheduler asks of the desk.
#include <algorithm>
#include <numeric>

#include "desk/desk.hpp"
#include "desk/watched.hpp"
#include "zonecut/base/error.hpp"

namespace zonecut::kubernetes {
namespace {

FilterAnswer keep_all(const CandidateRequest& request) {
  FilterAnswer answer;
  answer.kept.resize(request.names.size());
  std::iota(answer.kept.begin(), answer.kept.end(), std::size_t{0});
  return answer;
}

FilterAnswer refuse_all(const char* text) { return {{}, text}; }

/// kube-scheduler tries the node for which it evicted others alone; and a pod whose gate we opened
/// has our node in its selector. Neither is a reason to plan anew.
bool asks_for_one_node_only(const CandidateRequest& request) {
  if (request.names.size() != 1) return false;
  return request.pod.nominated_node == request.names.front() ||
         request.pod.annotations.contains(kServerWord);
}

std::optional<std::size_t> position_of(const CandidateRequest& request, const std::string& name) {
  const auto found = std::find(request.names.begin(), request.names.end(), name);
  if (found == request.names.end()) return std::nullopt;
  return static_cast<std::size_t>(found - request.names.begin());
}

/// Where a pod of no gang may go beside what is reserved.
struct Spared {
  std::vector<std::size_t> kept;  // positions in the request
  std::vector<ServerId> beside_reserved;
  bool is_held_up = false;  // by others of its kind that are on their way
};

Spared spared_by(const UsedGpus& reserved, const CandidateRequest& request, const Cluster& cluster,
                 const UsedGpus& used, const UsedGpus& passing) {
  Spared spared;
  for (std::size_t i = 0; i < request.names.size(); ++i) {
    const auto server = cluster.find_server(request.names[i]);
    const auto spares = [&](int under_way) {
      return spares_reserved(cluster.server(*server).gpus, used[*server] + under_way,
                             reserved[*server], request.pod.gpus);
    };
    if (server && !spares(passing[*server])) {
      spared.is_held_up = spared.is_held_up || spares(0);
      continue;
    }
    spared.kept.push_back(i);
    if (server && reserved[*server] > 0) spared.beside_reserved.push_back(*server);
  }
  return spared;
}

}  // namespace

FilterAnswer Desk::filter(const CandidateRequest& request) {
  Lock lock(mutex_);
  if (request.pod.gpus == 0) return keep_all(request);
  require_ready(lock);
  const auto known = mirror_.pod_asked(request.pod, clock_());
  fetch_shapes(lock, {known}, 1);
  require_ready(lock);
  take_in();
  if (!mirror_.pod(known->pod.uid)) return refuse_all(refusals::kGone);
  if (!known->fault.empty()) {
    tell(known, {nullptr, "GangWaiting", known->fault, true});
    return refuse_all(refusals::kFault);
  }
  if (known->member) {
    const auto gang = gangs_.find(known->member->gang);
    if (gang != gangs_.end() && !gang->second.is_single) return answer_gang(request, known);
  }
  tell_no_gang(known);
  return answer_plain(request);
}

FilterAnswer Desk::answer_gang(const CandidateRequest& request,
                               const std::shared_ptr<const KnownPod>& known) {
  const std::string& gang = known->member->gang;
  const Assembled& assembled = gangs_.find(gang)->second;
  const auto place = assembled.place.find(known->pod.uid);
  if (!assembled.fault.empty() || place == assembled.place.end()) {
    sleepers_.refuse(known->pod.uid);
    tell(known, {nullptr, "GangWaiting", assembled.fault, true});
    return refuse_all(refusals::kFault);
  }
  const std::size_t member = place->second;
  const Question question{member, offer_of(request), !asks_for_one_node_only(request)};
  const auto server = watched(gang, [&] { return book_.server_for(gang, question, now()); });
  if (!server) {
    sleepers_.refuse(known->pod.uid);
    const bool has_plan = book_.reservation(gang) != nullptr;
    if (!has_plan) tell(known, {nullptr, "GangWaiting", book_.why_waiting(gang), false});
    return refuse_all(has_plan ? refusals::kElsewhere : refusals::kWaits);
  }
  sleepers_.accept(known->pod.uid);
  tell(known,
       {nullptr, "GangPlanned", planned_text(assembled, *book_.reservation(gang), member), false});
  const auto position = position_of(request, mirror_.site()->cluster.server(*server).name);
  ZONECUT_ENSURES(position.has_value());
  return {{*position}, {}};
}

Offer Desk::offer_of(const CandidateRequest& request) const {
  const Cluster& cluster = mirror_.site()->cluster;
  Offer offer;
  offer.includes = [&request, &cluster](ServerId server) {
    return position_of(request, cluster.server(server).name).has_value();
  };
  offer.servers = [&request, &cluster] {
    std::vector<ServerId> servers;
    for (const std::string& name : request.names) {
      if (const auto server = cluster.find_server(name)) servers.push_back(*server);
    }
    std::sort(servers.begin(), servers.end());
    servers.erase(std::unique(servers.begin(), servers.end()), servers.end());
    return servers;
  };
  return offer;
}

/// Pods of no gang go where they like, but not onto GPUs that are reserved. Those that are not kept
/// from everybody they get where nothing else is left.
FilterAnswer Desk::answer_plain(const CandidateRequest& request) {
  if (!mirror_.site() || book_.counts().reserved_gpus == 0) return keep_all(request);
  const Cluster& cluster = mirror_.site()->cluster;
  const std::size_t servers = cluster.server_count();
  const UsedGpus passing = passing_.gpus(servers, request.pod.uid, clock_());
  Spared spared = spared_by(book_.reserved(servers), request, cluster, mirror_.used(), passing);
  if (spared.kept.empty())
    spared = spared_by(book_.kept(servers), request, cluster, mirror_.used(), passing);
  if (!spared.kept.empty()) {
    passing_.let_through(request.pod.uid, std::move(spared.beside_reserved), request.pod.gpus,
                         clock_());
    return {std::move(spared.kept), refusals::kReserved};
  }
  sleepers_.keep_off(request.pod.uid);
  if (spared.is_held_up) sleepers_.expect_release();
  return refuse_all(refusals::kReserved);
}

std::vector<std::int64_t> Desk::prioritize(const CandidateRequest& request) {
  Lock lock(mutex_);
  std::vector<std::int64_t> scores(request.names.size(), 0);
  if (request.pod.gpus == 0) return scores;
  require_ready(lock);
  const auto known = mirror_.pod(request.pod.uid);
  if (!known || !known->member) return scores;
  const Reservation* plan = book_.reservation(known->member->gang);
  const auto gang = gangs_.find(known->member->gang);
  if (plan == nullptr || gang == gangs_.end()) return scores;
  const auto place = gang->second.place.find(known->pod.uid);
  if (place == gang->second.place.end()) return scores;
  const auto position =
      position_of(request, mirror_.site()->cluster.server(plan->servers[place->second]).name);
  if (position) scores[*position] = 10;
  return scores;
}

std::vector<PreemptCandidate> Desk::preempt(const PreemptRequest& request) {
  Lock lock(mutex_);
  if (request.pod.gpus == 0) return request.candidates;
  require_ready(lock);
  take_in();
  const auto known = mirror_.pod_asked(request.pod, clock_());
  if (!known->fault.empty()) return {};
  if (known->member) {
    const auto gang = gangs_.find(known->member->gang);
    if (gang == gangs_.end() || !gang->second.is_single) return {};
  }
  if (!mirror_.site()) return request.candidates;
  const Cluster& cluster = mirror_.site()->cluster;
  const UsedGpus reserved = book_.kept(cluster.server_count());
  std::vector<PreemptCandidate> chosen;
  for (const PreemptCandidate& candidate : request.candidates) {
    const auto server = cluster.find_server(candidate.node);
    std::int64_t freed = 0;
    for (const std::string& uid : candidate.victims) {
      const auto victim = mirror_.pod(uid);
      if (victim && holds_gpus(victim->pod)) freed += victim->pod.gpus;
    }
    // Else the victims would go for nothing: what comes free is not enough beside what is reserved.
    if (!server || spares_reserved(cluster.server(*server).gpus, mirror_.used()[*server] - freed,
                                   reserved[*server], request.pod.gpus))
      chosen.push_back(candidate);
  }
  return chosen;
}

}  // namespace zonecut::kubernetes
