#include "server/connection.hpp"

#include <boost/asio/dispatch.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl/ssl_stream.hpp>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

namespace zonecut::kubernetes {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using beast::error_code;

constexpr std::size_t kHeadLimit = 16u << 10;
constexpr std::size_t kPieceLimit = 64u << 10;
/// How long a client may go on sending after it was refused, so that it gets to read why.
constexpr std::chrono::seconds kLinger{1};

/// Keeps a body as it comes, as long as there is room for it: nothing is set aside for what a
/// client only announces.
struct BodyInRoom {
  struct value_type {
    ConnectionRoom* room = nullptr;
    Connection* connection = nullptr;
    std::string text;
  };

  class reader {
   public:
    template <bool IsRequest, class Fields>
    reader(http::header<IsRequest, Fields>&, value_type& value) : value_(value) {}
    void init(const boost::optional<std::uint64_t>&, error_code& error) { error = {}; }
    template <class Buffers>
    std::size_t put(const Buffers& buffers, error_code& error) {
      const std::size_t size = beast::buffer_bytes(buffers);
      if (!value_.room->take(*value_.connection, size)) {
        error = http::error::buffer_overflow;
        return 0;
      }
      value_.connection->body_bytes += size;
      for (const auto piece : beast::buffers_range_ref(buffers))
        value_.text.append(static_cast<const char*>(piece.data()), piece.size());
      error = {};
      return size;
    }
    void finish(error_code& error) { error = {}; }

