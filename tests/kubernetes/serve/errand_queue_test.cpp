#include "serve/errand_queue.hpp"

#include <string>
#include <utility>

#include "support/catch.hpp"

using namespace zonecut::kubernetes;

namespace {

std::shared_ptr<const KnownPod> pod(const std::string& uid) {
  auto known = std::make_shared<KnownPod>();
  known->pod.uid = uid;
  return known;
}

/// What is left, in turn: "wake a, gate b".
std::string rest(ErrandQueue& queue) {
  std::string text;
  while (const auto next = queue.take()) {
    text += (text.empty() ? "" : ", ") + std::string(kind_of(*next)) + " " + pod_of(*next).uid;
    if (const auto* gate = std::get_if<OpenGate>(&*next)) text += " " + gate->server;
    if (const auto* told = std::get_if<TellPod>(&*next)) text += " " + told->message;
  }
  return text;
}

}  // namespace

TEST_CASE("wakes and gates come first, in turn, then events", "[kubernetes][serve]") {
  ErrandQueue queue;
  CHECK_FALSE(queue.take().has_value());
  queue.add(TellPod{pod("a"), "Reason", "one", false});
  queue.add(OpenGate{pod("b"), "h", "n1", 0});
  queue.add(TellPod{pod("a"), "Reason", "two", false});
  queue.add(WakePod{pod("c")});
  CHECK(queue.size() == 4);
  CHECK(rest(queue) == "gate b n1, wake c, event a one, event a two");
  CHECK(queue.empty());
}

TEST_CASE("an outage, however long, leaves one wake and one gate for each pod",
          "[kubernetes][serve]") {
  ErrandQueue queue;
  for (int round = 0; round < 1'000; ++round) {
    for (const char* const uid : {"a", "b", "c"}) {
      queue.add(OpenGate{pod(uid), "h", "n" + std::to_string(round), 0});
      queue.add(WakePod{pod(uid)});
    }
  }
  CHECK(queue.size() == 6);
  CHECK(rest(queue) == "gate a n999, wake a, gate b n999, wake b, gate c n999, wake c");
  queue.add(WakePod{pod("a")});  // once it is carried out, the next one counts
  CHECK(rest(queue) == "wake a");
}

TEST_CASE("a wake that failed comes again, each time later, unless there is a newer one",
          "[kubernetes][serve]") {
  using std::chrono::seconds;
  ErrandQueue queue;
  ErrandQueue::Clock::time_point now;
  queue.put_back(WakePod{pod("a")}, now);
  CHECK(queue.next_due() == now + seconds(1));
  queue.rouse(now);
  CHECK(queue.empty());
  queue.add(WakePod{pod("b")});
  queue.put_back(WakePod{pod("b")}, now);
  queue.add(WakePod{pod("a")});
  CHECK_FALSE(queue.next_due());
  CHECK(rest(queue) == "wake b, wake a");

  int tries = 0;
  seconds before{0};
  WakePod wake{pod("c")};
  while (true) {
    queue.put_back(wake, now);
    const auto due = queue.next_due();
    if (!due) break;
    CHECK(*due - now >= before);
    before = std::chrono::duration_cast<seconds>(*due - now);
    now = *due;
    queue.rouse(now);
    wake = std::get<WakePod>(*queue.take());
    ++tries;
  }
  CHECK(tries == ErrandQueue::kMostFailures - 1);
  CHECK(before == seconds(30));
  CHECK(now.time_since_epoch() > seconds(240));
}

TEST_CASE("too many events push out the oldest, and nothing else", "[kubernetes][serve]") {
  ErrandQueue queue;
  queue.add(WakePod{pod("w")});
  std::size_t dropped = 0;
  for (std::size_t i = 0; i < ErrandQueue::kMostEvents + 3; ++i)
    dropped += queue.add(TellPod{pod("e"), "Reason", std::to_string(i), false});
  CHECK(dropped == 3);
  CHECK(queue.size() == ErrandQueue::kMostEvents + 1);
  CHECK(kind_of(*queue.take()) == std::string("wake"));
  CHECK(std::get<TellPod>(*queue.take()).message == "3");
}
