#pragma once
// What jobs send of which a trace says only the size: ranges of GPU counts, and for each a job's
// text without its size (docs/formats/arrivals.md).
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "zonecut/partition/job.hpp"

namespace zonecut {

class WorkTable {
 public:
  /// Throws InputError with every mistake of the file.
  [[nodiscard]] static WorkTable parse(std::string_view text, const std::string& source);
  /// Dense models of a usual size for so many GPUs; text() shows them. Fits every size.
  [[nodiscard]] static const WorkTable& usual();
  /// The file that usual() is made from.
  [[nodiscard]] static std::string_view usual_text();

  /// The first entry whose range holds so many GPUs and whose parallelism divides them, with data
  /// parallelism for the rest. Throws InputError where there is none.
  [[nodiscard]] Job job_of(std::int64_t gpus) const;

 private:
  struct Entry {
    std::int64_t least = 1;
    std::int64_t most = 0;
    std::string text;
    std::string where;
  };
  std::string source_;
  std::vector<Entry> entries_;
};

}  // namespace zonecut
