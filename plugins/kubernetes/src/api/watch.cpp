#include "api/watch.hpp"

#include <fmt/format.h>

#include <exception>
#include <random>

#include "api/event_lines.hpp"
#include "api/pages.hpp"
#include "objects/json_text.hpp"
#include "zonecut/base/error.hpp"

namespace zonecut::kubernetes::api {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kLongestEvent = kMostOfAnswer;
constexpr auto kListTime = 30s;
constexpr auto kShortestWatch = 240s;
constexpr std::size_t kSpreadSeconds = 120;
constexpr auto kAtOnce = 1s;

/// The server has forgotten the version that we would go on from (410).
class Expired : public IoError {
  using IoError::IoError;
};

/// What a sink threw, on its way out of the watch.
struct SinkThrew {
  std::exception_ptr thrown;
};

template <class Sink, class... Said>
void hand_over(const Sink& sink, Said... said) {
  try {
    sink(std::move(said)...);
  } catch (...) {
    throw SinkThrew{std::current_exception()};
  }
}

std::uint64_t unpredictable() {
  std::random_device device;
  return static_cast<std::uint64_t>(device()) << 32 | device();
}

}  // namespace

Watch::Watch(Requests& requests, const std::string& path, const WatchSink& sink,
             const std::atomic<bool>& stop)
    : requests_(requests),
      path_(path),
      sink_(sink),
      stop_(stop),
      random_(unpredictable()),
      backoff_(random_.next()) {}

void Watch::run() {
  try {
    while (!is_over()) list_and_follow();
  } catch (const SinkThrew& sink) {
    std::rethrow_exception(sink.thrown);
  }
}

void Watch::list_and_follow() {
  try {
    if (version_.empty()) list();
    follow();
  } catch (const Expired& error) {
    version_.clear();
    retry(error.what());
  } catch (const IoError& error) {
    retry(error.what());
  } catch (const InputError& error) {
    retry(error.what());
  }
}

void Watch::retry(const std::string& reason) {
  if (is_over()) return;
  const std::chrono::milliseconds wait = backoff_.next();
  if (sink_.failed) hand_over(sink_.failed, fmt::format("{}: {}", path_, reason), wait);
  requests_.deadlines().pause(wait, &stop_);
}

void Watch::list() {
  Pages pages(requests_, path_, {kListTime, kListTime, &stop_});
  hand_over(sink_.listing);
  do {
    ApiAnswer page = pages.next();
    if (page.status == 410) throw Expired(requests_.peer(), page.message());
    if (!page.is_success()) throw IoError(requests_.peer(), page.message());
    for (nlohmann::json& item : page.body["items"]) hand_over(sink_.listed, std::move(item));
  } while (pages.has_more());
  hand_over(sink_.replaced);
  version_ = pages.version();
}

void Watch::follow() {
  const auto length = kShortestWatch + std::chrono::seconds(random_.below(kSpreadSeconds));
  const std::string query =
      fmt::format("watch=true&allowWatchBookmarks=true&timeoutSeconds={}&resourceVersion={}",
                  length.count(), percent_encoded(version_));
  const auto begin = Deadlines::Clock::now();
  heard_ = false;
  EventLines lines(kLongestEvent);
  const Asked asked{
      "GET", with_query(path_, query), {}, {}, {length + kListTime, kListTime, &stop_}};
  const ApiAnswer answer = requests_.stream(asked, [&](std::string_view part) {
    return lines.take(part, [&](std::string_view line) { return take_event(line); });
  });
  if (answer.status == 410) throw Expired(requests_.peer(), answer.message());
  if (answer.status != 200) throw IoError(requests_.peer(), answer.message());
  if (is_over()) return;
  if (lines.is_amid_line())
    throw IoError(requests_.peer(), "ended the watch in the middle of an event");
  if (!heard_ && Deadlines::Clock::now() - begin < kAtOnce)
    throw IoError(requests_.peer(), "ended the watch at once");
  backoff_.reset();
}

bool Watch::take_event(std::string_view line) {
  nlohmann::json event =
      parse_json(line, "watch", {.bytes = kLongestEvent, .leaves_out_deep = true});
  const std::string type = text_at(event, "/type");
  if (type == "ERROR") take_error(event["object"]);
  std::string version = text_at(event, "/object/metadata/resourceVersion");
  if (version.empty()) throw IoError(requests_.peer(), "an event of the watch has no version");
  if (type == "ADDED" || type == "MODIFIED") {
    hand_over(sink_.changed, std::move(event["object"]));
  } else if (type == "DELETED") {
    hand_over(sink_.deleted, std::move(event["object"]));
  } else if (type == "BOOKMARK") {
    if (sink_.up_to_date) hand_over(sink_.up_to_date);
  } else {
    throw IoError(requests_.peer(), "an event of the watch is of no known type");
  }
  version_ = std::move(version);
  heard_ = true;
  backoff_.reset();
  return !is_over();
}

void Watch::take_error(const nlohmann::json& status) const {
  const ApiAnswer answer{0, status};
  if (status.is_object() && status.contains("code") && status["code"] == 410)
    throw Expired(requests_.peer(), answer.message());
  throw IoError(requests_.peer(), answer.message());
}

}  // namespace zonecut::kubernetes::api
