#include "importers/ib_dump.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "importers/source_text.hpp"
#include "zonecut/base/trim.hpp"

namespace zonecut::importers {
namespace {

/// A subnet addresses fewer than 50,000 ports; this leaves room for dumps put together from many.
constexpr std::size_t kMaxDevices = 2'000'000;

/// Reads a line from its beginning; a step that fails leaves it as it was.
class Cursor {
 public:
  explicit Cursor(std::string_view rest) : rest_(rest) {}

  bool take(std::string_view word) {
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  void skip_blanks() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t"), rest_.size()));
  }
  bool take_number() {
    const std::size_t digits = std::min(rest_.find_first_not_of("0123456789"), rest_.size());
    rest_.remove_prefix(digits);
    return digits > 0;
  }
  /// What stands between two signs.
  std::optional<std::string_view> take_between(char open, char close) {
    if (rest_.empty() || rest_.front() != open) return std::nullopt;
    const std::size_t end = rest_.find(close, 1);
    if (end == std::string_view::npos) return std::nullopt;
    const std::string_view inside = rest_.substr(1, end - 1);
    rest_.remove_prefix(end + 1);
    return inside;
  }
  void skip_to(char sign) { rest_.remove_prefix(std::min(rest_.find(sign), rest_.size())); }
  [[nodiscard]] std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
};

/// The description in quotes after the '#'. A name may hold quotes itself, so it ends at the last
/// one.
std::string_view description(std::string_view line) {
  const std::size_t hash = line.find('#');
  if (hash == std::string_view::npos) return {};
  const std::size_t open = line.find('"', hash);
  const std::size_t close = line.rfind('"');
  if (open == std::string_view::npos || close <= open) return {};
  return line.substr(open + 1, close - open - 1);
}

/// Switches of NVIDIA call themselves "MF0;name:model/U1"; the middle is what people call them.
std::string_view short_switch_name(std::string_view text) {
  if (const std::size_t end = text.find(';'); end != std::string_view::npos)
    text.remove_prefix(end + 1);
  const std::size_t colon = text.rfind(':');
  if (colon != std::string_view::npos && text.find('/', colon) != std::string_view::npos)
    text = text.substr(0, colon);
  return text;
}

/// "gpu7 mlx5_0" and "gpu7" name a server. Other numbers of words are a product's name, such as
/// "MT4129 ConnectX7   Mellanox Technologies", and localhost is everybody's.
std::string_view host_of(std::string_view text) {
  text = trimmed(text);
  const std::size_t end = std::min(text.find(' '), text.size());
  const std::string_view host = text.substr(0, end);
  const bool has_more = trimmed(text.substr(end)).find(' ') != std::string_view::npos;
  return has_more || host == "localhost" ? std::string_view{} : host;
}

class IbDumpParser {
 public:
  IbDumpParser(const std::string& source, ProblemList& problems)
      : source_(source), problems_(problems) {}

  void take(const Line& line) {
    line_ = &line;
    if (is_too_large_) return;
    if (dump_.switches.size() + dump_.adapters.size() > kMaxDevices) {
      is_too_large_ = true;
      return fail(fmt::format("found more than {} switches and adapters", kMaxDevices));
    }
    Cursor cursor(line.text);
    if (line.text.empty() || cursor.take("#") || is_attribute(line.text)) return;
    if (cursor.take("Switch")) {
      begin_switch(cursor);
    } else if (cursor.take("Ca") || cursor.take("Rt")) {
      begin_adapter(cursor);
    } else if (dump_.switches.empty() && dump_.adapters.empty()) {
      refuse_beginning();
    } else if (cursor.take("[")) {
      take_port(cursor);
    } else {
      fail("found a line that ibnetdiscover does not write");
    }
  }

