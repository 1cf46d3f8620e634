#include "serve/shape_fetcher.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "objects/json_object.hpp"
#include "zonecut/base/error.hpp"

namespace zonecut::kubernetes {
namespace {

using Milliseconds = std::chrono::milliseconds;

constexpr int kNotFound = 404;
/// Fewer objects of a kind are asked for by themselves.
constexpr std::size_t kFew = 8;
/// As many single requests take about as long as a page. So a list is given up after a page for
/// each so many objects that are wanted, and some: it may hold hardly any of them.
constexpr std::size_t kWorthOfPage = 16;
constexpr std::size_t kFirstPages = 2;

using Clock = std::chrono::steady_clock;
using Key = std::pair<std::string, std::string>;  // of an object: namespace and name

/// What is left until `end`; something in any case, as a time limit of none is no limit.
Milliseconds left_until(Clock::time_point end) {
  return std::max(std::chrono::duration_cast<Milliseconds>(end - Clock::now()), Milliseconds(1));
}

FetchedShape read(const SizeSource& source, const nlohmann::json& object,
                  const GpuResources& gpus) {
  try {
    return {shape_of(source, object, gpus), ""};
  } catch (const InputError& error) {
    return {std::nullopt, to_text(error.problems().front())};
  }
}

Key key_of(const nlohmann::json& object) {
  const JsonObject root(object, "");
  const JsonObject metadata = root.object("metadata");
  return {metadata.text("namespace"), metadata.text("name")};
}

/// The one namespace of all; empty where there are several.
std::string common_namespace(const std::map<Key, std::size_t>& places) {
  const std::string& first = places.begin()->first.first;
  return places.rbegin()->first.first == first ? first : "";
}

}  // namespace

FetchedShape ShapeFetcher::fetch(const SizeSource& source, const std::string& name_space,
                                 Milliseconds time) const {
  const auto end = Clock::now() + time;
  const auto get = [&](const SizeSource& version) {
    return client_.get(path_of(version, name_space), {left_until(end), Milliseconds(0), &stop_});
  };
  try {
    ApiAnswer answer = get(source);
    std::optional<SizeSource> older = next_version(source);
    for (; answer.status == kNotFound && older; older = next_version(*older)) answer = get(*older);
    if (!answer.is_success()) return {std::nullopt, answer.message()};
    return read(source, answer.body, gpus_);
  } catch (const InputError& error) {
    return {std::nullopt, to_text(error.problems().front())};
  } catch (const IoError& error) {
    return {std::nullopt, error.what()};
  }
}

/// Reads lists until all are found, or the rest is not worth further pages.
void ShapeFetcher::list_kind(SizeSource source, const Places& places, Clock::time_point end,
                             FetchedShapes& fetched) const {
  std::size_t missing = places.size();
  std::size_t pages = kFirstPages + places.size() / kWorthOfPage;
  const auto take = [&](const nlohmann::json& items) {
    for (const nlohmann::json& item : items) {
      const auto found = places.find(key_of(item));
      if (found == places.end() || fetched[found->second]) continue;
      fetched[found->second] = read(source, item, gpus_);
      --missing;
    }
    return missing > 0 && --pages > 0 && Clock::now() < end;
  };
  while (true) {
    const ApiAnswer answer = client_.list(collection_path(source, common_namespace(places)), take,
                                          {left_until(end), Milliseconds(0), &stop_});
    const std::optional<SizeSource> older = next_version(source);
    if (answer.status != kNotFound || !older) return;
    source = *older;
  }
}

ShapeFetcher::FetchedShapes ShapeFetcher::list(const std::vector<WantedShape>& wanted,
                                               Milliseconds time) const {
  const auto end = Clock::now() + time;
  FetchedShapes fetched(wanted.size());
  std::map<std::pair<std::string, std::string>, Places> kinds;  // by API version and kind
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const SizeSource& source = wanted[i].source;
    kinds[{source.api_version, source.kind}].emplace(Key{wanted[i].name_space, source.name}, i);
  }
  for (const auto& [kind, places] : kinds) {
    if (places.size() < kFew) continue;
    try {
      list_kind({kind.first, kind.second, ""}, places, end, fetched);
    } catch (const InputError&) {  // what a list cannot tell, an object may
    } catch (const IoError&) {
      break;
    }
  }
  return fetched;
}

}  // namespace zonecut::kubernetes
