// The graph format of METIS 5 (manual, section 4.1.1): a header "vertices edges [fmt [ncon]]", then
// one line per vertex. Vertices count from 1 and every edge stands in both its ends' lines.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "files/integer_lines.hpp"
#include "zonecut/partition/communication_graph.hpp"

namespace zonecut {
namespace {

constexpr std::int64_t kMostVertices = 1 << 22;
constexpr std::int64_t kMostEdges = 1 << 27;

struct Header {
  std::int64_t vertices = 0;
  std::int64_t edges = 0;
  bool edge_weights = false;
  std::size_t vertex_weights = 0;  ///< numbers before the edges of a line
  std::string where_vertices;
  std::string where_edges;
};

/// Throws when the header is of no use: without it, no line after it can be read.
Header read_header(IntegerLines& lines, ProblemList& problems) {
  std::vector<std::int64_t> numbers;
  if (!lines.next(numbers, false)) {
    problems.add(lines.where(0), "the file is empty; expected 'vertices edges [format]'");
  } else if (numbers.size() < 2 || numbers.size() > 4) {
    problems.add(lines.where(0),
                 fmt::format("the first line has {} numbers; expected 'vertices edges [format]'",
                             numbers.size()));
  } else {
    if (numbers[0] < 1 || numbers[0] > kMostVertices) {
      problems.add(lines.where(0),
                   fmt::format("{} vertices; expected 1 to {}", numbers[0], kMostVertices));
    }
    if (numbers[1] < 0 || numbers[1] > kMostEdges) {
      problems.add(lines.where(1),
                   fmt::format("{} edges; expected 0 to {}", numbers[1], kMostEdges));
    }
    const std::int64_t format = numbers.size() > 2 ? numbers[2] : 0;
    if (format != 0 && format != 1 && format != 10 && format != 11) {
      problems.add(lines.where(2), fmt::format("format {}; expected 0, 1, 10 or 11", format));
    }
    if (numbers.size() > 3 && numbers[3] != 1) {
      problems.add(lines.where(3), fmt::format("{} weights per vertex; expected 1", numbers[3]));
    }
  }
  problems.throw_if_any();
  const std::int64_t format = numbers.size() > 2 ? numbers[2] : 0;
  return {numbers[0],     numbers[1],    format % 10 == 1, format >= 10 ? 1u : 0u,
          lines.where(0), lines.where(1)};
}

/// Half of one edge, as it stands in one line.
struct Half {
  std::uint32_t from, to;
  std::int64_t weight;
};

class Rows {
 public:
  Rows(const Header& header, const IntegerLines& lines, ProblemList& problems)
      : header_(header), lines_(lines), problems_(problems) {
    line_of_.resize(static_cast<std::size_t>(header.vertices), 0);
  }

  void add(std::uint32_t vertex, const std::vector<std::int64_t>& numbers) {
    line_of_[vertex] = lines_.line();
    const std::size_t step = header_.edge_weights ? 2 : 1;
    if (numbers.size() < header_.vertex_weights) {
      problems_.add(lines_.where(0), "the weight of the vertex is missing");
      return;
    }
    if ((numbers.size() - header_.vertex_weights) % step != 0) {
      problems_.add(lines_.where(numbers.size()),
                    "the last neighbour has no weight; expected pairs 'neighbour weight'");
    }
    for (std::size_t i = header_.vertex_weights; i + step <= numbers.size(); i += step) {
      add_half(vertex, numbers[i], step == 2 ? numbers[i + 1] : 1, i);
    }
  }

  [[nodiscard]] CommunicationGraph graph(const std::string& source) {
    std::vector<CommunicationGraph::Edge> edges = matched(source);
    if (static_cast<std::int64_t>(edges.size()) != header_.edges) {
      problems_.add(header_.where_edges, fmt::format("the header says {} edges; the lines have {}",
                                                     header_.edges, edges.size()));
    }
    problems_.throw_if_any();
    return CommunicationGraph::from_edges(line_of_.size(), std::move(edges));
  }

