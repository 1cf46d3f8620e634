#include "settings.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstdint>
#include <cstdlib>

#include "whole_number.hpp"

namespace zonecut::slurm {
namespace {

std::string expected(std::string_view key, std::string_view found, std::string_view what) {
  return std::string(key) + "=: found \"" + std::string(found) + "\", expected " +
         std::string(what);
}

std::optional<std::string> take_timeout(std::string_view value, Settings& settings) {
  constexpr std::uint64_t kMost = 60'000;
  const auto milliseconds = whole_number<std::uint64_t>(value, 1, kMost);
  if (!milliseconds) return expected("timeout", value, "milliseconds from 1 to 60000");
  settings.bounds.deadline = std::chrono::milliseconds(*milliseconds);
  return std::nullopt;
}

std::optional<std::string> take_lease(std::string_view value, Settings& settings) {
  const auto seconds = whole_number<std::uint64_t>(value, 1, 3600);
  if (!seconds) return expected("lease", value, "seconds from 1 to 3600");
  settings.lease = std::chrono::seconds(*seconds);
  return std::nullopt;
}

std::optional<std::string> take_memory(std::string_view value, Settings& settings) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 40;
  if (value == "unlimited") {
    settings.bounds.memory_bytes = 0;
    return std::nullopt;
  }
  const auto mebibytes = whole_number<std::uint64_t>(value, 1, kMost);
  if (!mebibytes) return expected("memory", value, "mebibytes or unlimited");
  settings.bounds.memory_bytes = *mebibytes << 20;
  return std::nullopt;
}

std::optional<std::string> take_method(std::string_view value, Settings& settings) {
  if (value == "auto") {
    settings.method = Method::Auto;
  } else if (value == "options") {
    settings.method = Method::Options;
  } else if (value == "hostfile") {
    settings.method = Method::HostFile;
  } else {
    return expected("method", value, "auto, options or hostfile");
  }
  return std::nullopt;
}

std::optional<std::string> take_path(std::string_view key, std::string_view value,
                                     std::string& path) {
  if (!value.starts_with('/')) return expected(key, value, "a path from the root");
  path = value;
  return std::nullopt;
}

}  // namespace

std::optional<std::string> take_mode(std::string_view mode, Settings& settings) {
  if (mode.empty() || mode == "on") {
    settings.order = true;
  } else if (mode == "order" || mode == "place") {
    settings.order = true;
    settings.place = mode == "place";
  } else if (mode == "off") {
    settings.order = settings.place = false;
  } else {
    return "found \"" + std::string(mode.substr(0, 64)) + "\", expected on, off, order or place";
  }
  return std::nullopt;
}

std::optional<std::string> take_word(std::string_view word, Settings& settings) {
  if (word.ends_with('\r')) word.remove_suffix(1);  // Slurm keeps it of a file written elsewhere
  const std::size_t equals = word.find('=');
  const std::string_view key = word.substr(0, equals);
  const std::string_view value =
      equals == std::string_view::npos ? std::string_view() : word.substr(equals + 1);
  if (key == "default") return take_mode(value, settings);
  if (key == "lease") return take_lease(value, settings);
  if (key == "timeout") return take_timeout(value, settings);
  if (key == "memory") return take_memory(value, settings);
  if (key == "method") return take_method(value, settings);
  if (key == "program") return take_path(key, value, settings.program);
  if (key == "cluster") return take_path(key, value, settings.cluster);
  if (key == "topology") return take_path(key, value, settings.topology);
  if (key == "job") {
    settings.job = value;
    return std::nullopt;
  }
  return "\"" + std::string(word.substr(0, 64)) +
         "\" is none of default=, job=, cluster=, topology=, program=, timeout=, "
         "memory=, method=, lease=";
}

std::string name_within_slurm(const std::string& program) {
  static constexpr std::array<std::string_view, 14> kClients{
      "sacct",    "salloc", "sattach", "sbatch", "sbcast", "scancel", "scontrol",
      "scrontab", "sdiag",  "sinfo",   "squeue", "srun",   "sstat",   "strigger"};
  std::array<char, PATH_MAX> file{};
  if (::realpath(program.c_str(), file.data()) == nullptr) return {};
  const std::string_view path(file.data());
  const std::string_view name = path.substr(path.rfind('/') + 1);
  return std::find(kClients.begin(), kClients.end(), name) == kClients.end() ? std::string()
                                                                             : std::string(name);
}

std::optional<std::string> own_topology_file() {
  std::string folder = "/etc/slurm";
  if (const char* conf = std::getenv("SLURM_CONF"); conf != nullptr) {
    const std::string path(conf);
    if (const std::size_t slash = path.rfind('/'); slash != std::string::npos)
      folder = path.substr(0, slash);
  } else if (::access("/etc/slurm/slurm.conf", R_OK) != 0) {
    folder = "/run/slurm/conf";  // where a configless slurmd keeps what it was sent
  }
  for (const char* name : {"/topology.yaml", "/topology.conf"}) {
    if (::access((folder + name).c_str(), R_OK) == 0) return folder + name;
  }
  return std::nullopt;
}

}  // namespace zonecut::slurm
