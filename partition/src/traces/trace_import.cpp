#include "zonecut/partition/trace_import.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <set>

#include "traces/json_records.hpp"
#include "traces/pytorch_groups.hpp"
#include "traces/trace_merge.hpp"
#include "zonecut/base/text_check.hpp"

namespace zonecut {
namespace {

constexpr std::array kFormats = {TraceFormat::Chakra, TraceFormat::PytorchEt, TraceFormat::Param};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// The object at the top as it is, repeated keys refused.
nlohmann::json parse_small(std::string_view text, const std::string& source) {
  std::set<std::string> keys;
  const auto check = [&](int depth, nlohmann::json::parse_event_t event, nlohmann::json& value) {
    const bool nested = event == nlohmann::json::parse_event_t::object_start && depth > 0;
    if (nested || depth > 2) throw InputError(source, "is nested too deep");
    if (event == nlohmann::json::parse_event_t::key &&
        !keys.insert(value.get<std::string>()).second) {
      throw InputError(source, fmt::format("the key \"{}\" is given twice",
                                           excerpt(value.get_ref<const std::string&>())));
    }
    return true;
  };
  try {
    return nlohmann::json::parse(text.begin(), text.end(), check);
  } catch (const nlohmann::json::exception& error) {
    throw InputError(source, fmt::format("cannot be read as JSON: {}", excerpt(error.what())));
  }
}

}  // namespace

std::string_view trace_format_name(TraceFormat format) {
  constexpr std::array<std::string_view, 3> kNames = {"chakra", "pytorch-et", "param"};
  return kNames[static_cast<std::size_t>(format)];
}

std::span<const TraceFormat> trace_formats() { return kFormats; }

std::optional<TraceFormat> find_trace_format(std::string_view name) {
  for (const TraceFormat format : kFormats) {
    if (trace_format_name(format) == name) return format;
  }
  return std::nullopt;
}

std::optional<std::size_t> rank_in_name(std::string_view path) {
  std::string_view name = path.substr(path.rfind('/') + 1);
  name = name.substr(0, std::min(name.size(), name.rfind('.')));
  std::size_t digits = 0;
  while (digits < name.size() && is_digit(name[name.size() - 1 - digits])) ++digits;
  const std::string_view number = name.substr(name.size() - digits);
  std::size_t rank = 0;
  const auto [stop, error] = std::from_chars(number.data(), number.data() + number.size(), rank);
  if (number.empty() || error != std::errc{} || stop != number.data() + number.size())
    return std::nullopt;
  return rank;
}

TraceGroups parse_trace_groups(std::string_view text, const std::string& source) {
  const nlohmann::json object = parse_small(text, source);
  if (!object.is_object()) {
    throw InputError(source, "is no object", "such as {\"0\": [0, 1, 2, 3]}");
  }
  TraceGroups groups;
  for (const auto& [name, list] : object.items()) {
    std::vector<RankId>& members = groups[name];
    const std::string where = fmt::format("{}#/{}", source, excerpt(name));
    for (const std::uint32_t rank : traces::read_members(list, where)) members.emplace_back(rank);
  }
  return groups;
}

struct TraceImport::Impl {
  TraceFormat format;
  TraceGroups groups;
  traces::TraceMerge merge;

  [[nodiscard]] traces::RankTrace read(std::string_view text, const std::string& source,
                                       std::size_t rank) const {
    for (const std::string_view magic : {"\x1F\x8B",
                                         "\xFD"
                                         "7zXZ",
                                         "BZh", "\x28\xB5\x2F\xFD"}) {
      if (text.starts_with(magic)) {
        throw InputError(source, "is compressed", "unpack it first, with gzip, xz, bzip2 or zstd");
      }
    }
    switch (format) {
      case TraceFormat::Chakra:
        return source.ends_with(".json") ? traces::read_chakra_json(text, source, rank, groups)
                                         : traces::read_chakra(text, source, rank, groups);
      case TraceFormat::PytorchEt:
        return traces::read_pytorch(text, source, rank, groups);
      case TraceFormat::Param:
        return traces::read_param(text, source, rank, groups);
    }
    return {};
  }
};

TraceImport::TraceImport(TraceFormat format, TraceOptions options)
    : impl_(std::make_unique<Impl>(
          Impl{format, options.groups, traces::TraceMerge(std::move(options))})) {}
TraceImport::TraceImport(TraceImport&&) noexcept = default;
TraceImport& TraceImport::operator=(TraceImport&&) noexcept = default;
TraceImport::~TraceImport() = default;

void TraceImport::add(std::string_view text, const std::string& source, std::size_t rank) {
  impl_->merge.add(impl_->read(text, source, rank));
}

ImportedJob TraceImport::finish() && { return impl_->merge.finish(); }

}  // namespace zonecut
