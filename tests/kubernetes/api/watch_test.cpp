// A watch over what a server can do to it.
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <thread>

#include "api/api_client.hpp"
#include "fake_api_server.hpp"
#include "support/catch.hpp"
#include "zonecut/base/error.hpp"

using namespace zonecut;
using namespace zonecut::kubernetes;
using namespace zonecut::kubernetes::test;
using namespace std::chrono_literals;
using nlohmann::json;

namespace {

using Clock = std::chrono::steady_clock;

json object(const std::string& name, const std::string& version) {
  return {{"metadata", {{"name", name}, {"resourceVersion", version}}}};
}

std::string list(const std::vector<std::string>& names, const std::string& version,
                 const std::string& next = "") {
  json items = json::array();
  for (const std::string& name : names) items.push_back(object(name, version));
  return json{{"items", items}, {"metadata", {{"resourceVersion", version}, {"continue", next}}}}
      .dump();
}

std::string event(const std::string& type, const std::string& name, const std::string& version) {
  return json{{"type", type}, {"object", object(name, version)}}.dump() + "\n";
}

std::string gone_event() {
  return json{{"type", "ERROR"},
              {"object", {{"kind", "Status"}, {"code", 410}, {"message", "too old"}}}}
             .dump() +
         "\n";
}

/// A watch on a thread of its own, and what it said, a word each: "=a,b" "+a" "-a" "ok" "!reason".
class Watched {
 public:
  explicit Watched(ApiAccess access) : client_(std::move(access)) {
    const auto name = [](const json& object) {
      return object["metadata"]["name"].get<std::string>();
    };
    sink_.listing = [this] { listed_.clear(); };
    sink_.listed = [this, name](const json& object) {
      listed_ += (listed_.empty() ? "" : ",") + name(object);
    };
    sink_.replaced = [this] { note("=" + listed_); };
    sink_.changed = [this, name](const json& object) { note("+" + name(object)); };
    sink_.deleted = [this, name](const json& object) { note("-" + name(object)); };
    sink_.up_to_date = [this] { note("ok"); };
    sink_.failed = [this](const std::string& reason, std::chrono::milliseconds) {
      note("!" + reason);
    };
    thread_ = std::thread([this] { client_.watch("/api/v1/pods", sink_, stop_); });
  }
  Watched(const Watched&) = delete;
  Watched& operator=(const Watched&) = delete;
  ~Watched() {
    if (thread_.joinable()) stop();
  }

  /// What was said until the last of `count` words came, or ten seconds had passed.
  std::vector<std::string> words(std::size_t count) {
    std::unique_lock lock(mutex_);
    said_.wait_for(lock, 10s, [&] { return words_.size() >= count; });
    return words_;
  }
  Clock::duration stop() {
    const auto begin = Clock::now();
    stop_ = true;
    thread_.join();
    return Clock::now() - begin;
  }
  void shut() { client_.shut(); }
  void join() { thread_.join(); }

 private:
  void note(const std::string& word) {
    const std::lock_guard lock(mutex_);
    words_.push_back(word);
    said_.notify_all();
  }

  ApiClient client_;
  WatchSink sink_;
  std::string listed_;
  std::atomic<bool> stop_ = false;
  std::mutex mutex_;
  std::condition_variable said_;
  std::vector<std::string> words_;
  std::thread thread_;
};

/// Plays lists and watches one after the other, each given by a function; the last watch hangs.
class Script {
 public:
  using Step = std::function<void(const httplib::Request&, httplib::Response&)>;

  explicit Script(std::vector<Step> steps)
      : steps_(std::move(steps)),
        server_([this](const httplib::Request& request, httplib::Response& response) {
          play(request, response);
        }) {}
  [[nodiscard]] ApiAccess access() const { return server_.access(); }
  /// The queries so far, "list" or "watch VERSION".
  std::vector<std::string> asked() {
    const std::lock_guard lock(mutex_);
    return asked_;
  }

