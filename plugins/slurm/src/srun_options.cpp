#include "srun_options.hpp"

#include <dlfcn.h>

#include "whole_number.hpp"

namespace zonecut::slurm {
namespace {

template <class Pointer>
bool look_up(const char* name, Pointer& pointer) {
  pointer = reinterpret_cast<Pointer>(::dlsym(RTLD_DEFAULT, name));
  return pointer != nullptr;
}

}  // namespace

// Slurm: src/common/slurm_opt.h (slurm_option_*), src/srun/libsrun/opt.c (opt, opt_list).
std::optional<SrunOptions> SrunOptions::find() {
  SrunOptions found;
  if (!look_up("opt", found.options_) || !look_up("slurm_option_isset", found.is_set_) ||
      !look_up("slurm_option_get", found.get_) || !look_up("slurm_option_set", found.set_) ||
      !look_up("slurm_option_reset", found.reset_)) {
    return std::nullopt;
  }
  static_cast<void>(look_up("opt_list", found.list_));
  static_cast<void>(look_up("slurm_xfree", found.free_));
  return found;
}

bool SrunOptions::is_set(const char* name) const { return is_set_(options_, name); }

std::string SrunOptions::text(const char* name) const {
  char* value = get_(options_, name);
  if (value == nullptr) return {};
  std::string text(value);
  void* block = value;
  if (free_ != nullptr) free_(&block);
  return text;
}

std::optional<std::size_t> SrunOptions::count(const char* name) const {
  return whole_number<std::size_t>(text(name), 1);
}

bool SrunOptions::set(const char* name, const std::string& value) const {
  return set_(options_, name, value.c_str(), false) == 0;
}

void SrunOptions::reset(const char* name) const { reset_(options_, name); }

bool SrunOptions::several_components() const { return list_ != nullptr && *list_ != nullptr; }

}  // namespace zonecut::slurm
