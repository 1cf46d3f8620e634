#pragma once
// This srun's command line, for what has to be known before srun has read it itself. Options may be
// shortened, and it is not certain where the program's own words begin: so it is said what may be
// there, rather too much than too little.
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace zonecut::slurm {

/// The words this process was started with, its own name first; of the first MiB of them.
[[nodiscard]] std::vector<std::string> command_line();

/// Whether a word of this process's command line contains `text`, the program's words included.
[[nodiscard]] bool command_line_mentions(const std::string& text);

/// Whether one of srun's words may be an option about servers, tasks or their layout.
[[nodiscard]] bool may_say_layout(std::span<const std::string> words);

/// Whether one of srun's words may be `option` ("zonecut"), a shortened one ("--zone"), or one that
/// begins like it ("--zonecut-job").
[[nodiscard]] bool may_give(std::span<const std::string> words, std::string_view option);

}  // namespace zonecut::slurm