 private:
  void play(const httplib::Request& request, httplib::Response& response) {
    std::size_t turn = 0;
    {
      const std::lock_guard lock(mutex_);
      const bool watches = request.has_param("watch");
      turn = asked_.size();
      asked_.push_back(watches ? "watch " + request.get_param_value("resourceVersion")
                               : "list " + request.get_param_value("continue"));
    }
    if (turn < steps_.size()) return steps_[turn](request, response);
    server_.hang();
  }

  std::vector<Step> steps_;
  std::mutex mutex_;
  std::vector<std::string> asked_;
  FakeApiServer server_;
};

Script::Step answer(int status, std::string body) {
  return [status, body = std::move(body)](const httplib::Request&, httplib::Response& response) {
    say(response, status, body);
  };
}

Script::Step chunks(std::vector<std::string> parts, bool is_whole = true) {
  return [=](const httplib::Request&, httplib::Response& response) {
    say_chunks(response, parts, is_whole);
  };
}

using Words = std::vector<std::string>;

}  // namespace

TEST_CASE("a watch lists in pages, then says every change", "[kubernetes]") {
  std::string query;
  Script script({answer(200, list({"a", "b"}, "7", "to ken+/=")), answer(200, list({"c"}, "7")),
                 [&](const httplib::Request& request, httplib::Response& response) {
                   query = request.target;
                   const std::string added = event("ADDED", "d", "8");
                   say_chunks(response,
                              {added.substr(0, 10), added.substr(10) + event("MODIFIED", "a", "9"),
                               event("DELETED", "b", "10"), event("BOOKMARK", "", "20")},
                              true);
                 }});
  Watched watched(script.access());
  CHECK(watched.words(5) == Words{"=a,b,c", "+d", "+a", "-b", "ok"});
  while (script.asked().size() < 4) std::this_thread::sleep_for(1ms);
  CHECK(script.asked() == Words{"list ", "list to ken+/=", "watch 7", "watch 20"});
  CHECK_THAT(query, Catch::StartsWith("/api/v1/pods?watch=true&allowWatchBookmarks=true") &&
                        Catch::Contains("timeoutSeconds="));
  CHECK(watched.stop() < 1s);
}

TEST_CASE("a page has as many objects as come to a few megabytes", "[kubernetes]") {
  std::string limits;
  const auto step = [&](std::string body) {
    return [&limits, body = std::move(body)](const httplib::Request& request,
                                             httplib::Response& response) {
      limits += request.get_param_value("limit") + request.get_param_value("continue") + " ";
      say(response, 200, body);
    };
  };
  const auto padded = [](std::string text, std::size_t size) {
    return text + std::string(size - text.size(), ' ');
  };
  constexpr std::size_t kMegabyte = 1u << 20;
  SECTION("of fewer where many are too large, then of as many as the size of those allows") {
    Script script({step(list({"a"}, "7", "x")), step(std::string(8 * kMegabyte + 1, ' ')),
                   step(std::string(9 * kMegabyte, ' ')),
                   step(padded(list({"b", "c"}, "7", "y"), kMegabyte / 2)),
                   step(list({"d"}, "7"))});
    Watched watched(script.access());
    CHECK(watched.words(1) == Words{"=a,b,c,d"});
    CHECK(limits == "500 500x 125x 31x 24y ");
  }
  SECTION("a single one may have as many as any answer") {
    Script script({step(padded(list({"a"}, "7", "x"), 7 * kMegabyte)),
                   step(padded(list({"b"}, "7", "y"), 63 * kMegabyte)), step(list({"c"}, "7"))});
    Watched watched(script.access());
    CHECK(watched.words(1) == Words{"=a,b,c"});
    CHECK(limits == "500 1x 1y ");
  }
  SECTION("and is refused beyond that") {
    Script script({step(padded(list({"a"}, "7", "x"), 7 * kMegabyte)),
                   step(std::string(64 * kMegabyte + 1, ' '))});
    Watched watched(script.access());
    CHECK_THAT(watched.words(1).front(), Catch::Contains("larger than 67108864 bytes"));
  }
}

