#include "zonecut/partition/job_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>

#include "files/flat_text.hpp"
#include "job/job_places.hpp"
#include "job/job_presets.hpp"
#include "job/job_reader.hpp"
#include "zonecut/base/gather_document.hpp"

namespace zonecut {
namespace {

Value* find_entry(Value& mapping, std::string_view key) {
  for (Value::Entry& entry : mapping.entries) {
    if (entry.key == key) return &entry.value;
  }
  return nullptr;
}

JobFile from_text(std::string_view text, const std::string& where) {
  JobFile file{flat_document(text, where), {}};
  ProblemList problems;
  file.job = read_job(file.document, problems);
  return file;
}

/// A '/' within a value, as in "name=team/run,tp=8", makes no path.
bool looks_like_path(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (text == "-" || text.find('/') < equals) return true;
  return equals == std::string::npos &&
         (text.ends_with(".yaml") || text.ends_with(".yml") || text.ends_with(".json"));
}

InputError unknown_job(const std::string& text, const std::string& where, const char* what) {
  const std::vector<std::string> presets = job_preset_names();
  const auto near = nearest_word(text, presets);
  return {where, fmt::format("\"{}\" is {} and no text such as tp=8,pp=16", text, what),
          near ? fmt::format("did you mean {}?", *near)
               : fmt::format("presets: {}", fmt::join(presets, ", "))};
}

}  // namespace

Job parse_job_text(std::string_view text, const std::string& where) {
  ProblemList problems;
  return read_job(flat_document(text, where), problems);
}

const Value* JobFile::placement() const {
  for (const Value::Entry& entry : document.root.entries) {
    if (entry.key == "placement") return &entry.value;
  }
  return nullptr;
}

std::optional<std::string> JobFile::where(std::string_view field) const {
  if (field == "job") return document.where(document.root);
  const Value* value = find_in_job(document, field);
  return value == nullptr ? std::nullopt : std::optional(document.where(*value));
}

JobFile parse_job_file(std::string_view text, const std::string& source) {
  ProblemList problems;
  JobFile file{gather_document(text, source, problems), {}};
  const Value& root = file.document.root;
  if (problems.empty() && root.entries.empty() &&
      (root.kind == Value::Kind::Null || root.kind == Value::Kind::Mapping)) {
    throw InputError(source + ":1:1", "says nothing, expected a job",
                     "such as parallelism: {tp: 8, pp: 16}");
  }
  Value* parallelism = find_entry(file.document.root, "parallelism");
  if (parallelism != nullptr && parallelism->kind == Value::Kind::Scalar) {
    expand_flat_section(file.document, *parallelism, "parallelism", problems);
  }
  file.job = read_job(file.document, problems);
  return file;
}

JobFile parse_job_words(const std::string& text, const std::string& where) {
  if (text.find('=') != std::string::npos) return from_text(text, where);
  const auto preset = job_preset(text);
  if (!preset) throw unknown_job(text, where, "no preset");
  JobFile file = from_text(*preset, text);
  file.job.name = text;
  return file;
}

JobFile load_job(const std::string& file_or_text) {
  if (looks_like_path(file_or_text)) return parse_job_file(read_file(file_or_text), file_or_text);
  if (file_or_text.find('=') != std::string::npos || job_preset(file_or_text))
    return parse_job_words(file_or_text, "--job");
  std::error_code ignored;
  if (!std::filesystem::exists(file_or_text, ignored))
    throw unknown_job(file_or_text, "--job", "no file, no preset");
  return parse_job_file(read_file(file_or_text), file_or_text);
}

}  // namespace zonecut
