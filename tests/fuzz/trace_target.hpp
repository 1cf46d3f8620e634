#pragma once
// A trace is refused with InputError, or makes a job that reads back from its file. Two ranks give
// the same trace, so that members agree.
#include "fuzz_target.hpp"
#include "zonecut/base/error.hpp"
#include "zonecut/partition/job_file.hpp"
#include "zonecut/partition/job_write.hpp"
#include "zonecut/partition/trace_import.hpp"

namespace zonecut::fuzz {

inline void import_trace(TraceFormat format, std::string_view text, const std::string& source) {
  try {
    TraceOptions options;
    options.allow_missing = true;
    TraceImport import(format, options);
    import.add(text, source, 0);
    import.add(text, source, 1);
    const ImportedJob imported = std::move(import).finish();
    const auto& work = std::get<ExplicitTraffic>(imported.job.work);
    require(!work.collectives.empty());
    // What one file cannot hold is refused when it is read back, as the command does.
    if (work.collectives.size() > 1000) return;
    const Job again = parse_job_file(write_job(imported.job), "written").job;
    const auto& read = std::get<ExplicitTraffic>(again.work);
    require(read.ranks == work.ranks && read.collectives.size() == work.collectives.size());
    for (std::size_t i = 0; i < work.collectives.size(); ++i) {
      require(read.collectives[i].members == work.collectives[i].members);
      require(read.collectives[i].bytes == work.collectives[i].bytes);
      require(read.collectives[i].times == work.collectives[i].times);
      require(read.collectives[i].name == work.collectives[i].name);
    }
  } catch (const InputError& error) {
    require(!error.problems().empty() && !error.problems().front().what.empty());
    require(!error.problems().front().where.empty());
  }
}

}  // namespace zonecut::fuzz
