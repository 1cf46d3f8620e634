#include "server/http_server.hpp"

#include <netdb.h>

#include <atomic>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "server/bearer_token.hpp"
#include "server/exchange.hpp"
#include "server/gzip.hpp"
#include "server/heap.hpp"
#include "server/listener.hpp"
#include "server/tls_identity.hpp"
#include "zonecut/base/error.hpp"

namespace zonecut::kubernetes {
namespace {

/// Requests whose bodies may be unpacked at once: each may grow a thousandfold.
constexpr int kUnpackedAtOnce = 4;
/// Bodies of more bytes are large: so many may be read at once, each of which may grow twentyfold.
constexpr std::size_t kLargeBody = 256u << 10;
constexpr int kLargeAtOnce = 8;
/// What was allocated for such a body is given back to the system.
constexpr std::size_t kHugeBody = 8u << 20;

struct Route {
  std::string verb;
  Access access = Access::Callers;
  std::function<HttpAnswer(const std::string& body)> handler;
};

using Routes = std::map<std::pair<std::string, std::string>, Route>;  ///< by method and path

bool is_loopback(const sockaddr& address) {
  if (address.sa_family == AF_INET) {
    const auto& inet = reinterpret_cast<const sockaddr_in&>(address);
    return (ntohl(inet.sin_addr.s_addr) >> 24) == 127;
  }
  return address.sa_family == AF_INET6 &&
         IN6_IS_ADDR_LOOPBACK(&reinterpret_cast<const sockaddr_in6&>(address).sin6_addr);
}

bool is_loopback(const std::string& host) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE;
  addrinfo* found = nullptr;
  if (getaddrinfo(host.empty() ? nullptr : host.c_str(), "0", &hints, &found) != 0)
    throw InputError("--listen", "no address is known for \"" + host + "\"");
  bool all = true;
  for (const addrinfo* address = found; address != nullptr; address = address->ai_next)
    all = all && is_loopback(*address->ai_addr);
  freeaddrinfo(found);
  return all;
}

void require_safe(const ServerOptions& options) {
  if (options.certificate.empty() != options.key.empty())
    throw InputError("--tls-cert", "certificate and key come together only", "give --tls-key too");
  if (!options.client_ca.empty() && options.certificate.empty())
    throw InputError("--client-ca", "without TLS no client can show a certificate",
                     "give --tls-cert and --tls-key too");
  const bool has_callers = !options.client_ca.empty() || !options.token_file.empty();
  if (is_loopback(options.host) || (has_callers && !options.certificate.empty())) return;
  throw InputError("--listen", options.host + " can be reached by others, who could ask anything",
                   "listen on 127.0.0.1, or give --tls-cert and --tls-key with --client-ca or "
                   "--token-file");
}

std::string text_of(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const std::exception& error) {
    return error.what();
  } catch (...) {
    return "unknown failure";
  }
}

HttpAnswer outcome_of(const Route& route, const std::string& body) {
  try {
    return route.handler(body);
  } catch (const InputError& error) {
    return error_answer(400, error.what());
  } catch (const IoError& error) {
    return error_answer(502, error.what());
  } catch (...) {
    return error_answer(500, text_of(std::current_exception()));
  }
}

/// One of a few places, given back at the end.
class Place {
 public:
  Place(std::atomic<int>& taken, int places)
      : taken_(taken), is_had_(taken.fetch_add(1) < places) {}
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;
  ~Place() { taken_.fetch_sub(1); }
  [[nodiscard]] bool is_had() const { return is_had_; }

 private:
  std::atomic<int>& taken_;
  bool is_had_;
};

}  // namespace

HttpAnswer error_answer(int status, const std::string& text) {
  const nlohmann::json body{{"Error", text}};
  HttpAnswer made;
  made.status = status;
  made.body = body.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  return made;
}

struct HttpServer::Impl {
  explicit Impl(ServerOptions given) : options(std::move(given)) {
    require_safe(options);
    if (!options.token_file.empty()) token.emplace(options.token_file);
    if (!options.certificate.empty())
      identity.emplace(options.certificate, options.key, options.client_ca);
    exchange.refusal = [this](const RequestHead& head) { return refusal_of(head); };
    exchange.at_once = [this](const RequestHead& head) { return answer_at_once(head); };
    exchange.answer = [this](const RequestHead& head, std::string body) {
      return answer(head, std::move(body));
    };
    exchange.refused = [this](int status) {
      if (observer) observer("other", status, 0);
    };
    listener.emplace(options, exchange, identity ? &*identity : nullptr);
  }

