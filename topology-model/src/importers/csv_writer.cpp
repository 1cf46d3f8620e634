#include <fmt/format.h>

#include <set>

#include "importers/source_text.hpp"
#include "importers/writers.hpp"
#include "zonecut/base/error.hpp"
#include "zonecut/base/hostlist.hpp"

namespace zonecut::importers {
namespace {

std::string field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string result = "\"";
  for (const char c : text) result += c == '"' ? std::string("\"\"") : std::string(1, c);
  return result + '"';
}

std::string header(const Cluster& cluster) {
  std::set<std::string> columns = {"server", "gpus"};
  std::string text = "server";
  for (const std::string& level : cluster.levels().subspan(1)) {
    if (!columns.insert(lower_case(level)).second) {
      throw InputError("csv", fmt::format("cannot have a column for the level \"{}\"", level),
                       "another column has that name, in this case or another");
    }
    text += "," + field(level);
  }
  return text + ",gpus\n";
}

}  // namespace

std::string write_csv(const Cluster& cluster) {
  std::string text = header(cluster);
  for (const ServerId server : cluster.server_ids()) {
    if (!is_host_name(cluster.server(server).name)) {
      throw InputError("csv",
                       fmt::format("would not be read back with a server called \"{}\"",
                                   cluster.server(server).name),
                       "blanks, commas and brackets separate names elsewhere");
    }
    text += field(cluster.server(server).name);
    for (int level = 1; level <= cluster.rack_level(); ++level)
      text += "," + field(cluster.domain(cluster.domain_of(server, level)).name);
    text += fmt::format(",{}\n", cluster.server(server).gpus);
  }
  return text;
}

}  // namespace zonecut::importers
