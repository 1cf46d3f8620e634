#pragma once
// Whether a server's name or address stands where tasks may read it. What is not found here, such
// as an address in a file, is not known to anybody.
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace zonecut::slurm {

/// Whether `text` has `word` in it, next to which stands no letter or digit: n01 is in
/// "tcp://n01:29500" and in "n01.example.org", but not in "n010".
[[nodiscard]] bool mentions(std::string_view text, std::string_view word);

/// The first variable of `environment`, which ends with a null, whose value mentions one of
/// `words`; empty: none does. MASTER_ADDR is not looked at, nor are those in which Slurm says where
/// a job runs, whatever the user does.
[[nodiscard]] std::string variable_that_mentions(char* const* environment,
                                                 std::span<const std::string> words);

/// Whether tasks have srun's own value of a variable, by what --export says: a list in which "ALL"
/// or the variable's name stands, and no value for it. Empty is ALL. What stands in quotes, which
/// may hold anything, is taken for another value.
[[nodiscard]] bool exports(std::string_view list, std::string_view variable);

/// The addresses of a server: those its name has, and those of this host's interfaces where
/// `is_here`. None where the name was not looked up within half a second.
[[nodiscard]] std::optional<std::vector<std::string>> addresses_of(const std::string& server,
                                                                   bool is_here);

}  // namespace zonecut::slurm