  const Route* route_of(const RequestHead& head) const {
    const auto found = routes.find({head.method == "HEAD" ? "GET" : head.method, head.path});
    return found == routes.end() ? nullptr : &found->second;
  }

  /// What Allow says: the methods that this path takes, none where nothing is.
  std::string methods_of(const std::string& path) const {
    const bool reads = routes.contains({"GET", path});
    const bool posts = routes.contains({"POST", path});
    return std::string(reads ? "GET, HEAD" : "") + (reads && posts ? ", " : "") +
           (posts ? "POST" : "");
  }

  HttpAnswer no_route(const RequestHead& head) const {
    std::string methods = methods_of(head.path);
    if (methods.empty()) return error_answer(404, "nothing is here");
    HttpAnswer made = error_answer(405, head.method + " is not taken here, only " + methods);
    made.allow = std::move(methods);
    return made;
  }

  std::optional<HttpAnswer> refusal_of(const RequestHead& head) {
    const Route* const route = route_of(head);
    if (route == nullptr || route->access == Access::Callers) {
      if (!options.client_ca.empty() && !head.certified)
        return error_answer(401, "a client certificate is needed");
      if (token && !token->is_in(head.authorization))
        return error_answer(401, "the bearer token is missing or wrong");
    }
    if (route == nullptr) return no_route(head);
    if (!head.encoding.empty() && head.encoding != "identity" && head.encoding != "gzip")
      return error_answer(415, "bodies may be packed with gzip only");
    return std::nullopt;
  }

  std::optional<HttpAnswer> answer_at_once(const RequestHead& head) {
    const Route& route = *route_of(head);
    if (route.access != Access::Anyone) return std::nullopt;
    return noted(route, head, outcome_of(route, {}));
  }

  HttpAnswer answer(const RequestHead& head, std::string body) {
    const Route& route = *route_of(head);
    return noted(route, head,
                 head.encoding == "gzip" ? answer_packed(route, body) : answer_plain(route, body));
  }

  HttpAnswer noted(const Route& route, const RequestHead& head, HttpAnswer made) const {
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - head.whole;
    if (observer) observer(route.verb, made.status, seconds.count());
    return made;
  }

  HttpAnswer answer_packed(const Route& route, const std::string& packed) {
    const Place place(unpacked, kUnpackedAtOnce);
    if (!place.is_had()) return error_answer(503, "too many packed bodies are under way");
    std::string body;
    switch (unpack_gzip(packed, options.body_limit, body)) {
      case Unpacking::TooLarge:
        return error_answer(413, "the unpacked body is too large");
      case Unpacking::Broken:
        return error_answer(400, "the body is no whole gzip stream");
      case Unpacking::Whole:
        break;
    }
    return answer_plain(route, body);
  }

  HttpAnswer answer_plain(const Route& route, const std::string& body) {
    if (body.size() <= kLargeBody) return outcome_of(route, body);
    HttpAnswer made;
    {
      const Place place(large, kLargeAtOnce);
      made = place.is_had() ? outcome_of(route, body)
                            : error_answer(503, "too many large bodies are under way");
    }
    if (body.size() > kHugeBody) give_memory_back();
    return made;
  }

  ServerOptions options;
  Routes routes;
  RequestObserver observer;
  std::optional<BearerToken> token;
  std::optional<TlsIdentity> identity;
  std::atomic<int> unpacked = 0;
  std::atomic<int> large = 0;
  Exchange exchange;
  std::optional<Listener> listener;
};

HttpServer::HttpServer(ServerOptions options) : impl_(std::make_unique<Impl>(std::move(options))) {}

HttpServer::~HttpServer() = default;

void HttpServer::on_post(const std::string& path, std::string verb, PostHandler handler) {
  impl_->routes[{"POST", path}] = {std::move(verb), Access::Callers, std::move(handler)};
}

void HttpServer::on_get(const std::string& path, GetHandler handler, Access access) {
  impl_->routes[{"GET", path}] = {
      path.substr(1), access,
      [handler = std::move(handler)](const std::string&) { return handler(); }};
}

void HttpServer::observe(RequestObserver observer) { impl_->observer = std::move(observer); }

int HttpServer::listen() { return impl_->listener->bind(); }

void HttpServer::run() { impl_->listener->run(); }

void HttpServer::stop() { impl_->listener->stop(); }

}  // namespace zonecut::kubernetes
