#include "zonecut/scheduler/work_table.hpp"

#include <fmt/format.h>

#include "trace/trace_readers.hpp"
#include "zonecut/base/document.hpp"
#include "zonecut/partition/job_file.hpp"
#include "zonecut/partition/job_size.hpp"

namespace zonecut {
namespace {

constexpr std::size_t kMostEntries = 1'000;

// Micro-batches enough for some million tokens an iteration, and gradients of which half the time
// hides behind the backward pass.
constexpr std::string_view kUsual = R"(format: work/v1
work:
  - {gpus: 1024-, job: "model=llama3-405b,tp=8,pp=16,vpp=7,micro_batches=32,overlap.dp=0.5"}
  - {gpus: 64-, job: "model=llama3-70b,tp=8,pp=4,vpp=5,micro_batches=32,overlap.dp=0.5"}
  - {gpus: 16-, job: "model=llama3-8b,tp=8,micro_batches=32,overlap.dp=0.5"}
  - {gpus: 1-, job: "model=llama3-8b,tp=1,micro_batches=4,overlap.dp=0.5"}
)";

struct Range {
  std::int64_t least;
  std::int64_t most;
};

/// "64", "16-63" or "64-".
std::optional<Range> parse_range(std::string_view text) {
  const std::size_t dash = text.find('-');
  const auto least = parse_count(text.substr(0, dash), kMostGpusOfJob);
  if (!least || *least == 0) return std::nullopt;
  if (dash == std::string_view::npos) return Range{*least, *least};
  const std::string_view end = text.substr(dash + 1);
  if (end.empty()) return Range{*least, kMostGpusOfJob};
  const auto most = parse_count(end, kMostGpusOfJob);
  if (!most || *most < *least) return std::nullopt;
  return Range{*least, *most};
}

/// Why a text is none for a table; empty where it is one.
std::string wrong_with(const std::string& text, const std::string& where) {
  try {
    const JobFile file = parse_job_words(text, where);
    if (!std::holds_alternative<Training>(file.job.work)) return "found no training job";
    if (says_its_size(file)) return "found dp or gpus, but the trace says the size";
    return {};
  } catch (const InputError& error) {
    return error.problems().front().what;
  }
}

}  // namespace

WorkTable WorkTable::parse(std::string_view text, const std::string& source) {
  const Document document = parse_document(text, source);
  ProblemList problems;
  WorkTable table;
  table.source_ = source;
  Fields fields(document, document.root, problems);
  fields.refuse_other_format("work/v1");
  const Value* list = fields.require("work");
  fields.finish();
  if (list != nullptr && list->kind != Value::Kind::List) {
    problems.add(document.where(*list), "expected a list of entries such as {gpus: 16-63, job: …}");
  } else if (list != nullptr && list->items.size() > kMostEntries) {
    problems.add(document.where(*list), fmt::format("found {} entries, expected at most {}",
                                                    list->items.size(), kMostEntries));
  } else if (list != nullptr) {
    for (const Value& item : list->items) {
      Fields entry(document, item, problems);
      const std::string gpus = entry.required_text("gpus");
      const std::string job = entry.required_text("job");
      entry.finish();
      if (gpus.empty() || job.empty()) continue;
      const auto range = parse_range(gpus);
      if (!range) {
        problems.add(entry.where(),
                     fmt::format("gpus: found \"{}\", expected 64, 16-63 or 64-", gpus));
        continue;
      }
      if (const std::string wrong = wrong_with(job, entry.where()); !wrong.empty()) {
        problems.add(entry.where(), "job: " + wrong, "such as model=llama3-70b,tp=8,pp=4");
        continue;
      }
      table.entries_.push_back({range->least, range->most, job, entry.where()});
    }
    if (list->items.empty()) problems.add(document.where(*list), "found no entry");
  }
  problems.throw_if_any();
  return table;
}

std::string_view WorkTable::usual_text() { return kUsual; }

const WorkTable& WorkTable::usual() {
  static const WorkTable table = parse(kUsual, "usual work");
  return table;
}

Job WorkTable::job_of(std::int64_t gpus) const {
  std::string reason = "no range holds them";
  for (const Entry& entry : entries_) {
    if (gpus < entry.least || gpus > entry.most) continue;
    try {
      return parse_job_words(fmt::format("{},gpus={}", entry.text, gpus), entry.where).job;
    } catch (const InputError& error) {
      reason = fmt::format("{}: {}", entry.where, error.problems().front().what);
    }
  }
  throw InputError(source_, fmt::format("no entry fits jobs of {} GPUs: {}", gpus, reason),
                   "add an entry for them");
}

}  // namespace zonecut
