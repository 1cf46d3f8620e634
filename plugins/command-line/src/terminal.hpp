#pragma once
// What the program's streams are connected to, asked once at the start and passed on as a value.
namespace zonecut::cli {

struct Terminal {
  int width = 80;             ///< columns of stdout
  bool colour = false;        ///< stdout is a terminal that wants colour
  bool unicode = true;        ///< the locale's encoding is UTF-8
  bool errors_shown = false;  ///< stderr is a terminal, so that a progress line is of use
};

/// Honours COLUMNS, NO_COLOR, CLICOLOR_FORCE, TERM and LC_ALL, LC_CTYPE, LANG. Text for pipes is
/// Unicode unless a locale says otherwise.
[[nodiscard]] Terminal detect_terminal();

/// Width to write prose in: never so wide that lines are hard to read, never under 40.
[[nodiscard]] int prose_width(const Terminal& terminal);

}  // namespace zonecut::cli
