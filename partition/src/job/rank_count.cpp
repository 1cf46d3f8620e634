#include "job/rank_count.hpp"

#include <fmt/format.h>

#include <initializer_list>
#include <numeric>

#include "job/job_check.hpp"

namespace zonecut {
namespace {

/// It stops growing once it exceeds kMostRanks.
std::int64_t product(std::initializer_list<int> sizes) {
  std::int64_t product = 1;
  for (const int size : sizes) {
    if (product <= kMostRanks) product *= size;
  }
  return product;
}

/// fixed + each · dp.
struct RanksByDp {
  std::int64_t fixed = 0;
  std::int64_t each = 1;
};

RanksByDp ranks_by_dp(const Training& t) {
  const Parallelism& p = t.parallelism;
  RanksByDp ranks{0, product({p.tp, p.cp, p.pp})};
  if (!t.encoder) return ranks;
  if (t.encoder->dp > 0) {
    ranks.fixed = encoder_ranks(t);
  } else {
    ranks.each += t.encoder->tp;
  }
  return ranks;
}

/// The least number whose product with `fixed` is a multiple of `whole`.
std::int64_t fill_up(std::int64_t whole, std::int64_t fixed) {
  return whole / std::gcd(whole, fixed);
}

}  // namespace

int encoder_dp(const Training& t) {
  if (!t.encoder) return 0;
  return t.encoder->dp > 0 ? t.encoder->dp : t.parallelism.dp;
}

std::int64_t encoder_ranks(const Training& t) {
  return t.encoder ? std::int64_t{t.encoder->tp} * encoder_dp(t) : 0;
}

std::int64_t rank_count(const Training& t) {
  const Parallelism& p = t.parallelism;
  return encoder_ranks(t) + product({p.tp, p.cp, p.pp, p.dp});
}

std::optional<int> dp_of_ranks(std::int64_t ranks, const Training& training) {
  const RanksByDp by_dp = ranks_by_dp(training);
  const std::int64_t left = ranks - by_dp.fixed;
  if (left < 1 || left % by_dp.each != 0) return std::nullopt;
  return static_cast<int>(left / by_dp.each);
}

int fewest_replicas(const Training& t) {
  const Parallelism& p = t.parallelism;
  std::int64_t replicas = 1;
  const auto also = [&](std::int64_t factor) {
    if (replicas <= kMostRanks && factor <= kMostRanks)
      replicas = std::lcm(replicas, factor);
    else
      replicas = kMostRanks + 1;
  };
  if (t.model.experts > 0) also(fill_up(std::int64_t{p.etp} * p.ep, std::int64_t{p.tp} * p.cp));
  if (t.data_parallel == DataParallelMode::Hsdp && t.shard > 0) also(fill_up(t.shard, p.cp));
  const std::int64_t of_one = std::int64_t{t.micro_batch} * t.micro_batches;
  if (of_one > 0 && t.global_batch >= of_one) also(t.global_batch / of_one);
  if (const int encoders = t.encoder ? t.encoder->dp : 0; encoders > 0) {
    also(fill_up(encoders, t.micro_batch));
    if (encoders % replicas != 0) also(encoders);
  }
  return replicas <= kMostRanks ? static_cast<int>(replicas) : 1;
}

std::string uneven_ranks_text(const Training& training) {
  const RanksByDp by_dp = ranks_by_dp(training);
  if (by_dp.fixed > 0) {
    return fmt::format("not the {} of the encoder and a multiple of tp*cp*pp = {}", by_dp.fixed,
                       by_dp.each);
  }
  return fmt::format("no multiple of tp*cp*pp{} = {}", training.encoder ? " + encoder.tp" : "",
                     by_dp.each);
}

}  // namespace zonecut
