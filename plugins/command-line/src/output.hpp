#pragma once
// Where results go: a file that appears whole or not at all, or stdout.
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>

namespace zonecut::cli {

/// The reader of stdout went away, as `head` does: no failure, and nothing more to say.
struct ReaderGone : std::runtime_error {
  ReaderGone() : std::runtime_error("the reader of standard output is gone") {}
};

/// Makes sure that descriptors 0 to 2 are open, so that no file of ours ever becomes "stdout", and
/// that writing to a closed pipe or beyond a limit of file sizes is an error rather than a signal.
/// Call first thing in main.
void prepare_streams();

/// Throws ReaderGone, or IoError where the disk is full or stdout was never open.
void write_stdout(std::string_view text);
/// Never throws: there is nowhere left to complain.
void write_stderr(std::string_view text) noexcept;

struct Output {
  std::string path;  ///< "-" is stdout; empty: not asked for
  std::string_view text;
};

/// Replaces each `path` by its `text` in one step: a temporary file beside it, synced, then
/// renamed; none is replaced before all texts are on disk. What is no regular file (stdout, a pipe,
/// /dev/null) is written in place, after the files. Interrupts wait until it is done, so that none
/// leaves a temporary file. Throws IoError, and ReaderGone where a pipe has no reader any more.
void write_outputs(std::initializer_list<Output> outputs);
void write_output(const std::string& path, std::string_view text);

/// The same for the object that goes with a failure, once stderr has said it: that the reader of
/// stdout is gone makes it no success.
void write_failure(const std::string& path, std::string_view text);

}  // namespace zonecut::cli
