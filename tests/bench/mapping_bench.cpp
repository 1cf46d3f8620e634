// The table of docs/mapping.md: every instance of some directories (NAME.graph, NAME.KIND.tree,
// NAME.coords) mapped, its cut over the best known, and beside it what other partitioners reach.
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <sstream>

#include "effort_plan.hpp"
#include "peers.hpp"

using namespace zonecut;

namespace {

constexpr const char* kUsage =
    "usage: mapping_bench DIRECTORY... [options]\n"
    "  --effort fast|balanced|thorough   default fast\n"
    "  --seed N                          default 1\n"
    "  --only TEXT                       instances whose name contains TEXT\n"
    "  --except TEXT                     those whose name does not\n"
    "  --best FILE                       best known cuts, a name and a number a line\n"
    "  --record                          lower the numbers in that file where ours are lower\n"
    "  --without-coordinates             as if there were no .coords\n"
    "  --peers                           beside ours METIS (best of 60 seeds), Scotch, and where\n"
    "                                    their Python modules are found Mt-KaHyPar and KaHIP\n"
    "                                    (equal zones only): one run, and the best of 10\n"
    "  --ablate                          geometric means with one part switched off at a time\n";

struct Options {
  std::vector<std::filesystem::path> directories;
  Effort effort = Effort::Fast;
  std::uint64_t seed = 1;
  std::string only;
  std::string except;
  std::filesystem::path best;
  bool record = false, without_coordinates = false, peers = false, ablate = false;
};

struct Instance {
  std::string name;  ///< "dense_96.uneq"
  std::string kind;  ///< "uneq"
  std::filesystem::path graph_file;
  CommunicationGraph graph;
  SlotTree tree;
  std::vector<Coordinates> coordinates;
};

using Switch = std::function<void(EffortPlan&)>;

std::string contents(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// Of this process: other processes on the machine do not count.
double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

Instance read_instance(const std::filesystem::path& tree_file, const Options& options) {
  Instance instance;
  instance.name = tree_file.stem().string();
  const std::size_t dot = instance.name.find('.');
  instance.kind = instance.name.substr(dot + 1);
  const std::string base = (tree_file.parent_path() / instance.name.substr(0, dot)).string();
  instance.graph_file = base + ".graph";
  instance.graph = parse_metis_graph(contents(instance.graph_file), instance.graph_file.string());
  const std::int64_t distances[] = {1, 10, 100, 1000};
  instance.tree = parse_slot_tree(contents(tree_file), tree_file.string(), distances).tree;
  if (!options.without_coordinates && std::filesystem::exists(base + ".coords")) {
    instance.coordinates =
        parse_coordinates(contents(base + ".coords"), base + ".coords", instance.graph.vertices());
  }
  return instance;
}

std::vector<std::filesystem::path> tree_files(const Options& options) {
  std::vector<std::filesystem::path> trees;
  for (const auto& directory : options.directories) {
    const auto first = static_cast<std::ptrdiff_t>(trees.size());
    for (const auto& entry : std::filesystem::directory_iterator(directory)) {
      const std::string name = entry.path().stem().string();
      const auto contains = [&](const std::string& text) {
        return name.find(text) != std::string::npos;
      };
      const bool wanted =
          contains(options.only) && (options.except.empty() || !contains(options.except));
      if (entry.path().extension() == ".tree" && wanted) trees.push_back(entry.path());
    }
    std::sort(trees.begin() + first, trees.end());
  }
  return trees;
}

/// The best known cuts, kept in a file of their own.
class BestKnown {
 public:
  explicit BestKnown(std::filesystem::path file) : file_(std::move(file)) {
    std::ifstream in(file_);
    std::string name;
    std::int64_t cut = 0;
    while (in >> name >> cut) cuts_[name] = cut;
  }
  [[nodiscard]] std::optional<std::int64_t> operator[](const std::string& name) const {
    const auto found = cuts_.find(name);
    return found == cuts_.end() ? std::nullopt : std::optional(found->second);
  }
  void lower(const std::string& name, std::int64_t cut) {
    const auto [place, added] = cuts_.try_emplace(name, cut);
    place->second = std::min(place->second, cut);
  }
  void write() const {
    std::ofstream out(file_);
    for (const auto& [name, cut] : cuts_) out << name << ' ' << cut << '\n';
  }

 private:
  std::filesystem::path file_;
  std::map<std::string, std::int64_t> cuts_;
};

/// Geometric mean of the ratios seen; a cut of 0 over a best of 0 is 1.
class Mean {
 public:
  void add(std::int64_t cut, std::int64_t best) {
    if (cut != best) sum_ += std::log(static_cast<double>(cut) / static_cast<double>(best));
    worst_ =
        std::max(worst_, cut == best ? 1.0 : static_cast<double>(cut) / static_cast<double>(best));
    ++count_;
  }
  [[nodiscard]] double value() const {
    return count_ == 0 ? 1 : std::exp(sum_ / static_cast<double>(count_));
  }
  [[nodiscard]] double worst() const { return worst_; }

 private:
  double sum_ = 0, worst_ = 1;
  std::size_t count_ = 0;
};

/// How far bounds lie below cuts, as parts of the bound.
class Gaps {
 public:
  static constexpr double kBar = 0.043;  ///< what no gap should exceed

  void add(std::int64_t cut, std::int64_t bound) {
    const double gap = cut == bound ? 0 : static_cast<double>(cut - bound) / number(bound);
    sum_ += gap;
    worst_ = std::max(worst_, gap);
    if (gap == 0) ++proven_;
    if (gap > kBar) ++above_bar_;
    ++count_;
  }
  [[nodiscard]] double mean() const { return sum_ / number(count_); }
  [[nodiscard]] double worst() const { return worst_; }
  [[nodiscard]] std::size_t proven() const { return proven_; }
  [[nodiscard]] std::size_t above_bar() const { return above_bar_; }
  [[nodiscard]] std::size_t count() const { return count_; }

 private:
  template <class Integer>
  static double number(Integer value) {
    return static_cast<double>(value);
  }
  double sum_ = 0, worst_ = 0;
  std::size_t proven_ = 0, above_bar_ = 0, count_ = 0;
};

/// The longest that jobs of up to so many servers took.
class Longest {
 public:
  void add(std::size_t servers, double seconds) {
    const auto* const size =
        std::ranges::find_if(kSizes, [&](std::size_t most) { return servers <= most; });
    double& longest = seconds_[size == kSizes.end() ? servers : *size];
    longest = std::max(longest, seconds);
  }
  void print() const {
    fmt::print("longest:");
    for (const auto& [servers, seconds] : seconds_) {
      fmt::print("  {:.3f} s up to {} servers", seconds, servers);
    }
    fmt::print("\n");
  }

 private:
  static constexpr std::array<std::size_t, 3> kSizes{512, 4096, 16384};
  std::map<std::size_t, double> seconds_;
};

std::string ratio(std::int64_t cut, std::optional<std::int64_t> best) {
  if (!best) return "-";
  if (*best == 0) return cut == 0 ? "1" : "inf";
  return fmt::format("{:.4f}", static_cast<double>(cut) / static_cast<double>(*best));
}

std::string or_dash(std::optional<std::int64_t> cut) { return cut ? std::to_string(*cut) : "-"; }

struct Peer {
  std::vector<std::string> columns;
  std::function<std::vector<std::optional<std::int64_t>>(const Instance&)> cuts;  ///< by column
};

std::vector<Peer> all_peers() {
  constexpr int kSeeds = 10;
  const auto one = [](const auto& cut) {
    return [cut](const Instance& i) { return std::vector{cut(i)}; };
  };
  const auto by_module = [](const std::string& module) {
    return [module](const Instance& i) -> std::vector<std::optional<std::int64_t>> {
      const std::vector<std::int64_t> cuts =
          module_cuts(module, i.graph_file, i.graph, i.tree, kSeeds);
      if (cuts.empty()) return {std::nullopt, std::nullopt};
      return {cuts.front(), std::ranges::min(cuts)};
    };
  };
  return {{{"METIS"}, one([](const Instance& i) { return metis_best_of(i.graph, i.tree, 60); })},
          {{"Scotch"}, one([](const Instance& i) { return scotch_cut(i.graph, i.tree); })},
          {{"MtKaHyPar", "best MtK."}, by_module("mtkahypar")},
          {{"KaHIP", "best KaHIP"}, by_module("kahip")}};
}

struct Outcome {
  Mapping mapping;
  double seconds;
};

Outcome map_once(const Instance& instance, const Options& options, const Switch& change) {
  EffortPlan plan = effort_plan(options.effort, instance.graph.vertices());
  change(plan);
  const double begin = cpu_seconds();
  Mapping mapping = map_by_plan(instance.graph, instance.tree, instance.coordinates, plan,
                                {.seed = options.seed});
  return {std::move(mapping), cpu_seconds() - begin};
}

void print_table(const Options& options) {
  BestKnown best(options.best);
  std::map<std::string, std::map<std::string, Mean>> means;  // by column, by kind
  std::map<std::string, Gaps> gaps;                          // by kind
  Longest longest;
  fmt::print("{:22} {:>6} {:>5} {:>8} {:>7} {:>8} {:>6} {:>10} {:>7}  {:25}", "instance", "n",
             "zones", "cut", "ratio", "bound", "gap %", "J", "seconds", "start");
  const std::vector<Peer> peers = options.peers ? all_peers() : std::vector<Peer>{};
  for (const Peer& peer : peers) {
    for (const std::string& column : peer.columns) fmt::print(" {:>10}", column);
  }
  fmt::print("\n");
  for (const auto& file : tree_files(options)) {
    const Instance instance = read_instance(file, options);
    const auto [mapping, seconds] = map_once(instance, options, [](EffortPlan&) {});
    const std::int64_t cut = mapping.cost.zone_cut;
    if (options.record) best.lower(instance.name, cut);
    const auto known = best[instance.name];
    longest.add(instance.graph.vertices(), seconds);
    std::string gap = "-";
    if (mapping.bound) {
      Gaps here;
      here.add(cut, mapping.bound->value);
      gap = fmt::format("{:.2f}", 100 * here.worst());
      gaps[instance.kind].add(cut, mapping.bound->value);
    }
    fmt::print("{:22} {:>6} {:>5} {:>8} {:>7} {:>8} {:>6} {:>10} {:>7.3f}  {:25}", instance.name,
               instance.graph.vertices(), instance.tree.domains(instance.tree.cut_level), cut,
               ratio(cut, known), mapping.bound ? mapping.bound->value : 0, gap, mapping.cost.cost,
               seconds, mapping.method);
    if (known) means["ours"][instance.kind].add(cut, *known);
    for (const Peer& peer : peers) {
      const auto cuts = peer.cuts(instance);
      for (std::size_t column = 0; column < cuts.size(); ++column) {
        const auto other = cuts[column];
        fmt::print(" {:>10}", or_dash(other));
        if (known && other) means[peer.columns[column]][instance.kind].add(*other, *known);
        if (options.record && other) best.lower(instance.name, *other);
      }
    }
    fmt::print("\n");
    std::fflush(stdout);
  }
  for (const auto& [column, kinds] : means) {
    fmt::print("{}:", column);
    for (const auto& [kind, mean] : kinds) {
      fmt::print("  {} {:.4f} (worst {:.4f})", kind, mean.value(), mean.worst());
    }
    fmt::print("\n");
  }
  if (!gaps.empty()) fmt::print("gap %:");
  for (const auto& [kind, gap] : gaps) {
    fmt::print("  {} {:.2f} (worst {:.2f}, {} of {} above {}, {} proven)", kind, 100 * gap.mean(),
               100 * gap.worst(), gap.above_bar(), gap.count(), 100 * Gaps::kBar, gap.proven());
  }
  if (!gaps.empty()) fmt::print("\n");
  longest.print();
  if (options.record) best.write();
}

/// One line per part of the portfolio that is left out.
void print_ablation(const Options& options) {
  const auto each = [](auto change) -> Switch {
    return [change](EffortPlan& plan) { std::ranges::for_each(plan.zones, change); };
  };
  const std::vector<std::pair<std::string, Switch>> switches{
      {"everything", each([](PartitionEffort&) {})},
      {"without annealed slicing", each([](PartitionEffort& e) { e.anneal_steps = 0; })},
      {"without packed rows", each([](PartitionEffort& e) { e.pack_steps = 0; })},
      {"without intervals in rows", each([](PartitionEffort& e) { e.interval_steps = 0; })},
      {"without columns in order", each([](PartitionEffort& e) { e.column_steps = 0; })},
      {"without stacked columns", each([](PartitionEffort& e) { e.stack_steps = 0; })},
      {"without annealed blocks", each([](PartitionEffort& e) { e.block_steps = 0; })},
      {"annealed slicing once", each([](PartitionEffort& e) { e.anneal_runs = 1; })},
      {"without METIS", each([](PartitionEffort& e) { e.metis_starts = 0; })},
      {"without pair passes and cycles", each([](PartitionEffort& e) { e.polish_steps = 0; })},
      {"without ball search", each([](PartitionEffort& e) { e.search_steps = 0; })},
      {"without search by boxes", each([](PartitionEffort& e) { e.box_steps = 0; })},
      {"without dividing parts anew", each([](PartitionEffort& e) { e.divide_steps = 0; })},
      {"one start refined", each([](PartitionEffort& e) { e.kept = 1; })},
      {"without branch and bound", [](EffortPlan& plan) { plan.exact_steps = 0; }},
      {"without searches for nearer zones", [](EffortPlan& plan) { plan.nearer_tries = 0; }},
  };
  const BestKnown best(options.best);
  std::vector<std::map<std::string, Mean>> means(switches.size());
  std::vector<Mean> costs(switches.size());  // J over that of everything
  std::vector<double> seconds(switches.size(), 0);
  for (const auto& file : tree_files(options)) {
    const Instance instance = read_instance(file, options);
    const auto known = best[instance.name];
    std::int64_t cost = 0;
    for (std::size_t i = 0; i < switches.size(); ++i) {
      const Outcome outcome = map_once(instance, options, switches[i].second);
      const MappingCost& found = outcome.mapping.cost;
      if (known) means[i][instance.kind].add(found.zone_cut, *known);
      if (i == 0) cost = found.cost;
      costs[i].add(found.cost, cost);
      seconds[i] += outcome.seconds;
    }
  }
  for (std::size_t i = 0; i < switches.size(); ++i) {
    fmt::print("{:34} {:7.2f} s  J {:.4f}", switches[i].first, seconds[i], costs[i].value());
    for (const auto& [kind, mean] : means[i]) fmt::print("  {} {:.4f}", kind, mean.value());
    fmt::print("\n");
  }
}

std::optional<Options> parse(std::span<char*> words) {
  Options options;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string word = words[i];
    const auto value = [&] { return std::string(++i < words.size() ? words[i] : ""); };
    if (word == "--effort") {
      const std::string name = value();
      if (name != "fast" && name != "balanced" && name != "thorough") return std::nullopt;
      options.effort = name == "fast"       ? Effort::Fast
                       : name == "balanced" ? Effort::Balanced
                                            : Effort::Thorough;
    } else if (word == "--seed") {
      options.seed = std::stoull(value());
    } else if (word == "--only") {
      options.only = value();
    } else if (word == "--except") {
      options.except = value();
    } else if (word == "--best") {
      options.best = value();
    } else if (word == "--record") {
      options.record = true;
    } else if (word == "--without-coordinates") {
      options.without_coordinates = true;
    } else if (word == "--peers") {
      options.peers = true;
    } else if (word == "--ablate") {
      options.ablate = true;
    } else if (word.starts_with("--")) {
      return std::nullopt;
    } else {
      options.directories.emplace_back(word);
    }
  }
  if (options.directories.empty()) return std::nullopt;
  return options;
}

}  // namespace

int main(int argc, char** argv) {
  const auto options = parse(std::span(argv, static_cast<std::size_t>(argc)));
  if (!options) {
    fmt::print(stderr, "{}", kUsage);
    return 2;
  }
  options->ablate ? print_ablation(*options) : print_table(*options);
  return 0;
}