   private:
    value_type& value_;
  };
};

using Parser = http::request_parser<BodyInRoom>;

HttpAnswer answer_to(const error_code& error) {
  if (error == http::error::body_limit) return error_answer(413, "the body is too large");
  if (error == http::error::header_limit) return error_answer(431, "the head is too large");
  if (error == http::error::buffer_overflow)
    return error_answer(503, "too many bodies are under way");
  return error_answer(400, "this is not HTTP/1.1: " + error.message());
}

/// Errors of the parser are the client's, of which it is told; any other ends the connection.
bool is_refusable(const error_code& error) {
  return error.category() == make_error_code(http::error::bad_method).category() &&
         error != http::error::end_of_stream && error != http::error::partial_message;
}

template <class Stream>
class StreamConnection final : public Connection,
                               public std::enable_shared_from_this<StreamConnection<Stream>> {
 public:
  template <class... Arguments>
  StreamConnection(ConnectionRoom& room, std::shared_ptr<TlsIdentity::Context> context,
                   Arguments&&... arguments)
      : Connection(room),
        context_(std::move(context)),
        stream_(std::forward<Arguments>(arguments)...) {}

  void start() {
    lowest().expires_after(room_.options.read_timeout);
    if constexpr (kHasTls) {
      stream_.async_handshake(asio::ssl::stream_base::server,
                              then([](auto& self) { self.wait_for_bytes(); }));
    } else {
      wait_for_bytes();
    }
  }

  void end() override {
    release_body();
    lowest().close();
  }

 private:
  static constexpr bool kHasTls = !std::is_same_v<Stream, beast::tcp_stream>;

  beast::tcp_stream& lowest() { return beast::get_lowest_layer(stream_); }

  /// A handler that goes on with `next` and keeps this alive until then; an error ends it all.
  template <class Next>
  auto then(Next next) {
    return [self = this->shared_from_this(), next](error_code error, std::size_t = 0) {
      if (!error) next(*self);
    };
  }

  void wait_for_request() {
    if (room_.is_stopping()) return;
    parser_.reset();
    lowest().expires_after(room_.options.idle_timeout);
    if (buffer_.size() > 0) return read_head();
    wait_for_bytes();
  }

  void wait_for_bytes() {
    stream_.async_read_some(buffer_.prepare(4096),
                            [self = this->shared_from_this()](error_code error, std::size_t size) {
                              if (error) return;
                              self->buffer_.commit(size);
                              self->read_head();
                            });
  }

  void read_head() {
    // The first request has had its time since the connection was made.
    if (had_request()) lowest().expires_after(room_.options.read_timeout);
    Parser& parser = parser_.emplace();
    parser.header_limit(kHeadLimit);
    parser.body_limit(room_.options.body_limit);
    parser.get().body() = {&room_, this, {}};
    http::async_read_header(stream_, buffer_, parser,
                            [self = this->shared_from_this()](error_code error, std::size_t) {
                              self->take_head(error);
                            });
  }

  void take_head(const error_code& error) {
    if (error) return give_up(error);
    const auto& message = parser_->get();
    const std::string target(message.target());
    head_ = {std::string(message.method_string()),
             target.substr(0, target.find('?')),
             std::string(message[http::field::authorization]),
             std::string(message[http::field::content_encoding]),
             false,
             {}};
    if constexpr (kHasTls) head_.certified = has_shown_certificate(stream_.native_handle());
    if (auto refusal = room_.exchange.refusal(head_)) return refuse(std::move(*refusal));
    // Probes answer everybody; their bodies would take the room of those that are read.
    if ((head_.method == "GET" || head_.method == "HEAD") && !parser_->is_done())
      return refuse(error_answer(413, "a request to read something has no body"));
    if (!parser_->is_done() && beast::iequals(message[http::field::expect], "100-continue")) {
      asio::async_write(stream_, asio::buffer("HTTP/1.1 100 Continue\r\n\r\n", 25),
                        then([](auto& self) { self.read_body(); }));
    } else {
      read_body();
    }
  }

  void read_body() {
    http::async_read(stream_, buffer_, *parser_,
                     [self = this->shared_from_this()](error_code error, std::size_t) {
                       self->take_body(error);
                     });
  }

  void take_body(const error_code& error) {
    if (error) return give_up(error);
    begin_wait();
    head_.whole = Clock::now();
    if (auto ready = room_.exchange.at_once(head_))
      return write(std::move(*ready), parser_->keep_alive());
    lowest().expires_never();
    if (!room_.start_answer()) return refuse(error_answer(503, "too many requests wait"));
    begin_answer();
    // The guard keeps the connections' thread at work until the answer is back.
    asio::post(*room_.pool, [self = this->shared_from_this(),
                             work = asio::make_work_guard(room_.io)]() mutable {
      auto& room = self->room_;
      HttpAnswer answer =
          room.exchange.answer(self->head_, std::move(self->parser_->get().body().text));
      asio::post(room.io, [self = std::move(self), answer = std::move(answer)]() mutable {
        self->room_.finished();
        self->write(std::move(answer), self->parser_->keep_alive());
      });
    });
  }

  void give_up(const error_code& error) {
    if (is_refusable(error)) refuse(answer_to(error));
  }

  void refuse(HttpAnswer answer) {
    room_.exchange.refused(answer.status);
    write(std::move(answer), false);
  }

  void write(HttpAnswer answer, bool keep_alive) {
    release_body();
    lowest().expires_after(room_.options.read_timeout);
    answer_ = {};
    answer_.version(parser_->get().version() == 10 ? 10 : 11);
    answer_.result(static_cast<unsigned>(answer.status));
    answer_.set(http::field::content_type, answer.type);
    if (!answer.allow.empty()) answer_.set(http::field::allow, answer.allow);
    answer_.body() = std::move(answer.body);
    // Who cannot serve lets its clients look for a replica that can.
    const bool is_unavailable = answer_.result() == http::status::service_unavailable;
    answer_.keep_alive(keep_alive && !is_unavailable && !room_.is_stopping());
    answer_.prepare_payload();
    serializer_.emplace(answer_);
    auto written = [self = this->shared_from_this()](error_code error, std::size_t) {
      self->finish(error);
    };
    if (head_.method == "HEAD")
      http::async_write_header(stream_, *serializer_, std::move(written));
    else
      http::async_write(stream_, *serializer_, std::move(written));
  }

  void finish(const error_code& error) {
    begin_wait();
    if (error) return;
    const bool goes_on = answer_.keep_alive();
    serializer_.reset();
    answer_ = {};
    if (goes_on) return wait_for_request();
    if (parser_->is_done()) return;
    // It may still be sending. Closing while bytes are unread would take the answer back.
    lowest().expires_after(kLinger);
    error_code ignored;
    lowest().socket().shutdown(asio::ip::tcp::socket::shutdown_send, ignored);
    discard();
  }

  void discard() {
    buffer_.clear();
    lowest().async_read_some(buffer_.prepare(4096), then([](auto& self) { self.discard(); }));
  }

  void release_body() {
    room_.give_back(std::exchange(body_bytes, 0));
    if (parser_) parser_->get().body().text = {};
  }

  std::shared_ptr<TlsIdentity::Context> context_;
  Stream stream_;
  beast::flat_buffer buffer_{kPieceLimit};
  std::optional<Parser> parser_;
  RequestHead head_;
  http::response<http::string_body> answer_;
  std::optional<http::response_serializer<http::string_body>> serializer_;
};

}  // namespace

Connection::Connection(ConnectionRoom& room) : room_(room) {
  room_.connections_.insert(this);
  move_to(&room_.fresh_);
}

void Connection::move_to(ConnectionRoom::Queue* queue) {
  if (queue_ != nullptr) queue_->erase(place_);
  queue_ = queue;
  if (queue_ != nullptr) place_ = queue_->insert(queue_->end(), this);
}

Connection::~Connection() {
  move_to(nullptr);
  room_.give_back(body_bytes);
  room_.connections_.erase(this);
}

void start_connection(ConnectionRoom& room, asio::ip::tcp::socket socket,
                      std::shared_ptr<TlsIdentity::Context> context) {
  if (context == nullptr) {
    using Plain = StreamConnection<beast::tcp_stream>;
    std::make_shared<Plain>(room, nullptr, std::move(socket))->start();
  } else {
    using Tls = StreamConnection<beast::ssl_stream<beast::tcp_stream>>;
    auto& native = *context;
    std::make_shared<Tls>(room, std::move(context), std::move(socket), native)->start();
  }
}

}  // namespace zonecut::kubernetes
