#pragma once
// One connection to the API server, kept alive between requests. A request runs on one thread at a
// time; cut() ends it from any other. The process must ignore SIGPIPE: a TLS connection that the
// server closed raises it.
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "api/kubeconfig.hpp"
#include "zonecut/base/error.hpp"

namespace zonecut::kubernetes::api {

class TlsIdentity;

/// etcd takes objects of 1.5 MiB as a rule, and JSON writes a byte such as "<" with six.
inline constexpr std::size_t kMostOfAnswer = 64u << 20;

struct HttpRequest {
  std::string method;
  std::string path;
  std::string authorization;  ///< the header's value; may be empty
  std::string content_type;   ///< of the body
  std::string body;
  std::chrono::milliseconds connect_time{5000};
  std::chrono::milliseconds silence{5000};  ///< between two reads
  std::size_t limit = kMostOfAnswer;        ///< of the answer's body
  /// Takes the body of a 200 as it comes; false ends the request. Without it the body is gathered.
  std::function<bool(std::string_view)> receive;
};

struct HttpAnswer {
  int status = 0;
  std::string body;
  std::optional<std::chrono::seconds> retry_after;
};

/// The answer is larger than what is read of one.
class AnswerTooLarge : public IoError {
 public:
  using IoError::IoError;
};

class Connection {
 public:
  /// `identity` is null without TLS; it outlives the connection.
  Connection(const ApiAccess& access, const TlsIdentity* identity);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection();

  /// Throws IoError where no whole answer came, with the reason, AnswerTooLarge of them, and what
  /// `receive` throws. After that the connection is of no more use. An answer that `receive` ended
  /// comes as far as it goes.
  [[nodiscard]] HttpAnswer send(const HttpRequest& request) const;
  /// Whether the server has neither closed it nor said anything that nobody asked for.
  [[nodiscard]] bool is_quiet() const;
  /// Shuts the socket, in whatever state it is, also while it connects or shakes hands.
  void cut() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace zonecut::kubernetes::api
