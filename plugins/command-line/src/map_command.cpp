// zonecut map: a traffic graph of servers into the slots of a tree, without a cluster or a job.
#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>

#include "choice.hpp"
#include "commands.hpp"
#include "output.hpp"
#include "placement_text.hpp"
#include "progress.hpp"
#include "situation.hpp"
#include "solver_options.hpp"
#include "zonecut/base/document.hpp"

namespace zonecut::cli {
namespace {

struct MapOptions {
  std::string graph;
  std::string tree;
  std::string coordinates;
  std::string start;
  std::vector<std::int64_t> distances{1, 10, 100, 1000};
  std::string output;
  bool json = false;
  MappingOptions mapping;
};

struct Outcome {
  CommunicationGraph graph;
  SlotTreeFile file;
  Mapping mapping;
  double seconds = 0;
};

/// Whole numbers with colons between them.
std::vector<std::int64_t> parse_numbers(const std::string& option, const std::string& text,
                                        std::int64_t least, const std::string& example) {
  std::vector<std::int64_t> numbers;
  std::string_view rest = text;
  while (true) {
    const std::string word(rest.substr(0, rest.find(':')));
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc{} || end != word.data() + word.size() || value < least) {
      throw InputError(option, fmt::format("found \"{}\", expected whole numbers from {}, colons "
                                           "between them, such as {}",
                                           text, least, example));
    }
    numbers.push_back(value);
    if (word.size() == rest.size()) return numbers;
    rest.remove_prefix(word.size() + 1);
  }
}

const std::vector<std::string>& objective_names() {
  static const std::vector<std::string> names = {"cut", "bottleneck"};
  return names;
}

/// Does the work. What is wrong with the traffic as a whole is the graph's mistake, and distances
/// come from an option.
template <class Work>
auto with_places(const MapOptions& options, const Work& work) {
  try {
    return work();
  } catch (const InputError& error) {
    std::vector<Problem> problems = error.problems();
    for (Problem& problem : problems) {
      if (problem.where == "traffic") problem.where = options.graph;
      if (problem.where.starts_with("distances") || problem.where == "uplinks")
        problem.where.insert(0, "--");
    }
    throw InputError(std::move(problems));
  }
}

Outcome solve(const MapOptions& options, const Session& session) {
  const Progress progress(session.terminal, "mapping " + options.graph);
  refuse_shared_stdin({{"--graph", options.graph},
                       {"--tree", options.tree},
                       {"--coords", options.coordinates},
                       {"--start", options.start}});
  Outcome outcome;
  const std::string graph = read_file(options.graph);
  outcome.graph = with_places(options, [&] { return parse_metis_graph(graph, options.graph); });
  const std::string tree = read_file(options.tree);
  outcome.file =
      with_places(options, [&] { return parse_slot_tree(tree, options.tree, options.distances); });
  std::vector<Coordinates> coordinates;
  if (!options.coordinates.empty()) {
    coordinates = parse_coordinates(read_file(options.coordinates), options.coordinates,
                                    outcome.graph.vertices());
  }
  const std::size_t slots = outcome.file.tree.slots();
  if (slots < outcome.graph.vertices()) {
    throw InputError(options.tree,
                     fmt::format("has {} free slots for the {} vertices of {}", slots,
                                 outcome.graph.vertices(), options.graph),
                     "free some servers or make the job smaller");
  }
  MappingOptions mapping = options.mapping;
  if (!options.start.empty()) {
    mapping.start = parse_mapping(read_file(options.start), options.start, outcome.file,
                                  outcome.graph.vertices());
  }
  const auto begin = std::chrono::steady_clock::now();
  outcome.mapping = with_places(options, [&] {
    return map_vertices(outcome.graph, outcome.file.tree, coordinates, mapping);
  });
  outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return outcome;
}

std::string mapping_text(const Outcome& outcome) {
  fmt::memory_buffer text;
  for (const std::uint32_t slot : outcome.mapping.slot)
    fmt::format_to(std::back_inserter(text), "{}\n", outcome.file.number_in_file[slot]);
  return fmt::to_string(text);
}

std::optional<double> gap_of(const Mapping& mapping) {
  if (!mapping.bound) return std::nullopt;
  return relative_gap(mapping.cost.zone_cut, mapping.bound->value);
}

/// As a share, and in words where it is large or none.
std::string gap_text(const Mapping& mapping) {
  const auto gap = gap_of(mapping);
  if (!gap) return mapping.bound ? "null  (lower_bound is 0)" : "null  (no bound is proven)";
  std::string text = fmt::format("{:.4f}", *gap);
  if (*gap > 1) text += fmt::format("  (zone_cut is {:.3g} times lower_bound)", 1 + *gap);
  return text;
}

double ratio(const ZoneLoad& load) {
  return static_cast<double>(load.border) / static_cast<double>(load.uplink);
}

std::string figures_json(const Outcome& outcome) {
  const Mapping& mapping = outcome.mapping;
  const auto gap = gap_of(mapping);
  nlohmann::ordered_json object;
  object["schema"] = "zonecut.mapping/v1";
  object["cost"] = mapping.cost.cost;
  object["zone_cut"] = mapping.cost.zone_cut;
  object["lower_bound"] = mapping.bound ? nlohmann::ordered_json(mapping.bound->value) : nullptr;
  object["gap"] = gap ? nlohmann::ordered_json(*gap) : nullptr;
  object["seconds"] = outcome.seconds;
  object["vertices"] = outcome.graph.vertices();
  object["slots"] = outcome.file.tree.slots();
  object["method"] = mapping.method;
  object["largest_load"] = ratio(mapping.busiest);
  object["largest_load_bound"] =
      mapping.busiest_bound ? nlohmann::ordered_json(ratio(*mapping.busiest_bound)) : nullptr;
  object["bound_method"] = mapping.bound ? nlohmann::ordered_json(mapping.bound->method) : nullptr;
  return object.dump(2) + "\n";
}

std::string figures_text(const Outcome& outcome) {
  const Mapping& mapping = outcome.mapping;
  std::string text;
  text += fmt::format("cost         {}\n", mapping.cost.cost);
  text += fmt::format("zone_cut     {}\n", mapping.cost.zone_cut);
  text += mapping.bound ? fmt::format("lower_bound  {}  ({})\n", mapping.bound->value,
                                      in_ascii(mapping.bound->method))
                        : "lower_bound  null\n";
  text += fmt::format("gap          {}\n", gap_text(mapping));
  text += fmt::format("largest_load {:.6g}", ratio(mapping.busiest));
  if (mapping.busiest_bound)
    text += fmt::format("  (at least {:.6g})", ratio(*mapping.busiest_bound));
  text += fmt::format("\nseconds      {:.3f}\n", outcome.seconds);
  return text;
}

ExitCode run(const MapOptions& options, const Session& session) {
  refuse_overwriting({"--output", options.output},
                     {options.graph, options.tree, options.coordinates, options.start});
  const Outcome outcome = solve(options, session);
  if (!options.output.empty()) write_output(options.output, mapping_text(outcome));
  const std::string figures = options.json ? figures_json(outcome) : figures_text(outcome);
  // With the mapping on stdout, the figures must not mix with it.
  if (options.output == "-") {
    write_stderr(figures);
  } else {
    write_stdout(figures);
  }
  return ExitCode::Done;
}

}  // namespace

