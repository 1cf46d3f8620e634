#include "api/requests.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "api/server_address.hpp"
#include "objects/json_text.hpp"
#include "zonecut/base/error.hpp"

namespace zonecut::kubernetes::api {
namespace {

using namespace std::chrono_literals;
using Clock = Deadlines::Clock;

constexpr std::size_t kMostIdle = 8;
constexpr auto kLongestIdle = 30s;   // the API server itself closes after 90 s
constexpr auto kWatchSilence = 90s;  // bookmarks come every minute
constexpr auto kShortestPatience = 100ms;

bool is_plain(char character) { return character > ' ' && character < '\x7f' && character != '#'; }

void check_path(const std::string& path) {
  const std::string way = path.substr(0, path.find('?')) + "/";
  const bool is_sound = path.starts_with('/') && std::all_of(path.begin(), path.end(), is_plain) &&
                        way.find("/./") == std::string::npos &&
                        way.find("/../") == std::string::npos;
  if (!is_sound) {
    throw InputError("path of a request",
                     "expected plain characters and no dots for a folder's name");
  }
}

/// How long the server asks to wait before the next try; nothing where it does not ask.
std::optional<std::chrono::milliseconds> asked_patience(const HttpAnswer& answer) {
  if (answer.status == 429)
    return std::max<std::chrono::milliseconds>(answer.retry_after.value_or(1s), kShortestPatience);
  if (answer.status == 503 && answer.retry_after)
    return std::max<std::chrono::milliseconds>(*answer.retry_after, kShortestPatience);
  return std::nullopt;
}

}  // namespace

Requests::Requests(ApiAccess access)
    : access_(std::move(access)),
      peer_(authority(access_.host, access_.port)),
      credentials_(access_) {
  if (access_.tls) identity_.emplace(access_);
}

ApiAnswer Requests::answer(const Asked& asked) {
  check_path(asked.path);
  auto patience = asked.limits.patience;
  bool renewed = false;
  while (true) {
    const HttpAnswer answer = send(asked);
    if (answer.status == 401 && !renewed && credentials_.expire()) {
      renewed = true;
      continue;
    }
    const auto wait = asked_patience(answer);
    if (!wait || *wait > patience) return read(answer, asked.path);
    patience -= *wait;
    deadlines_.pause(*wait, asked.limits.stop);
  }
}

ApiAnswer Requests::stream(const Asked& asked,
                           const std::function<bool(std::string_view)>& receive) {
  check_path(asked.path);
  HttpRequest request = request_for(asked);
  request.silence = kWatchSilence;
  request.receive = receive;
  const auto connection = fresh_connection();
  const HttpAnswer answer = send_on(*connection, request, asked, Clock::now() + asked.limits.time);
  if (answer.status == 401) static_cast<void>(credentials_.expire());
  if (answer.status == 200) return {answer.status, nullptr};
  return read(answer, asked.path);
}

HttpRequest Requests::request_for(const Asked& asked) {
  HttpRequest request;
  request.method = asked.method;
  request.path = access_.base_path + asked.path;
  request.authorization = credentials_.authorization();
  request.content_type = asked.content_type;
  request.body = asked.body;
  request.connect_time = std::min(asked.limits.time, std::chrono::milliseconds(5s));
  request.silence = asked.limits.time;
  request.limit = asked.most_bytes;
  return request;
}

HttpAnswer Requests::send(const Asked& asked) {
  const HttpRequest request = request_for(asked);
  const auto end = Clock::now() + asked.limits.time;
  if (auto used = idle_connection()) {
    try {
      HttpAnswer answer = send_on(*used, request, asked, end);
      keep(std::move(used));
      return answer;
    } catch (const AnswerTooLarge&) {
      throw;
    } catch (const IoError&) {
      if (asked.method != "GET" || Clock::now() >= end || deadlines_.is_cut()) throw;
    }
  }
  auto connection = fresh_connection();
  HttpAnswer answer = send_on(*connection, request, asked, end);
  keep(std::move(connection));
  return answer;
}

HttpAnswer Requests::send_on(const Connection& connection, const HttpRequest& request,
                             const Asked& asked, Clock::time_point end) {
  if (deadlines_.is_cut()) throw IoError(peer_, "is not asked any more: the client is shut");
  try {
    const Deadlines::Guard guard(deadlines_, connection, {end, asked.limits.stop});
    return connection.send(request);
  } catch (const AnswerTooLarge&) {
    throw;
  } catch (const IoError&) {
    if (deadlines_.is_cut()) throw IoError(peer_, "is not asked any more: the client is shut");
    if (Clock::now() < end) throw;
    throw IoError(peer_, fmt::format("gave no answer within {} ms", asked.limits.time.count()));
  }
}

std::unique_ptr<Connection> Requests::fresh_connection() const {
  return std::make_unique<Connection>(access_, identity_ ? &*identity_ : nullptr);
}

std::unique_ptr<Connection> Requests::idle_connection() {
  const auto oldest = Clock::now() - kLongestIdle;
  const std::lock_guard lock(mutex_);
  while (!idle_.empty()) {
    Idle idle = std::move(idle_.front());
    idle_.pop_front();
    if (idle.since > oldest && idle.connection->is_quiet()) return std::move(idle.connection);
  }
  return nullptr;
}

void Requests::keep(std::unique_ptr<Connection> connection) {
  Idle last;  // dropped outside the lock: it says goodbye to the server
  const std::lock_guard lock(mutex_);
  idle_.push_front({std::move(connection), Clock::now()});
  if (idle_.size() <= kMostIdle) return;
  last = std::move(idle_.back());
  idle_.pop_back();
}

ApiAnswer Requests::read(const HttpAnswer& answer, const std::string& path) const {
  ApiAnswer read{answer.status, nullptr, answer.body.size()};
  if (answer.body.empty()) return read;
  try {
    read.body = parse_json(answer.body, peer_ + path, {.leaves_out_deep = true});
  } catch (const TextTooLarge& error) {
    throw AnswerTooLarge(peer_, error.what());
  } catch (const InputError& error) {
    if (read.is_success()) throw IoError(peer_, error.what());
  }
  return read;
}

}  // namespace zonecut::kubernetes::api
