#pragma once
// A file that a log is written to, gone with its object.
#include <cstdio>
#include <memory>
#include <string>

namespace zonecut::test {

class LogFile {
 public:
  [[nodiscard]] int descriptor() const { return ::fileno(file_.get()); }
  /// What was written so far.
  [[nodiscard]] std::string text() const {
    std::string text(static_cast<std::size_t>(std::ftell(at_end())), '\0');
    std::rewind(file_.get());
    text.resize(std::fread(text.data(), 1, text.size(), file_.get()));
    return text;
  }

 private:
  [[nodiscard]] std::FILE* at_end() const {
    std::fseek(file_.get(), 0, SEEK_END);
    return file_.get();
  }
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::unique_ptr<std::FILE, Close> file_{std::tmpfile()};
};

}  // namespace zonecut::test
