#pragma once
// A structured log: one JSON object a line, with the time, a level, what happened and fields of it.
// Any number of threads may write; lines come whole.
#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace zonecut::kubernetes {

enum class LogLevel : std::uint8_t { Info, Warning, Error };

class Log {
 public:
  using Value = std::variant<std::string, std::int64_t, double, bool>;
  using Fields = std::initializer_list<std::pair<std::string_view, Value>>;

  /// The stream must outlive it.
  explicit Log(std::ostream& stream) : stream_(stream) {}

  void info(std::string_view message, Fields fields = {});
  void warning(std::string_view message, Fields fields = {});
  void error(std::string_view message, Fields fields = {});

 private:
  void write(LogLevel level, std::string_view message, Fields fields);

  std::ostream& stream_;
  std::mutex mutex_;
};

}  // namespace zonecut::kubernetes
