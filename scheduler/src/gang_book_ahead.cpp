// For how many members that are not there servers are kept.
#include <algorithm>

#include "gang_members.hpp"
#include "zonecut/scheduler/gang_book.hpp"

namespace zonecut {
namespace {

/// Adds what a plan reserves for members that do not run, for so many of those that are not there:
/// the first ones, as members come in the order of their ranks where they come one by one.
void add_reserved(const GangState& state, const Reservation& plan, std::size_t of_absent,
                  UsedGpus& gpus) {
  for (std::size_t v = 0; v < state.gang.members(); ++v) {
    if (state.gang.standing[v]) continue;
    if (is_absent(state, v)) {
      if (of_absent == 0) continue;
      --of_absent;
    }
    gpus[plan.servers[v]] += state.gang.gpus();
  }
}

}  // namespace

std::size_t GangBook::most_ahead(std::size_t servers) const {
  return options_.ahead.value_or(default_ahead(servers));
}

/// Gangs of one owner share what they have besides as many as run, in turn.
GangBook::Ahead GangBook::ahead(std::size_t servers) const {
  std::vector<const Entry*> lacking;
  for (const auto& [name, entry] : entries_) {
    if (entry.reservation && entry.state.absent_count() > 0) lacking.push_back(&entry);
  }
  std::stable_sort(lacking.begin(), lacking.end(),
                   [](const Entry* a, const Entry* b) { return goes_before(a->state, b->state); });
  Ahead ahead;
  for (const Entry* const entry : lacking) {
    const auto owner = ahead.further.try_emplace(entry->state.owner, most_ahead(servers)).first;
    const std::size_t absent = entry->state.absent_count();
    const std::size_t proven = std::min(absent, standing_count(entry->state.gang));
    const std::size_t further = std::min(absent - proven, owner->second);
    owner->second -= further;
    ahead.kept.emplace(entry, proven + further);
  }
  return ahead;
}

/// Whether servers are kept for all of its members, or would be if it had a plan.
bool GangBook::is_kept_whole(const Entry& entry, const Ahead& ahead, std::size_t servers) const {
  const std::size_t absent = entry.state.absent_count();
  if (const auto kept = ahead.kept.find(&entry); kept != ahead.kept.end())
    return kept->second == absent;
  const auto owner = ahead.further.find(entry.state.owner);
  const std::size_t further = owner == ahead.further.end() ? most_ahead(servers) : owner->second;
  return absent <= further + standing_count(entry.state.gang);
}

/// By other gangs, from one that is kept whole: its owner's own leave it nothing.
UsedGpus GangBook::kept_from(const Entry& entry, const Ahead& ahead, std::size_t servers) const {
  UsedGpus gpus(servers, 0);
  for (const auto& [name, other] : entries_) {
    if (!other.reservation || &other == &entry) continue;
    const auto kept = ahead.kept.find(&other);
    const bool is_partial = kept != ahead.kept.end() && other.state.owner != entry.state.owner;
    add_reserved(other.state, *other.reservation,
                 is_partial ? kept->second : other.state.gang.members(), gpus);
  }
  return gpus;
}

UsedGpus GangBook::kept(std::size_t servers) const {
  const Ahead planned = ahead(servers);
  UsedGpus gpus(servers, 0);
  for (const auto& [name, entry] : entries_) {
    if (!entry.reservation) continue;
    const auto kept = planned.kept.find(&entry);
    add_reserved(entry.state, *entry.reservation,
                 kept == planned.kept.end() ? entry.state.gang.members() : kept->second, gpus);
  }
  return gpus;
}

/// One that has a plan keeps it when members go, so that they may come back.
bool GangBook::awaits_members(const Entry& entry) const {
  return options_.ahead == std::size_t{0} && !entry.reservation && entry.state.absent_count() > 0;
}

}  // namespace zonecut
