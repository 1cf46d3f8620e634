#pragma once
// The file "job/v1" (docs/formats/job.md). Its section `placement` belongs to the scheduler and is
// handed on unread.
#include <optional>
#include <string>
#include <string_view>

#include "zonecut/base/document.hpp"
#include "zonecut/partition/job.hpp"

namespace zonecut {

struct JobFile {
  Document document;
  Job job;
  /// The value of `placement`, within `document`; null when absent.
  [[nodiscard]] const Value* placement() const;
  /// Where a field stands, such as "tp", "collectives[3].ranks" or "placement.slices.zone":
  /// "file:line:column", or as much of it as there is. "job" is the whole file. None where the file
  /// says nothing of it.
  [[nodiscard]] std::optional<std::string> where(std::string_view field) const;
};

/// Throws InputError with every mistake of the file; a file without any key is one, for it is what
/// lost input looks like.
[[nodiscard]] JobFile parse_job_file(std::string_view text, const std::string& source);
/// A path to a job file, a preset's name, or flat text with '=' in it. Text from a stranger belongs
/// in parse_job_words, since this opens files.
[[nodiscard]] JobFile load_job(const std::string& file_or_text);
/// A preset's name or flat text; opens no file.
[[nodiscard]] JobFile parse_job_words(const std::string& text, const std::string& where);

}  // namespace zonecut
