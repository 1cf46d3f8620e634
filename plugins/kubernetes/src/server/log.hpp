#pragma once
// A structured log: one JSON object a line, with the time, a level, what happened and fields of it.
// Any number of threads may write, and none waits for whoever reads: lines come whole, or are
// dropped and counted where nobody reads (line_writer.hpp).
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "server/line_writer.hpp"

namespace zonecut::kubernetes {

enum class LogLevel : std::uint8_t { Info, Warning, Error };

class Log {
 public:
  using Value = std::variant<std::string, std::int64_t, double, bool>;
  using Fields = std::initializer_list<std::pair<std::string_view, Value>>;

  /// The file descriptor must outlive it.
  explicit Log(int descriptor);

  void info(std::string_view message, Fields fields = {});
  void warning(std::string_view message, Fields fields = {});
  void error(std::string_view message, Fields fields = {});

 private:
  void write(LogLevel level, std::string_view message, Fields fields);

  LineWriter lines_;
};

}  // namespace zonecut::kubernetes
