#pragma once
// The options of the srun that has loaded this plugin, read and set by the names of its command
// line. srun exports what its own option parsing uses; none of it is in a public header, so it is
// looked up by name and may be missing.
#include <cstddef>
#include <optional>
#include <string>

namespace zonecut::slurm {

class SrunOptions {
 public:
  /// None where this process does not export them.
  [[nodiscard]] static std::optional<SrunOptions> find();

  /// Given on the command line, by the environment, or set() before.
  [[nodiscard]] bool is_set(const char* name) const;
  /// As srun would print it; empty where it says nothing.
  [[nodiscard]] std::string text(const char* name) const;
  /// A number that says how many; none for a range or "unset".
  [[nodiscard]] std::optional<std::size_t> count(const char* name) const;
  /// As if given on the command line. False where srun refuses it.
  [[nodiscard]] bool set(const char* name, const std::string& value) const;
  /// Takes back what set() did.
  void reset(const char* name) const;
  /// Whether several components of options (het jobs, "srun … : …") were read.
  [[nodiscard]] bool several_components() const;

 private:
  using IsSet = bool (*)(void*, const char*);
  using Get = char* (*)(void*, const char*);
  using Set = int (*)(void*, const char*, const char*, bool);
  using Reset = bool (*)(void*, const char*);
  using Free = void (*)(void**);

  void* options_ = nullptr;
  void** list_ = nullptr;
  IsSet is_set_ = nullptr;
  Get get_ = nullptr;
  Set set_ = nullptr;
  Reset reset_ = nullptr;
  Free free_ = nullptr;
};

}  // namespace zonecut::slurm
