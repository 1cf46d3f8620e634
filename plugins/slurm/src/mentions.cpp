#include "mentions.hpp"

#include <ifaddrs.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <memory>
#include <sstream>

#include "bounded_run.hpp"

namespace zonecut::slurm {
namespace {

// Slurm: src/common/env.c, src/srun/libsrun/launch.c.
constexpr std::array<std::string_view, 12> kSaysWhereJobsRun = {"HOSTNAME",
                                                                "SLURMD_NODENAME",
                                                                "SLURM_JOB_NODELIST",
                                                                "SLURM_LAUNCH_NODE_IPADDR",
                                                                "SLURM_NODELIST",
                                                                "SLURM_NODE_ALIASES",
                                                                "SLURM_SRUN_COMM_HOST",
                                                                "SLURM_STEP_NODELIST",
                                                                "SLURM_SUBMIT_HOST",
                                                                "SLURM_TOPOLOGY_ADDR",
                                                                "SLURM_TOPOLOGY_ADDR_PATTERN",
                                                                "SLURM_WORKING_CLUSTER"};

bool is_looked_at(std::string_view name) {
  return name != "MASTER_ADDR" && std::find(kSaysWhereJobsRun.begin(), kSaysWhereJobsRun.end(),
                                            name) == kSaysWhereJobsRun.end();
}

/// Slurm takes it in any case.
bool is_all(std::string_view word) {
  constexpr std::string_view kAll = "all";
  return std::ranges::equal(word, kAll, {}, [](unsigned char c) { return std::tolower(c); });
}

bool is_part_of_word(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/// "10.1.2.3" or "fe80::1", empty where it is no such address, or this host's by itself.
std::string text_of_address(const sockaddr* address) {
  if (address == nullptr) return {};
  socklen_t length = sizeof(sockaddr_in);
  if (address->sa_family == AF_INET6) {
    length = sizeof(sockaddr_in6);
  } else if (address->sa_family != AF_INET) {
    return {};
  }
  std::array<char, NI_MAXHOST> text{};
  if (::getnameinfo(address, length, text.data(), text.size(), nullptr, 0, NI_NUMERICHOST) != 0)
    return {};
  std::string name(text.data());
  name.resize(std::min(name.find('%'), name.size()));  // the interface of a link-local one
  return name == "::1" || name.starts_with("127.") ? std::string() : name;
}

void add_if_new(std::string address, std::vector<std::string>& addresses) {
  if (!address.empty() && std::find(addresses.begin(), addresses.end(), address) == addresses.end())
    addresses.push_back(std::move(address));
}

}  // namespace

bool mentions(std::string_view text, std::string_view word) {
  if (word.empty()) return false;
  for (std::size_t at = text.find(word); at != std::string_view::npos;
       at = text.find(word, at + 1)) {
    const std::size_t after = at + word.size();
    const bool begins = at == 0 || !is_part_of_word(text[at - 1]);
    const bool ends = after == text.size() || !is_part_of_word(text[after]);
    if (begins && ends) return true;
  }
  return false;
}

std::string variable_that_mentions(char* const* environment, std::span<const std::string> words) {
  for (; environment != nullptr && *environment != nullptr; ++environment) {
    const std::string_view entry = *environment;
    const std::size_t equals = entry.find('=');
    if (equals == std::string_view::npos || !is_looked_at(entry.substr(0, equals))) continue;
    const std::string_view value = entry.substr(equals + 1);
    if (std::any_of(words.begin(), words.end(),
                    [&](const std::string& word) { return mentions(value, word); })) {
      return std::string(entry.substr(0, equals));
    }
  }
  return {};
}

bool exports(std::string_view list, std::string_view variable) {
  if (list.empty()) return true;
  if (list.find_first_of("'\"") != std::string_view::npos) return false;
  bool is_exported = false;
  for (bool more = true; more;) {
    const std::size_t comma = list.find(',');
    const std::string_view word = list.substr(0, comma);
    more = comma != std::string_view::npos;
    if (more) list.remove_prefix(comma + 1);
    if (word.substr(0, word.find('=')) == variable && word.size() > variable.size()) return false;
    is_exported = is_exported || word == variable || is_all(word);
  }
  return is_exported;
}

std::optional<std::vector<std::string>> addresses_of(const std::string& server, bool is_here) {
  // A name server that does not answer would hold the step up for as long as the resolver tries.
  constexpr Bounds kBounds{.deadline = std::chrono::milliseconds(500),
                           .output_bytes = std::size_t{64} << 10};
  constexpr int kNoSuchName = 2;
  const RunResult found = run_bounded({"/usr/bin/getent", "ahosts", "--", server}, kBounds);
  if (found.ending != Ending::Exited || (found.code != 0 && found.code != kNoSuchName))
    return std::nullopt;
  std::vector<std::string> addresses;
  std::istringstream lines(found.output);
  for (std::string line; std::getline(lines, line);)
    add_if_new(line.substr(0, line.find(' ')), addresses);
  ifaddrs* interfaces = nullptr;
  if (is_here && ::getifaddrs(&interfaces) == 0) {
    const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> owner(interfaces, &::freeifaddrs);
    for (; interfaces != nullptr; interfaces = interfaces->ifa_next)
      add_if_new(text_of_address(interfaces->ifa_addr), addresses);
  }
  return addresses;
}

}  // namespace zonecut::slurm
