#pragma once
// What passes between connections, which know HTTP, and the server, which knows paths.
#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "server/http_server.hpp"

namespace zonecut::kubernetes {

struct RequestHead {
  std::string method;
  std::string path;  ///< without a query
  std::string authorization;
  std::string encoding;    ///< of the body: "gzip"; mostly empty
  bool certified = false;  ///< the client has shown a certificate of the authority
  std::chrono::steady_clock::time_point whole;  ///< when the last byte of its body had come
};

struct Exchange {
  /// Asked on the connections' thread when a head has come: an answer refuses the rest.
  std::function<std::optional<HttpAnswer>(const RequestHead&)> refusal;
  /// Asked on the connections' thread when a request has come whole: an answer that is ready, and
  /// takes no place among those that are made. Must not throw.
  std::function<std::optional<HttpAnswer>(const RequestHead&)> at_once;
  /// Asked on a thread of its own with any other whole request. Must not throw.
  std::function<HttpAnswer(const RequestHead&, std::string body)> answer;
  /// Told of what connections refuse by themselves.
  std::function<void(int status)> refused;
};

/// {"Error": text}, whatever bytes the text has.
[[nodiscard]] HttpAnswer error_answer(int status, const std::string& text);

}  // namespace zonecut::kubernetes
