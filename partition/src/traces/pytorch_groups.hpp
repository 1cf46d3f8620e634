#pragma once
// Process groups as PyTorch describes them in the record "## process_group:init ##".
#include "traces/json_records.hpp"
#include "traces/trace_record.hpp"

namespace zonecut::traces {

/// Whether a record of this name describes the groups.
[[nodiscard]] bool describes_groups(std::string_view name);

/// Reads the description, itself a JSON text: pg_name, pg_desc, ranks (none: all), group_size. A
/// group is known by its name and, as older versions have it, by the number of its backend. Throws
/// InputError at `where`.
void read_group_description(std::string_view text, const std::string& where, RankTrace& trace,
                            KnownGroups& groups);

/// Adds the groups that the options name. They go before others: call it last.
void add_groups(const TraceGroups& given, KnownGroups& groups);

/// The group as the trace holds it.
[[nodiscard]] TraceGroup as_trace_group(const KnownGroups::Known& known);

/// Members listed in a trace. Throws InputError at `where` on what is no list of different ranks.
[[nodiscard]] std::vector<std::uint32_t> read_members(const Json& list, const std::string& where);

}  // namespace zonecut::traces
