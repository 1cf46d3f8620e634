#include <fmt/format.h>

#include <array>

#include "job/job_check.hpp"
#include "job/job_reader.hpp"

namespace zonecut {
namespace {

/// Members of all collectives together: as many as traffic may have.
constexpr std::size_t kMostMembers = std::size_t{1} << 26;

class ExplicitReader {
 public:
  ExplicitReader(Fields& top, std::int64_t ranks) : top_(top), ranks_(ranks) {}

  std::vector<ExplicitCollective> collectives(const Value& list) {
    std::vector<ExplicitCollective> result;
    if (!is_list(list, "collectives")) return result;
    for (const Value& item : list.items) result.push_back(collective(item, result.size()));
    return result;
  }

  std::vector<ExplicitTraffic::Entry> matrix(const Value& list) {
    std::vector<ExplicitTraffic::Entry> result;
    if (!is_list(list, "matrix")) return result;
    for (const Value& item : list.items) {
      if (const auto entry = matrix_entry(item)) result.push_back(*entry);
    }
    return result;
  }

 private:
  bool is_list(const Value& value, std::string_view name) {
    if (value.kind == Value::Kind::List) return true;
    top_.problems().add(top_.where(value), fmt::format("{} is no list", name));
    return false;
  }

  ExplicitCollective collective(const Value& item, std::size_t number) {
    constexpr std::array<std::string_view, 7> kKinds = {
        "all-reduce", "all-gather",   "reduce-scatter", "broadcast",
        "all-to-all", "send-receive", "pipeline"};
    Fields fields(top_.document(), item, top_.problems());
    ExplicitCollective c;
    c.name = fields.text("name", fmt::format("collective {}", number + 1));
    static_cast<void>(fields.require("kind"));
    c.kind = static_cast<Collective>(fields.choice("kind", kKinds, 0));
    if (c.kind == Collective::AllToAll) {
      if (fields.find("algorithm") != nullptr) c.all_to_all = read_all_to_all(fields, "algorithm");
    } else {
      c.algorithm = read_algorithm(fields, c.algorithm);
    }
    c.ring_order = read_ring_order(fields);
    if (const Value* members = fields.require("ranks")) {
      c.members =
          read_ranks(top_.document(), *members, ranks_, kMostMembers - members_, top_.problems());
      members_ += c.members.size();
    }
    static_cast<void>(fields.require("bytes"));
    c.bytes = fields.bytes("bytes", Bytes{});
    c.times = static_cast<int>(fields.integer("times", 1, 1, 1'000'000'000));
    fields.finish();
    return c;
  }

  /// [from, to, bytes]
  std::optional<ExplicitTraffic::Entry> matrix_entry(const Value& item) {
    const Document& document = top_.document();
    if (item.kind != Value::Kind::List || item.items.size() != 3) {
      top_.problems().add(document.where(item), "expected [from, to, bytes]");
      return std::nullopt;
    }
    const auto from = as_integer(document, item.items[0], 0, ranks_ - 1, top_.problems());
    const auto to = as_integer(document, item.items[1], 0, ranks_ - 1, top_.problems());
    const Value& size = item.items[2];
    const auto bytes =
        size.kind == Value::Kind::Scalar ? parse_bytes(size.scalar) : std::optional<Bytes>();
    if (!bytes) {
      top_.problems().add(document.where(size), "expected a size with its unit",
                          "such as 64MiB or 2GB");
    }
    if (!from || !to || !bytes) return std::nullopt;
    return ExplicitTraffic::Entry{RankId{static_cast<std::size_t>(*from)},
                                  RankId{static_cast<std::size_t>(*to)}, *bytes};
  }

  Fields& top_;
  std::int64_t ranks_;
  std::size_t members_ = 0;
};

}  // namespace

ExplicitTraffic read_explicit(const JobSource& source) {
  ExplicitTraffic traffic;
  static_cast<void>(source.top.require("gpus"));
  traffic.ranks = source.gpus.value_or(static_cast<int>(kMostRanks));
  ExplicitReader reader(source.top, traffic.ranks);
  const Value* collectives = source.top.find("collectives");
  const Value* matrix = source.top.find("matrix");
  if (collectives != nullptr) traffic.collectives = reader.collectives(*collectives);
  if (matrix != nullptr) traffic.matrix = reader.matrix(*matrix);
  if (collectives == nullptr && matrix == nullptr) {
    source.top.problems().add(source.top.where(), "neither collectives nor matrix is given");
  }
  return traffic;
}

}  // namespace zonecut