  IbDump dump() && {
    for (const auto& [guid, index] : switch_by_guid_) {
      if (described_[index]) continue;
      undescribed_.push_back(index);
    }
    std::sort(undescribed_.begin(), undescribed_.end());
    for (const std::size_t index : undescribed_) {
      problems_.add(dump_.switches[index].where,
                    fmt::format("there is a cable to switch {}, but the dump does not describe it",
                                dump_.switches[index].name),
                    "is the dump complete?");
    }
    make_names_unique();
    return std::move(dump_);
  }

 private:
  static bool is_attribute(std::string_view text) {
    constexpr std::array<std::string_view, 10> kWords = {
        "vendid=", "devid=",  "sysimgguid=", "switchguid=", "caguid=",
        "rtguid=", "Chassis", "Hostname:",   "DR path",     "hops "};
    return std::any_of(kWords.begin(), kWords.end(),
                       [&](std::string_view word) { return text.starts_with(word); });
  }

  void fail(std::string what) {
    problems_.add(position(source_, line_->number, 1), std::move(what));
  }

  /// A file of another kind may hold nothing else: its first such line stands for all of them.
  void refuse_beginning() {
    if (std::exchange(is_beginning_refused_, true)) return;
    problems_.add(position(source_, line_->number, 1),
                  "expected a Switch, Ca or Rt, as ibnetdiscover writes them",
                  "is this the output of ibnetdiscover?");
  }

  /// The rest of `Switch 65 "S-2c5e…" # "name" …`: the GUID with its letter.
  std::optional<std::string_view> header_guid(Cursor& cursor) {
    cursor.skip_blanks();
    if (cursor.take_number()) {
      cursor.skip_blanks();
      if (const auto guid = cursor.take_between('"', '"'); guid && guid->size() > 2) return guid;
    }
    fail("expected a number of ports and a GUID in quotes");
    is_beginning_refused_ = true;  // the ports that follow are this one's
    return std::nullopt;
  }

  void begin_switch(Cursor& cursor) {
    current_.reset();
    const auto guid = header_guid(cursor);
    if (!guid) return;
    const std::size_t index = switch_of(*guid);
    if (described_[index]) {
      fail(fmt::format("switch {} is described twice, first at {}", *guid,
                       dump_.switches[index].where));
      return;
    }
    described_[index] = true;
    current_ = index;
    dump_.switches[index].where = position(source_, line_->number, 1);
    const std::string_view name = short_switch_name(description(line_->text));
    if (!name.empty()) dump_.switches[index].name = name;
  }

  void begin_adapter(Cursor& cursor) {
    current_.reset();
    if (const auto guid = header_guid(cursor)) describe_adapter(adapter_of(*guid));
  }

  void describe_adapter(std::size_t index) {
    const std::string_view text = description(line_->text);
    IbAdapter& adapter = dump_.adapters[index];
    adapter.host = host_of(text);
    adapter.is_server = text.find("Aggregation Node") == std::string_view::npos;
  }

  /// `[1](guid) "S-…"[5] # …` or, in a switch, `[1] "H-…"[1](guid) # "name" lid 647 4xNDR`. Cables
  /// are taken from the switches only: each has one at an end that counts.
  void take_port(Cursor& cursor) {
    if (!cursor.take_number() || !cursor.take("]")) return fail("expected a port as in \"[12]\"");
    if (cursor.take("[ext ")) cursor.skip_to('\t');
    (void)cursor.take_between('(', ')');
    cursor.skip_blanks();
    const auto peer = cursor.take_between('"', '"');
    if (!peer || peer->size() <= 2 || (*peer)[1] != '-')
      return fail("expected the GUID of the other end in quotes");
    if ((*peer)[0] == 'S') {
      const std::size_t index = switch_of(*peer);
      if (current_) add_cable({true, index, rate()});
    } else if ((*peer)[0] == 'H' && current_) {
      const bool is_new = !adapter_by_guid_.contains(std::string(*peer));
      const std::size_t index = adapter_of(*peer);
      if (is_new) describe_adapter(index);
      add_cable({false, index, rate()});
    }
  }

