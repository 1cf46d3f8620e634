#include "importers/slurm_node_records.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "importers/outline.hpp"
#include "importers/source_text.hpp"
#include "zonecut/base/gres.hpp"
#include "zonecut/base/trim.hpp"

namespace zonecut::importers {
namespace {

constexpr std::string_view kBegin = "NodeName=";

/// What is read of a record; all other keys are passed over.
enum Key : std::size_t { State, Gres, GresUsed, CfgTres, AllocTres, CpuAlloc, Topology, KeyCount };
constexpr std::array<std::string_view, KeyCount> kKeys = {
    "State", "Gres", "GresUsed", "CfgTRES", "AllocTRES", "CPUAlloc", "Topology"};
/// Their values have blanks and whatever else somebody wrote.
constexpr std::array<std::string_view, 4> kFreeTexts = {"OS", "Comment", "Extra", "Reason"};

/// States that a node is in, and flags that may follow. Others are not guessed at.
constexpr std::array<std::string_view, 3> kUp = {"IDLE", "ALLOCATED", "MIXED"};
constexpr std::array<std::string_view, 4> kDown = {"DOWN", "ERROR", "FUTURE", "UNKNOWN"};
constexpr std::array<std::string_view, 11> kTakesNothing = {
    "DRAIN",          "DRAINED",     "DRAINING", "FAIL",        "FAILING", "MAINT",
    "NOT_RESPONDING", "MAINTENANCE", "INVAL",    "INVALID_REG", "BLOCKED"};
constexpr std::array<std::string_view, 21> kNoMatter = {"CLOUD",
                                                        "COMPLETING",
                                                        "DYNAMIC_NORM",
                                                        "DYNAMIC_FUTURE",
                                                        "PLANNED",
                                                        "RESERVED",
                                                        "RES",
                                                        "RESUME",
                                                        "UNDRAIN",
                                                        "POWER_DOWN",
                                                        "POWER_DRAIN",
                                                        "POWER_UP",
                                                        "POWERED_DOWN",
                                                        "POWERING_DOWN",
                                                        "POWERING_UP",
                                                        "REBOOT_CANCEL",
                                                        "REBOOT_REQUESTED",
                                                        "REBOOT_ISSUED",
                                                        "EXTERNAL",
                                                        "NET",
                                                        "PERFCTRS"};

template <std::size_t n>
bool contains(const std::array<std::string_view, n>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

struct Field {
  std::string_view value;
  std::size_t column = 0;
};

/// The fields of one record, as they stand in the text.
struct Fields {
  std::string_view name;
  int line = 0;
  std::array<std::optional<Field>, KeyCount> of;
  std::array<int, KeyCount> lines{};

  [[nodiscard]] std::string_view text(Key key) const {
    const std::string_view value = of[key] ? of[key]->value : std::string_view();
    return value == "(null)" || value == "N/A" ? std::string_view() : value;
  }
};

/// The number behind "gres/gpu=" in "cpu=64,gres/gpu=8,gres/gpu:a100=8"; none where it is not
/// there.
std::optional<int> tracked_gpus(std::string_view resources) {
  while (!resources.empty()) {
    const std::string_view entry = resources.substr(0, resources.find(','));
    resources.remove_prefix(std::min(resources.size(), entry.size() + 1));
    constexpr std::string_view kGpus = "gres/gpu=";
    if (!entry.starts_with(kGpus)) continue;
    int count = 0;
    const char* const end = entry.data() + entry.size();
    const auto [stop, error] = std::from_chars(entry.data() + kGpus.size(), end, count);
    if (error == std::errc{} && stop == end && count >= 0 && count <= 1024) return count;
  }
  return std::nullopt;
}

class RecordReader {
 public:
  RecordReader(const std::string& source, ProblemList& problems)
      : source_(source), problems_(problems) {}

  void take(const Line& line) {
    const bool begins = line.text.starts_with(kBegin);
    if (trimmed(line.text).empty()) return;
    if (!begins && (fields_.line == 0 || !line.text.starts_with(' '))) {
      problems_.add(position(source_, line.number, 1),
                    fields_.line == 0 ? "expected \"NodeName=\", as scontrol show node prints it"
                                      : "expected \"NodeName=\" or an indented line of a node");
      return;
    }
    if (begins) finish();
    take_words(line, begins);
  }

  std::vector<SlurmNodeRecord> records() && {
    finish();
    return std::move(records_);
  }

 private:
  /// Words "Key=value" with blanks between; what is no such word belongs to the value before it.
  void take_words(const Line& line, bool begins) {
    std::size_t at = 0;
    bool first = true;
    while (true) {
      at = line.text.find_first_not_of(" \t", at);
      if (at == std::string_view::npos) return;
      const std::size_t end = std::min(line.text.find_first_of(" \t", at), line.text.size());
      const std::string_view word = line.text.substr(at, end - at);
      const std::size_t equals = std::min(word.find('='), word.size());
      const std::string_view key = word.substr(0, equals);
      if (begins && first) {
        fields_.name = word.substr(kBegin.size());
        fields_.line = line.number;
      } else if (first && contains(kFreeTexts, key)) {
        return;  // has its line for itself
      } else if (equals < word.size()) {
        const auto known = std::find(kKeys.begin(), kKeys.end(), key);
        const auto index = static_cast<std::size_t>(known - kKeys.begin());
        if (known != kKeys.end() && !fields_.of[index]) {
          fields_.of[index] = Field{word.substr(equals + 1), at + equals + 2};
          fields_.lines[index] = line.number;
        }
      }
      first = false;
      at = end;
    }
  }

  void finish() {
    if (fields_.line == 0) return;
    if (records_.size() == kMaxServers) {
      problems_.add(position(source_, fields_.line, 1),
                    fmt::format("found more than {} nodes", kMaxServers));
      problems_.throw_if_any();
    }
    SlurmNodeRecord record;
    record.name = fields_.name;
    record.where = position(source_, fields_.line, 1);
    if (!fields_.of[State])
      problems_.add(record.where, fmt::format("node {} has no State", shown(fields_.name)));
    read_state(record);
    read_gpus(record);
    record.topology = fields_.text(Topology);
    records_.push_back(std::move(record));
    fields_ = {};
  }

  [[nodiscard]] std::string where(Key key) const {
    return position(source_, fields_.lines[key], fields_.of[key]->column);
  }

  /// "MIXED+DRAIN+CLOUD"; signs behind the first word are flags of older versions.
  void read_state(SlurmNodeRecord& record) {
    std::string_view rest = fields_.text(State);
    if (rest.empty()) return;
    const std::string_view whole = rest;
    for (bool first = true; !rest.empty() || first; first = false) {
      std::string_view word = rest.substr(0, rest.find('+'));
      rest.remove_prefix(std::min(rest.size(), word.size() + 1));
      const std::size_t signs = std::min(word.find_last_not_of("*~#!%$@^-") + 1, word.size());
      const bool silent = word.substr(signs).find('*') != std::string_view::npos;
      const bool held_back = word.substr(signs).find('$') != std::string_view::npos;
      word = word.substr(0, signs);
      if (contains(kDown, word)) {
        record.health = ServerHealth::Down;
      } else if (contains(kTakesNothing, word)) {
        lower(record);
      } else if (!contains(kUp, word) && (first || !contains(kNoMatter, word))) {
        problems_.add(where(State),
                      fmt::format("found the state \"{}\", expected {}", shown(whole),
                                  first ? "IDLE, MIXED, ALLOCATED, DOWN or another of Slurm's"
                                        : "flags of Slurm's behind it, such as DRAIN"),
                      fmt::format("\"{}\" is not known", shown(word)));
        return;
      }
      if (silent || held_back) lower(record);
      if (first) runs_ = word == "ALLOCATED" || word == "MIXED";
      if (word == "COMPLETING") runs_ = true;
    }
  }

  static void lower(SlurmNodeRecord& record) {
    if (record.health == ServerHealth::Up) record.health = ServerHealth::Drained;
  }

  void read_gpus(SlurmNodeRecord& record) {
    const std::string_view gres = fields_.text(Gres);
    const std::optional<int> tracked = tracked_gpus(fields_.text(CfgTres));
    record.gpus = gres.empty() ? tracked.value_or(0) : gres_gpu_count(gres);
    if (fields_.of[GresUsed] && record.gpus > 0) {
      record.held = gres_gpu_indices(fields_.text(GresUsed));
      if (!record.held.empty() && record.held.back() >= record.gpus) {
        problems_.add(where(GresUsed), fmt::format("GPU {} is in use, but there are {}",
                                                   record.held.back(), record.gpus));
      }
    } else if (tracked) {
      const int used = tracked_gpus(fields_.text(AllocTres)).value_or(0);
      for (int i = 0; i < std::min(used, record.gpus); ++i) record.held.push_back(i);
    } else {
      const std::string_view cpus = fields_.text(CpuAlloc);
      record.held_whole = runs_ || (!cpus.empty() && cpus != "0");
    }
    runs_ = false;
  }

  const std::string& source_;
  ProblemList& problems_;
  Fields fields_;
  bool runs_ = false;  // by its state
  std::vector<SlurmNodeRecord> records_;
};

}  // namespace

std::vector<SlurmNodeRecord> slurm_node_records(std::string_view text, const std::string& source,
                                                ProblemList& problems) {
  RecordReader reader(source, problems);
  Lines lines(checked_text(text, source));
  for (Line line; lines.next(line);) reader.take(line);
  return std::move(reader).records();
}

}  // namespace zonecut::importers