TEST_CASE("the longest event that an object of etcd makes is taken", "[kubernetes]") {
  std::string large = event("ADDED", "b", "8");
  std::string word = "{\"word\":\"";
  for (int i = 0; i < 1'500'000; ++i) word += "\\u003c";
  large.insert(large.find("\"metadata\""), "\"spec\":" + word + "\"},");
  Script script({answer(200, list({}, "7")), chunks({large, event("ADDED", "c", "9")})});
  Watched watched(script.access());
  CHECK(watched.words(3) == Words{"=", "+b", "+c"});
}

TEST_CASE("objects that carry deep text which nobody reads are listed and watched as others",
          "[kubernetes]") {
  const auto deep = [](std::string text) {
    const std::string metadata = "\"metadata\":{";
    const std::string fields = "\"managedFields\":[{\"fieldsV1\":" + std::string(9'000, '[') +
                               std::string(9'000, ']') + "}],";
    return text.insert(text.find(metadata) + metadata.size(), fields);
  };
  Script script({answer(200, deep(list({"a"}, "7"))),
                 chunks({deep(event("ADDED", "b", "8")), event("ADDED", "c", "9")})});
  Watched watched(script.access());
  CHECK(watched.words(3) == Words{"=a", "+b", "+c"});
}

TEST_CASE("a version that is too old is listed anew, wherever it is said", "[kubernetes]") {
  const std::string gone = R"({"kind":"Status","message":"too old","code":410})";
  SECTION("in the stream") {
    Script script({answer(200, list({"a"}, "7")), chunks({event("ADDED", "b", "8"), gone_event()}),
                   answer(200, list({"b"}, "9"))});
    Watched watched(script.access());
    const Words said = watched.words(4);
    REQUIRE(said.size() == 4);
    CHECK(said[1] == "+b");
    CHECK_THAT(said[2], Catch::StartsWith("!") && Catch::Contains("too old"));
    CHECK(said[3] == "=b");
    while (script.asked().size() < 4) std::this_thread::sleep_for(1ms);
    CHECK(script.asked() == Words{"list ", "watch 7", "list ", "watch 9"});
  }
  SECTION("as the watch's status") {
    Script script({answer(200, list({"a"}, "7")), answer(410, gone), answer(200, list({}, "9"))});
    Watched watched(script.access());
    CHECK(watched.words(3).back() == "=");
    CHECK(script.asked()[2] == "list ");
  }
  SECTION("in the middle of a list") {
    Script script({answer(200, list({"a"}, "7", "next")), answer(410, gone),
                   answer(200, list({"b"}, "9", "more")), answer(200, list({"c"}, "9"))});
    Watched watched(script.access());
    const Words said = watched.words(2);
    REQUIRE(said.size() == 2);
    CHECK_THAT(said[0], Catch::StartsWith("!"));
    CHECK(said[1] == "=b,c");
    CHECK(script.asked()[2] == "list ");
  }
}

TEST_CASE("a watch that breaks goes on from the last whole event", "[kubernetes]") {
  const std::string half = event("ADDED", "c", "9").substr(0, 30);
  const auto goes_on = [&](const Script::Step& breaks, const std::string& reason) {
    Script script({answer(200, list({"a"}, "7")), breaks, chunks({event("ADDED", "c", "9")})});
    Watched watched(script.access());
    const Words said = watched.words(4);
    REQUIRE(said.size() >= 4);
    CHECK(said[1] == "+b");
    CHECK_THAT(said[2], Catch::StartsWith("!/api/v1/pods: ") && Catch::Contains(reason));
    CHECK(said[3] == "+c");
    CHECK(script.asked()[2] == "watch 8");
  };
  const std::string first = event("ADDED", "b", "8");
  SECTION("when the connection closes in the middle of an object") {
    goes_on(chunks({first, half}, false), "no whole answer");
  }
  SECTION("when the stream ends in the middle of an object") {
    goes_on(chunks({first, half}), "in the middle of an event");
  }
  SECTION("when a line is no JSON") { goes_on(chunks({first, "garbage\n"}), "watch"); }
  SECTION("when a line is no event") { goes_on(chunks({first, "[1]\n"}), "has no version"); }
  SECTION("when an event is of no known type") {
    goes_on(chunks({first, event("RENAMED", "b", "9")}), "of no known type");
  }
  SECTION("when a line has no end") {
    goes_on(chunks({first, std::string(65u << 20, 'x')}), "longer than 67108864 bytes");
  }
  SECTION("when the server reports another error") {
    goes_on(chunks({first, R"({"type":"ERROR","object":{"message":"etcd","code":"x"}})"
                           "\n"}),
            "etcd");
  }
}

TEST_CASE("a server that refuses is asked again, each time later", "[kubernetes]") {
  const std::string forbidden = R"({"message":"pods is forbidden","code":403})";
  Script script({answer(403, forbidden), answer(500, "oops"), answer(200, "[]"),
                 answer(200, R"({"items":5,"metadata":{"resourceVersion":"1"}})"),
                 answer(200, list({"a"}, "7"))});
  const auto begin = Clock::now();
  Watched watched(script.access());
  const Words said = watched.words(5);
  REQUIRE(said.size() == 5);
  CHECK_THAT(said[0], Catch::Contains("pods is forbidden"));
  CHECK_THAT(said[1], Catch::Contains("status 500"));
  CHECK_THAT(said[2], Catch::Contains("no list"));
  CHECK_THAT(said[3], Catch::Contains("no array"));
  CHECK(said[4] == "=a");
  CHECK(Clock::now() - begin >= 3750ms);  // half of 0.5 + 1 + 2 + 4 seconds
}

TEST_CASE("watches that end at once do not become a storm", "[kubernetes]") {
  Script script({answer(200, list({}, "7")), chunks({}), chunks({}), chunks({})});
  Watched watched(script.access());
  std::this_thread::sleep_for(1s);
  CHECK(script.asked().size() <= 4);
  CHECK_THAT(watched.words(2)[1], Catch::Contains("ended the watch at once"));
}

TEST_CASE("an idle watch ends soon after it is told to", "[kubernetes]") {
  const auto idles = [](const httplib::Request&, httplib::Response& response) {
    response.set_chunked_content_provider("application/json",
                                          [](std::size_t offset, httplib::DataSink& sink) {
                                            if (offset == 0) {
                                              const std::string line = event("ADDED", "b", "8");
                                              return sink.write(line.data(), line.size());
                                            }
                                            std::this_thread::sleep_for(50ms);
                                            return sink.is_writable();
                                          });
  };
  Script script({answer(200, list({}, "7")), idles});
  Watched watched(script.access());
  REQUIRE(watched.words(2) == Words{"=", "+b"});
  SECTION("by its flag") { CHECK(watched.stop() < 1s); }
  SECTION("by shutting the client") {
    watched.shut();
    watched.join();
  }
  CHECK(watched.words(2).size() == 2);  // an end is no failure
}

TEST_CASE("a watch that waits after a failure ends soon as well", "[kubernetes]") {
  ApiAccess nobody;
  nobody.host = "127.0.0.1";
  nobody.port = 1;
  nobody.tls = false;
  Watched watched(nobody);
  CHECK(watched.words(4).size() == 4);
  CHECK(watched.stop() < 1s);
}

TEST_CASE("what a sink throws comes out of the watch", "[kubernetes]") {
  Script script({answer(200, list({}, "7")), chunks({event("ADDED", "b", "8")})});
  ApiClient client(script.access());
  WatchSink sink;
  sink.listing = [] {};
  sink.listed = [](const json&) {};
  sink.replaced = [] {};
  sink.changed = [](const json&) { throw InputError("here", "a sink's own"); };
  const std::atomic<bool> stop = false;
  CHECK_THROWS_WITH(client.watch("/api/v1/pods", sink, stop), Catch::Contains("a sink's own"));
}
