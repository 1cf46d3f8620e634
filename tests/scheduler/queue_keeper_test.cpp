#include "zonecut/scheduler/queue_keeper.hpp"

#include "support/catch.hpp"
#include "support/sketch.hpp"
#include "zonecut/partition/job_file.hpp"

using namespace zonecut;

namespace {

/// A queue on a zone of four servers, all free unless a test says otherwise.
struct Waitingroom {
  Waitingroom()
      : cluster(sketch("a: r1[s1 s2] r2[s3 s4]")),
        state{*cluster.view, *cluster.fabric, 1'000'000,
              IdMap<ServerId, std::int64_t>(cluster.cluster->server_count(), 1'000'000)} {}

  [[nodiscard]] QueuedJob job(const std::string& name, std::size_t servers) const {
    QueuedJob queued;
    queued.name = name;
    queued.waiting.job = parse_job_text("model=llama3-8b,gpus=" + std::to_string(8 * servers));
    queued.waiting.job.ranks_per_server = 8;
    queued.waiting.servers = servers;
    queued.waiting.limit = 100;
    for (std::size_t i = 0; i < cluster.cluster->server_count(); ++i) {
      queued.waiting.eligible.emplace_back(i);
      if (state.free_at[ServerId{i}] <= state.now) queued.waiting.free.emplace_back(i);
    }
    return queued;
  }
  void busy_for(std::int64_t seconds) {
    for (auto& at : state.free_at) at = state.now + seconds;
  }
  Verdict only(QueuedJob queued, bool preempts = false) {
    std::vector<QueuedJob> jobs;
    jobs.push_back(std::move(queued));
    return keeper.judge(state, std::move(jobs), preempts).verdicts.front();
  }

  Sketch cluster;
  QueueState state;
  QueueKeeper keeper{KeeperOptions{}};
};

}  // namespace

TEST_CASE("a job is pinned, and kept where it is", "[scheduler][queue]") {
  Waitingroom room;
  const Verdict pinned = room.only(room.job("1", 2));
  REQUIRE(pinned.kind == VerdictKind::Pin);
  CHECK(pinned.plan.servers.size() == 2);
  QueuedJob again = room.job("1", 2);
  again.waiting.planned = pinned.plan.servers;
  CHECK(room.only(again).kind == VerdictKind::Keep);
}

TEST_CASE("a job that is not started on free servers is left for good", "[scheduler][queue]") {
  Waitingroom room;
  QueuedJob job = room.job("1", 2);
  job.waiting.planned = room.only(job).plan.servers;
  CHECK(room.only(job).kind == VerdictKind::Keep);
  room.state.now += 119;
  for (auto& at : room.state.free_at) at = room.state.now;
  CHECK(room.only(job).kind == VerdictKind::Keep);
  SECTION("its time is up") {
    room.state.now += 1;
    const Verdict left = room.only(job);
    CHECK(left.kind == VerdictKind::Leave);
    CHECK(left.for_good);
    CHECK(left.why == "it was not started on free servers for 120 s");
    CHECK(room.only(job).kind == VerdictKind::Leave);  // until it was done
    room.keeper.give_up("1");
    CHECK(room.only(job).kind == VerdictKind::Nothing);
  }
  SECTION("it waits for something else meanwhile") {
    job.waits_for_servers = false;
    room.state.now += 1;
    CHECK(room.only(job).kind == VerdictKind::Keep);
    job.waits_for_servers = true;
    room.state.now += 119;
    CHECK(room.only(job).kind == VerdictKind::Keep);
  }
  SECTION("its servers are taken meanwhile") {
    room.state.now += 1;
    room.busy_for(30);
    job.waiting.free.clear();
    CHECK(room.only(job).kind == VerdictKind::Keep);
    room.state.now += 100;
    for (auto& at : room.state.free_at) at = room.state.now;
    CHECK(room.only(job).kind == VerdictKind::Keep);
  }
}

TEST_CASE("a job that cannot be placed is left with the reason", "[scheduler][queue]") {
  Waitingroom room;
  QueuedJob job = room.job("1", 2);
  job.left = "asks for sockets";
  const Verdict left = room.only(job);
  CHECK(left.kind == VerdictKind::Leave);
  CHECK(left.why == "asks for sockets");
  CHECK_FALSE(left.for_good);
  job.left_for_good = true;
  CHECK(room.only(job).for_good);
  CHECK(room.only(room.job("2", 5)).kind == VerdictKind::Leave);  // there are four
}

TEST_CASE("a job for which nothing was found rests, others do not wait for it",
          "[scheduler][queue]") {
  Waitingroom room;
  QueuedJob odd = room.job("odd", 2);
  odd.waiting.job = parse_job_text("model=llama3-8b,gpus=64");  // not two servers' worth
  odd.waiting.job.ranks_per_server = 8;
  const auto judged = [&] {
    std::vector<QueuedJob> jobs = {odd, room.job("fine", 2)};
    return room.keeper.judge(room.state, std::move(jobs), false).verdicts;
  };
  auto verdicts = judged();
  CHECK(verdicts[0].kind == VerdictKind::Leave);
  CHECK_FALSE(verdicts[0].why.empty());
  CHECK(verdicts[1].kind == VerdictKind::Pin);
  room.state.now += 59;
  verdicts = judged();
  CHECK(verdicts[0].kind == VerdictKind::Nothing);
  CHECK(verdicts[1].kind == VerdictKind::Pin);
  room.state.now += 1;
  CHECK(judged()[0].kind == VerdictKind::Leave);
}

TEST_CASE("where jobs preempt, only what can begin now is placed", "[scheduler][queue]") {
  Waitingroom room;
  CHECK(room.only(room.job("1", 2), true).kind == VerdictKind::Pin);
  room.busy_for(50);
  const Verdict left = room.only(room.job("2", 2), true);
  CHECK(left.kind == VerdictKind::Leave);
  CHECK(left.why == "might begin at once in the place of others");
  CHECK(room.only(room.job("2", 2), false).kind == VerdictKind::Pin);
}

TEST_CASE("a job that left the queue is forgotten", "[scheduler][queue]") {
  Waitingroom room;
  room.keeper.give_up("1");
  CHECK(room.only(room.job("2", 2)).kind == VerdictKind::Pin);  // "1" is not among them
  CHECK(room.only(room.job("1", 2)).kind == VerdictKind::Pin);
}

TEST_CASE("what one round cannot plan is said to be left over", "[scheduler][queue]") {
  Waitingroom room;
  KeeperOptions options;
  options.queue.most_plans = 1;
  room.keeper = QueueKeeper(options);
  std::vector<QueuedJob> jobs = {room.job("1", 1), room.job("2", 1)};
  const QueueKeeper::Round round = room.keeper.judge(room.state, std::move(jobs), false);
  CHECK(round.more);
  CHECK(round.verdicts[0].kind == VerdictKind::Pin);
  CHECK(round.verdicts[1].kind == VerdictKind::Nothing);
}
