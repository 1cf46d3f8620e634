#include "answer.hpp"

#include <algorithm>
#include <map>

namespace zonecut::slurm {
namespace {

constexpr std::string_view kHeader = "zonecut.slurm-order/v1";

std::string_view take_line(std::string_view& text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(text.size(), line.size() + 1));
  return line;
}

/// The lines "key=value" between the header and "end"; none where one is missing.
std::optional<std::map<std::string_view, std::string_view>> lines_of(std::string_view text) {
  std::map<std::string_view, std::string_view> lines;
  if (take_line(text) != kHeader) return std::nullopt;
  while (!text.empty()) {
    const std::string_view line = take_line(text);
    if (line == "end") return lines;
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos) return std::nullopt;
    lines.emplace(line.substr(0, equals), line.substr(equals + 1));
  }
  return std::nullopt;
}

std::vector<std::string> split(std::string_view list) {
  std::vector<std::string> names;
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    names.emplace_back(list.substr(0, comma));
    list.remove_prefix(std::min(list.size(), comma + 1));
  }
  return names;
}

bool are_servers_of(const Step& step, std::vector<std::string> servers) {
  if (servers.size() != step.nodes) return false;
  std::vector<std::string> allowed = step.servers;
  std::sort(servers.begin(), servers.end());
  std::sort(allowed.begin(), allowed.end());
  return std::adjacent_find(servers.begin(), servers.end()) == servers.end() &&
         std::includes(allowed.begin(), allowed.end(), servers.begin(), servers.end());
}

/// For a terminal, which obeys control characters: the others, and not too many.
std::string printable(std::string_view text) {
  constexpr std::size_t kMost = 200;
  std::string plain(text.substr(0, kMost));
  std::erase_if(plain, [](char c) { return c < ' ' || c > '~'; });
  return plain;
}

}  // namespace

std::optional<Answer> read_answer(std::string_view text, const Step& step) {
  const auto lines = lines_of(text);
  if (!lines) return std::nullopt;
  const auto value = [&](std::string_view key) {
    const auto found = lines->find(key);
    return found == lines->end() ? std::string_view() : found->second;
  };
  Answer answer;
  answer.servers = split(value("nodelist"));
  if (!are_servers_of(step, answer.servers)) return std::nullopt;
  if (value("changed") != "0" && value("changed") != "1") return std::nullopt;
  if (value("tasks_per_node") != std::to_string(step.tasks / step.nodes)) return std::nullopt;
  answer.changed = value("changed") == "1";
  answer.gain = printable(value("summary"));
  return answer;
}

}  // namespace zonecut::slurm
