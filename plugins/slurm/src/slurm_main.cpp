// zonecut-slurm: asks slurmctld for zonecut.
//
// usage: zonecut-slurm [JOBID]           what it knows, as one JSON object on standard output
//                                        ("zonecut.slurm/v1"); with a job also the order of the
//                                        ranks of its largest step
//        zonecut-slurm queue SINCE       the same without the topology, if it has changed
//        zonecut-slurm change JOBID WORD…  changes a pending job; see change_job.hpp
// exit codes: 0 done, 2 bad input, 3 slurmctld refuses the change, 4 slurmctld failed, 5 the job is
// no more as it was
//
// A program of its own, run by zonecut: libslurm ends its process where slurm.conf is wrong, and
// whoever does not use Slurm need not install it.
extern "C" {
#include <slurm/slurm.h>
}

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include "change_job.hpp"
#include "snapshot.hpp"
#include "whole_number.hpp"

namespace {

using namespace zonecut::slurm;

constexpr const char* kUsage = "usage: zonecut-slurm [JOBID] | queue SINCE | change JOBID WORD…";

template <class Number>
Number parse_number(std::string_view text) {
  const auto number = whole_number<Number>(text);
  return number ? *number : throw std::invalid_argument(kUsage);
}

int print(const nlohmann::ordered_json& answer) {
  const std::string text =
      answer.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
  return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() ? 0 : 4;
}

/// libslurm would look for the file for a minute.
void check_configuration() {
  const char* path = std::getenv("SLURM_CONF");
  if (path == nullptr || *path == '\0' || ::access(path, R_OK) == 0) return;
  throw std::invalid_argument(std::string("SLURM_CONF names ") + path +
                              ", which cannot be read: " + std::strerror(errno));
}

int run(std::span<char*> words) {
  check_configuration();
  slurm_init(nullptr);
  const std::string_view first = words.empty() ? std::string_view() : words.front();
  if (first == "queue" && words.size() == 2)
    return print(read_queue(parse_number<std::int64_t>(words[1])));
  if (first == "change" && words.size() > 2) {
    change_job(words[1], words.subspan(2));
    return 0;
  }
  if (words.size() > 1) throw std::invalid_argument(kUsage);
  return print(read_snapshot(first.empty() ? std::nullopt
                                           : std::optional(parse_number<std::uint32_t>(first))));
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(std::span(argv, static_cast<std::size_t>(argc)).subspan(1));
  } catch (const std::invalid_argument& error) {
    static_cast<void>(std::fprintf(stderr, "%s\n", error.what()));
    return 2;
  } catch (const Refused& error) {
    static_cast<void>(std::fprintf(stderr, "%s\n", error.what()));
    return 3;
  } catch (const Overtaken& error) {
    static_cast<void>(std::fprintf(stderr, "%s\n", error.what()));
    return 5;
  } catch (const std::exception& error) {
    static_cast<void>(std::fprintf(stderr, "slurmctld: %s\n", error.what()));
    return 4;
  }
}
