#pragma once
// Requests on kept-alive connections, with time limits, fresh credentials and the server's wishes
// for patience: what ApiClient's verbs and watches are made of. May be used by many threads.
#include <chrono>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "api/api_client.hpp"
#include "api/connection.hpp"
#include "api/credentials.hpp"
#include "api/deadlines.hpp"
#include "api/tls_identity.hpp"

namespace zonecut::kubernetes::api {

struct Asked {
  std::string method;
  std::string path;
  std::string content_type;
  std::string body;
  RequestLimits limits;
  std::size_t most_bytes = kMostOfAnswer;  ///< of the answer
};

class Requests {
 public:
  explicit Requests(ApiAccess access);

  [[nodiscard]] ApiAnswer answer(const Asked& asked);
  /// A GET whose 200 is handed to `receive` as it comes, on a connection of its own, for at most
  /// `limits.time`. Returns the status, and why the server refused.
  [[nodiscard]] ApiAnswer stream(const Asked& asked,
                                 const std::function<bool(std::string_view)>& receive);

  [[nodiscard]] const std::string& peer() const noexcept { return peer_; }
  [[nodiscard]] Deadlines& deadlines() noexcept { return deadlines_; }

 private:
  struct Idle {
    std::unique_ptr<Connection> connection;
    Deadlines::Clock::time_point since;
  };

  [[nodiscard]] HttpRequest request_for(const Asked& asked);
  [[nodiscard]] HttpAnswer send(const Asked& asked);
  [[nodiscard]] HttpAnswer send_on(const Connection& connection, const HttpRequest& request,
                                   const Asked& asked, Deadlines::Clock::time_point end);
  [[nodiscard]] std::unique_ptr<Connection> fresh_connection() const;
  [[nodiscard]] std::unique_ptr<Connection> idle_connection();
  void keep(std::unique_ptr<Connection> connection);
  [[nodiscard]] ApiAnswer read(const HttpAnswer& answer, const std::string& path) const;

  const ApiAccess access_;
  const std::string peer_;
  std::optional<const TlsIdentity> identity_;
  Credentials credentials_;
  Deadlines deadlines_;
  std::mutex mutex_;
  std::list<Idle> idle_;  ///< the last used one first
};

}  // namespace zonecut::kubernetes::api