 private:
  void add_half(std::uint32_t vertex, std::int64_t neighbour, std::int64_t weight, std::size_t i) {
    if (neighbour < 1 || neighbour > header_.vertices) {
      problems_.add(lines_.where(i),
                    fmt::format("neighbour {}; expected 1 to {}", neighbour, header_.vertices));
    } else if (neighbour == vertex + 1) {
      problems_.add(lines_.where(i), fmt::format("vertex {} is its own neighbour", neighbour));
    } else if (weight < 0) {
      problems_.add(lines_.where(i + 1), fmt::format("weight {} is negative", weight));
    } else {
      halves_.push_back({vertex, static_cast<std::uint32_t>(neighbour - 1), weight});
    }
  }

  /// Every edge once, from its smaller end. Reports halves that lack their counterpart.
  std::vector<CommunicationGraph::Edge> matched(const std::string& source) {
    sort_halves();
    std::vector<CommunicationGraph::Edge> edges;
    edges.reserve(halves_.size() / 2);
    for (std::size_t i = 0; i < halves_.size();) {
      const Half& half = halves_[i];
      std::size_t end = i + 1;
      const auto same_pair = [&](const Half& other) {
        return std::minmax(half.from, half.to) == std::minmax(other.from, other.to);
      };
      while (end < halves_.size() && same_pair(halves_[end])) ++end;
      report_mismatch(source, std::span(halves_).subspan(i, end - i));
      edges.push_back({half.from, half.to, half.weight});
      i = end;
    }
    return edges;
  }

  /// By smaller end, larger end and line: counted by the first, as the lines of most graphs are
  /// short.
  void sort_halves() {
    std::vector<std::size_t> end(line_of_.size() + 1, 0);
    for (const Half& half : halves_) ++end[std::min(half.from, half.to) + 1];
    std::partial_sum(end.begin(), end.end(), end.begin());
    std::vector<Half> sorted(halves_.size());
    for (const Half& half : halves_) sorted[end[std::min(half.from, half.to)]++] = half;
    const auto key = [](const Half& half) {
      return std::pair(std::max(half.from, half.to), half.from);
    };
    auto begin = sorted.begin();
    for (std::size_t v = 0; v + 1 < end.size(); ++v) {
      const auto stop = sorted.begin() + static_cast<std::ptrdiff_t>(end[v]);
      std::ranges::sort(begin, stop, {}, key);
      begin = stop;
    }
    halves_ = std::move(sorted);
  }

  void report_mismatch(const std::string& source, std::span<const Half> pair) {
    const Half& half = pair.front();
    const std::string where = fmt::format("{}:{}:1", source, line_of_[half.from]);
    if (pair.size() > 2 || (pair.size() == 2 && pair[0].from == pair[1].from)) {
      problems_.add(where, fmt::format("vertex {} names its neighbour {} more than once",
                                       half.from + 1, half.to + 1));
    } else if (pair.size() == 1) {
      problems_.add(where, fmt::format("vertex {} has neighbour {}, but not the other way round",
                                       half.from + 1, half.to + 1));
    } else if (pair[0].weight != pair[1].weight) {
      problems_.add(where, fmt::format("the edge of vertices {} and {} weighs {} here and {} there",
                                       half.from + 1, half.to + 1, half.weight, pair[1].weight));
    }
  }

  const Header& header_;
  const IntegerLines& lines_;
  ProblemList& problems_;
  std::vector<Half> halves_;
  std::vector<std::size_t> line_of_;
};

}  // namespace

CommunicationGraph parse_metis_graph(std::string_view text, const std::string& source) {
  ProblemList problems;
  IntegerLines lines(text, source, '%', problems);
  const Header header = read_header(lines, problems);
  // A vertex takes a line of at least its line break: a header cannot ask for more than the text
  // has.
  if (static_cast<std::size_t>(header.vertices) > text.size()) {
    throw InputError(header.where_vertices,
                     fmt::format("the header says {} vertices; the file has fewer "
                                 "lines",
                                 header.vertices));
  }
  Rows rows(header, lines, problems);
  std::vector<std::int64_t> numbers;
  std::int64_t vertex = 0;
  while (lines.next(numbers, vertex < header.vertices)) {
    if (vertex < header.vertices) {
      rows.add(static_cast<std::uint32_t>(vertex), numbers);
    } else if (vertex == header.vertices) {
      problems.add(lines.where(0), fmt::format("a line after the last of {} vertices", vertex));
    }
    ++vertex;
  }
  if (vertex < header.vertices) {
    problems.add(lines.where(0),
                 fmt::format("the file ends after {} of {} vertices", vertex, header.vertices));
  }
  return rows.graph(source);
}

}  // namespace zonecut