void add_map_command(CLI::App& app, Session& session) {
  auto options = std::make_shared<MapOptions>();
  CLI::App& command = *app.add_subcommand(
      "map",
      "Map a traffic graph into the free slots of a tree. The core of zonecut without a cluster or "
      "a job: each vertex of the graph gets a slot of its own, so that first the weight between "
      "zones and then the sum of weight times distance is least.");
  command
      .add_option(
          "--graph", options->graph,
          "Traffic graph in METIS format: a vertex is a server of the job, an edge's weight "
          "the bytes both ends exchange. - is stdin.")
      ->type_name("FILE")
      ->required();
  command
      .add_option("--tree", options->tree,
                  "Free slots: one line for each rack, three integers: its building, its zone, how "
                  "many are free. Slots are numbered in the order of the file.")
      ->type_name("FILE")
      ->required();
  command
      .add_option(
          "--coords", options->coordinates,
          "Place of each vertex in the job's groups, three integers a line; lets the search "
          "use the structure and prove better bounds.")
      ->type_name("FILE");
  command
      .add_option_function<std::string>(
          "--distances",
          [options](const std::string& text) {
            options->distances = parse_numbers("--distances", text, 0, "1:10:100:1000");
          },
          "Cost of a unit of weight inside a rack, inside a zone, inside a building, between "
          "buildings.")
      ->type_name("R:Z:B:S")
      ->default_str("1:10:100:1000");
  command
      .add_option_function<std::string>(
          "--objective",
          [options](const std::string& word) {
            options->mapping.objective =
                static_cast<Objective>(chosen("--objective", word, objective_names()));
          },
          "cut: the least weight between zones. bottleneck: the least load of the busiest zone, by "
          "what its uplinks carry, then the cut.")
      ->type_name("WHAT")
      ->default_str("cut");
  command
      .add_option_function<std::string>(
          "--uplinks",
          [options](const std::string& text) {
            options->mapping.uplinks = parse_numbers("--uplinks", text, 1, "4:4:2");
          },
          "What the uplinks of each zone carry, in any unit; buildings and their zones in the "
          "order "
          "in which they first appear in the tree. Without it all carry the same.")
      ->type_name("A:B:...");
  command
      .add_option("--start", options->start,
                  "A mapping to begin with, as --output writes it. The answer is never worse, and "
                  "the same mapping where nothing better is found.")
      ->type_name("FILE");
  add_solver_options(command, options->mapping);
  command
      .add_option("-o,--output", options->output,
                  "Where the mapping goes, one slot a line in the order of the vertices. - is "
                  "stdout; the figures then go to stderr. Without it only the figures are printed.")
      ->type_name("FILE");
  command.add_flag("--json", options->json,
                   "Print the figures as one JSON object (zonecut.mapping/v1).");
  command.footer(
      "Prints cost, zone_cut, lower_bound (null when none is proven), gap\n"
      "(zone_cut over lower_bound, less 1; null where that is none, or 0 and not met),\n"
      "largest_load (of a zone: its weight to all others over its uplinks) and seconds.\n"
      "\n"
      "Example:\n"
      "  zonecut map --graph job.graph --tree free.tree --coords job.coords \\\n"
      "    --effort fast -o job.mapping");
  command.callback([options, &session] {
    session.run = [options](const Session& now) { return run(*options, now); };
  });
}

}  // namespace zonecut::cli
