#include "zonecut/partition/job_write.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

#include "zonecut/base/error.hpp"

namespace zonecut {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/// Plain where YAML reads nothing else into it, in double quotes otherwise.
std::string yaml_text(std::string_view text) {
  constexpr std::array<std::string_view, 14> kTakenWords = {
      "null",  "Null",  "NULL", "true", "True", "TRUE", "false",
      "False", "FALSE", "yes",  "no",   "on",   "y",    "n"};
  const bool plain =
      !text.empty() && is_letter(text.front()) &&
      std::find(kTakenWords.begin(), kTakenWords.end(), text) == kTakenWords.end() &&
      std::all_of(text.begin(), text.end(), [](char c) {
        return is_letter(c) || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
      });
  if (plain) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (code < 0x20 || code == 0x7F) {
      throw InputError("name", fmt::format("the control character 0x{:02X} cannot be written to a "
                                           "file",
                                           code));
    }
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + '"';
}

/// Members from `begin` on that rise by one step; at least one.
std::size_t run_length(std::span<const RankId> members) {
  if (members.size() < 2 || members[1] <= members[0]) return 1;
  const std::size_t step = members[1].index() - members[0].index();
  std::size_t length = 2;
  while (length < members.size() && members[length] > members[length - 1] &&
         members[length].index() - members[length - 1].index() == step) {
    ++length;
  }
  return length == 2 && step > 1 ? 1 : length;
}

/// "0-7", "0-56:8", "3,0-2": in the order of the members.
std::string ranks_text(std::span<const RankId> members) {
  std::string text;
  while (!members.empty()) {
    const std::size_t length = run_length(members);
    const std::size_t first = members.front().index();
    const std::size_t last = members[length - 1].index();
    text += fmt::format("{}{}", text.empty() ? "" : ",", first);
    if (length > 1) {
      const std::size_t step = (last - first) / (length - 1);
      text += fmt::format("-{}{}", last, step > 1 ? fmt::format(":{}", step) : "");
    }
    members = members.subspan(length);
  }
  return text;
}

std::string_view algorithm_name(CollectiveAlgorithm algorithm) {
  constexpr std::array<std::string_view, 4> kNames = {"ring", "tree", "hierarchical", "auto"};
  return kNames[static_cast<std::size_t>(algorithm)];
}

std::string_view all_to_all_name(AllToAllAlgorithm algorithm) {
  return algorithm == AllToAllAlgorithm::Linear ? "linear" : "pairwise";
}

void write_collective(const ExplicitCollective& c, std::string& text) {
  auto out = std::back_inserter(text);
  fmt::format_to(out, "  - {{name: {}, kind: {}", yaml_text(c.name), collective_name(c.kind));
  if (c.kind == Collective::AllToAll) {
    if (c.all_to_all) fmt::format_to(out, ", algorithm: {}", all_to_all_name(*c.all_to_all));
  } else if (c.algorithm != CollectiveAlgorithm::Ring) {
    fmt::format_to(out, ", algorithm: {}", algorithm_name(c.algorithm));
  }
  if (c.ring_order == RingOrder::Any) fmt::format_to(out, ", ring_order: any");
  fmt::format_to(out, ", ranks: \"{}\", bytes: {}", ranks_text(c.members), to_exact_text(c.bytes));
  if (c.times != 1) fmt::format_to(out, ", times: {}", c.times);
  text += "}\n";
}

}  // namespace

std::string_view collective_name(Collective kind) {
  constexpr std::array<std::string_view, 7> kNames = {"all-reduce", "all-gather", "reduce-scatter",
                                                      "broadcast",  "all-to-all", "send-receive",
                                                      "pipeline"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::string write_job(const Job& job) {
  const auto* work = std::get_if<ExplicitTraffic>(&job.work);
  ZONECUT_ENSURES(work != nullptr);
  std::string text =
      fmt::format("format: job/v1\nname: {}\ngpus: {}\n", yaml_text(job.name), work->ranks);
  auto out = std::back_inserter(text);
  if (job.ranks_per_server) fmt::format_to(out, "ranks_per_server: {}\n", *job.ranks_per_server);
  if (job.all_to_all != AllToAllAlgorithm::Linear)
    fmt::format_to(out, "all_to_all: {}\n", all_to_all_name(job.all_to_all));
  if (!job.overlap.empty()) text += "overlap:\n";
  for (const auto& [phase, share] : job.overlap)
    fmt::format_to(out, "  {}: {}\n", yaml_text(phase), share);
  if (!work->collectives.empty() || work->matrix.empty())
    text += work->collectives.empty() ? "collectives: []\n" : "collectives:\n";
  for (const ExplicitCollective& c : work->collectives) write_collective(c, text);
  if (!work->matrix.empty()) text += "matrix:\n";
  for (const ExplicitTraffic::Entry& entry : work->matrix) {
    fmt::format_to(out, "  - [{}, {}, {}]\n", entry.from.index(), entry.to.index(),
                   to_exact_text(entry.bytes));
  }
  return text;
}

}  // namespace zonecut
