#include "zonecut/partition/job_write.hpp"

#include <rapidcheck.h>

#include <algorithm>

#include "support/catch.hpp"
#include "zonecut/base/error.hpp"
#include "zonecut/partition/job_file.hpp"

using namespace zonecut;

namespace {

int below(int bound) { return *rc::gen::inRange(0, bound); }

std::string any_name() {
  constexpr std::string_view kParts[] = {"tp",    "yes", "\"", "\\",  " ",  ": ", "#",   "null",
                                         "[a]",   "{",   "é",  "1e3", "-",  "'",  "%",   "~",
                                         "&a *b", "!!x", ",",  "0x1", "no", "<<", "...", "="};
  std::string name;
  for (int i = 1 + below(4); i > 0; --i) name += kParts[static_cast<std::size_t>(below(24))];
  return name;
}

/// Different ranks in any order, often in runs.
std::vector<RankId> any_members(int ranks, int most) {
  std::vector<RankId> all;
  const bool reverse = below(4) == 0;
  const int step = 1 + below(3);
  for (int rank = below(2); rank < ranks; rank += step)
    all.emplace_back(static_cast<std::size_t>(rank));
  if (reverse) std::reverse(all.begin(), all.end());
  if (below(2) == 0)
    std::rotate(all.begin(), all.begin() + below(static_cast<int>(all.size())), all.end());
  all.resize(std::min<std::size_t>(all.size(), static_cast<std::size_t>(most)), RankId{0});
  return all;
}

ExplicitCollective any_collective(int ranks) {
  ExplicitCollective c;
  c.name = any_name();
  c.kind = static_cast<Collective>(below(7));
  c.members = any_members(ranks, c.kind == Collective::SendReceive ? 2 : 1 + below(ranks));
  if (c.kind == Collective::SendReceive && c.members.size() < 2) c.kind = Collective::AllReduce;
  if (c.kind == Collective::AllToAll) {
    if (below(2) == 0) c.all_to_all = static_cast<AllToAllAlgorithm>(below(2));
  } else {
    c.algorithm = static_cast<CollectiveAlgorithm>(below(4));
  }
  c.ring_order = static_cast<RingOrder>(below(2));
  c.bytes = Bytes{std::int64_t{below(1 << 30)} << below(20)};
  c.times = 1 + below(1000);
  return c;
}

Job any_job() {
  Job job;
  job.name = any_name();
  ExplicitTraffic work;
  work.ranks = 5 + below(40);
  for (int i = below(6); i > 0; --i) work.collectives.push_back(any_collective(work.ranks));
  for (int i = below(4); i > 0; --i) {
    work.matrix.push_back({RankId{static_cast<std::size_t>(below(2))},
                           RankId{static_cast<std::size_t>(2 + below(3))}, Bytes{below(100'000)}});
  }
  if (below(2) == 0) job.ranks_per_server = 1 + below(8);
  job.all_to_all = static_cast<AllToAllAlgorithm>(below(2));
  if (!work.matrix.empty()) job.overlap.emplace_back("matrix", below(11) / 10.0);
  for (const ExplicitCollective& c : work.collectives) {
    const auto same = [&](const auto& entry) { return entry.first == c.name; };
    if (below(3) == 0 && std::none_of(job.overlap.begin(), job.overlap.end(), same))
      job.overlap.emplace_back(c.name, below(11) / 10.0);
  }
  job.work = std::move(work);
  return job;
}

bool same(const ExplicitCollective& a, const ExplicitCollective& b) {
  return a.name == b.name && a.kind == b.kind && a.algorithm == b.algorithm &&
         a.ring_order == b.ring_order && a.all_to_all == b.all_to_all && a.members == b.members &&
         a.bytes == b.bytes && a.times == b.times;
}

bool same(const Job& a, const Job& b) {
  const auto& one = std::get<ExplicitTraffic>(a.work);
  const auto& other = std::get<ExplicitTraffic>(b.work);
  const auto same_entry = [](const ExplicitTraffic::Entry& x, const ExplicitTraffic::Entry& y) {
    return x.from == y.from && x.to == y.to && x.bytes == y.bytes;
  };
  return a.name == b.name && a.ranks_per_server == b.ranks_per_server && a.overlap == b.overlap &&
         a.all_to_all == b.all_to_all && one.ranks == other.ranks &&
         std::equal(one.collectives.begin(), one.collectives.end(), other.collectives.begin(),
                    other.collectives.end(),
                    [](const auto& x, const auto& y) { return same(x, y); }) &&
         std::equal(one.matrix.begin(), one.matrix.end(), other.matrix.begin(), other.matrix.end(),
                    same_entry);
}

}  // namespace

TEST_CASE("a job that was written reads back as the same job", "[job]") {
  CHECK(rc::check("any collectives and matrix", [] {
    const Job job = any_job();
    const std::string text = write_job(job);
    RC_LOG() << text;
    RC_ASSERT(same(parse_job_file(text, "written").job, job));
  }));
}

TEST_CASE("ranks are written as runs, in their order", "[job]") {
  const auto ranks = [](std::vector<std::size_t> members) {
    Job job;
    ExplicitTraffic work;
    work.ranks = 100;
    ExplicitCollective c;
    c.name = "c";
    for (const std::size_t member : members) c.members.emplace_back(member);
    work.collectives.push_back(c);
    job.work = work;
    const std::string text = write_job(job);
    const std::size_t at = text.find("ranks: \"") + 8;
    return text.substr(at, text.find('"', at) - at);
  };
  CHECK(ranks({0, 1, 2, 3}) == "0-3");
  CHECK(ranks({0, 8, 16, 24}) == "0-24:8");
  CHECK(ranks({3, 0, 1, 2}) == "3,0-2");
  CHECK(ranks({0, 8}) == "0,8");
  CHECK(ranks({5, 4}) == "5,4");
  CHECK(ranks({0, 1, 2, 4, 6, 8, 20}) == "0-2,4-8:2,20");
}

TEST_CASE("a name with control characters is not written", "[job]") {
  Job job;
  job.name = "a\nb";
  job.work = ExplicitTraffic{2, {}, {}};
  CHECK_THROWS_AS(write_job(job), InputError);
}