  void add_cable(IbCable cable) { dump_.switches[*current_].cables.push_back(cable); }

  [[nodiscard]] std::optional<BytesPerSecond> rate() const {
    // "… lid 647 4xNDR", and with --full "… 4xNDR s=16 w=2 v=4".
    std::string_view rest =
        line_->text.substr(std::min(line_->text.rfind('"'), line_->text.size()));
    while (!rest.empty()) {
      rest = trimmed(rest);
      const std::size_t end = std::min(rest.find_first_of(" \t"), rest.size());
      if (const auto found = ib_rate(rest.substr(0, end))) return found;
      rest.remove_prefix(end);
    }
    return std::nullopt;
  }

  std::size_t switch_of(std::string_view guid) {
    const auto [entry, is_new] =
        switch_by_guid_.try_emplace(std::string(guid), dump_.switches.size());
    if (is_new) {
      dump_.switches.push_back({std::string(guid), position(source_, line_->number, 1), {}});
      described_.push_back(false);
    }
    return entry->second;
  }

  std::size_t adapter_of(std::string_view guid) {
    const auto [entry, is_new] =
        adapter_by_guid_.try_emplace(std::string(guid), dump_.adapters.size());
    if (is_new) dump_.adapters.push_back({{}, position(source_, line_->number, 1), true});
    return entry->second;
  }

  /// Unmanaged switches all have their product's name; the GUID tells them apart.
  void make_names_unique() {
    std::vector<const std::string*> guids(dump_.switches.size());
    for (const auto& [guid, index] : switch_by_guid_) guids[index] = &guid;
    std::unordered_map<std::string, int> uses;
    for (const IbSwitch& each : dump_.switches) ++uses[each.name];
    for (std::size_t i = 0; i < dump_.switches.size(); ++i) {
      std::string& name = dump_.switches[i].name;
      if (uses.at(name) > 1) name = *guids[i];
      std::replace(name.begin(), name.end(), '/', '-');
    }
  }

  const std::string& source_;
  ProblemList& problems_;
  const Line* line_ = nullptr;
  bool is_too_large_ = false;
  bool is_beginning_refused_ = false;  ///< what stands before any switch or adapter
  IbDump dump_;
  std::vector<bool> described_;
  std::vector<std::size_t> undescribed_;
  std::optional<std::size_t> current_;  ///< the switch whose ports follow
  std::unordered_map<std::string, std::size_t> switch_by_guid_;
  std::unordered_map<std::string, std::size_t> adapter_by_guid_;
};

struct LaneSpeed {
  std::string_view name;
  std::int64_t megabits;  ///< data of one lane and direction
};

constexpr std::array kLaneSpeeds = {
    LaneSpeed{"SDR", 2'000},    LaneSpeed{"DDR", 4'000},   LaneSpeed{"QDR", 8'000},
    LaneSpeed{"FDR10", 10'000}, LaneSpeed{"FDR", 13'640},  LaneSpeed{"EDR", 25'000},
    LaneSpeed{"HDR", 50'000},   LaneSpeed{"NDR", 100'000}, LaneSpeed{"XDR", 200'000},
};

}  // namespace

std::optional<BytesPerSecond> ib_rate(std::string_view text) {
  int lanes = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), lanes);
  if (error != std::errc{} || lanes < 1 || lanes > 12) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  if (!text.starts_with('x')) return std::nullopt;
  text.remove_prefix(1);
  for (const LaneSpeed& speed : kLaneSpeeds) {
    if (speed.name == text) return BytesPerSecond{speed.megabits * 125'000 * lanes};
  }
  return std::nullopt;
}

IbDump parse_ib_dump(std::string_view text, const std::string& source, ProblemList& problems) {
  IbDumpParser parser(source, problems);
  Lines lines(text);
  for (Line line; lines.next(line);) parser.take(line);
  return std::move(parser).dump();
}

}  // namespace zonecut::importers
