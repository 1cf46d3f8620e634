#include "support/catch.hpp"
#include "zonecut/base/error.hpp"
#include "zonecut/partition/communication_graph.hpp"
#include "zonecut/partition/slot_tree.hpp"

using namespace zonecut;

namespace {

constexpr std::int64_t kDistances[] = {1, 10, 100, 1000};

template <class Read>
std::vector<std::string> mistakes(Read read) {
  try {
    static_cast<void>(read());
  } catch (const InputError& error) {
    std::vector<std::string> texts;
    for (const Problem& problem : error.problems()) texts.push_back(to_text(problem));
    return texts;
  }
  return {};
}

std::vector<std::string> graph_mistakes(std::string_view text) {
  return mistakes([&] { return parse_metis_graph(text, "g"); });
}
std::vector<std::string> tree_mistakes(std::string_view text) {
  return mistakes([&] { return parse_slot_tree(text, "t", kDistances); });
}
using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("edges are added up, sorted and stand in both rows", "[partition]") {
  const auto graph =
      CommunicationGraph::from_edges(3, {{2, 0, 5}, {0, 2, 1}, {1, 1, 9}, {0, 1, 2}});
  CHECK(graph.vertices() == 3);
  CHECK(graph.edges() == 2);
  CHECK(graph.total_weight() == 8);
  REQUIRE(graph.neighbours(0).size() == 2);
  CHECK(graph.neighbours(0)[0].vertex == 1);
  CHECK(graph.neighbours(0)[1].weight == 6);
  CHECK(graph.neighbours(2)[0].vertex == 0);
}

TEST_CASE("weights that are negative or too many are refused", "[partition]") {
  CHECK_THROWS_AS(CommunicationGraph::from_edges(2, {{0, 1, -1}}), InputError);
  const std::int64_t half = std::int64_t{1} << 61;
  CHECK_NOTHROW(CommunicationGraph::from_edges(2, {{0, 1, half}}));
  CHECK_THROWS_AS(CommunicationGraph::from_edges(2, {{0, 1, half}, {0, 1, half}}), InputError);
}

TEST_CASE("graphs are read in all four formats", "[partition]") {
  for (const char* text : {"3 2\n2\n1 3\n2\n", "% a comment\n3 2 1\n2 1\n1 1 3 1\n2 1\n",
                           "3 2 10\n7 2\n7 1 3\n7 2\n", "3 2 011\n7 2 1\n7 1 1 3 1\n7 2 1\n"}) {
    INFO(text);
    const CommunicationGraph graph = parse_metis_graph(text, "g");
    CHECK(graph.vertices() == 3);
    CHECK(graph.edges() == 2);
    CHECK(graph.total_weight() == 2);
  }
  // An empty line is a vertex without neighbours.
  CHECK(parse_metis_graph("2 0\n\n\n", "g").edges() == 0);
}

TEST_CASE("every mistake of a graph is reported with its place", "[partition]") {
  CHECK(graph_mistakes("") ==
        Texts{"g:1:1: the file is empty; expected 'vertices edges [format]'"});
  CHECK(graph_mistakes("2 1 5\n2\n1\n") == Texts{"g:1:5: format 5; expected 0, 1, 10 or 11"});
  CHECK(graph_mistakes("2 1\n2 x\n1 3\n") == Texts{"g:2:3: 'x' is not an integer of 64 bits",
                                                   "g:2:3: neighbour 0; expected 1 to 2",
                                                   "g:3:3: neighbour 3; expected 1 to 2"});
  CHECK(graph_mistakes("2 1 1\n2 4\n1 5\n") ==
        Texts{"g:2:1: the edge of vertices 1 and 2 weighs 4 here and 5 there"});
  CHECK(graph_mistakes("3 1\n2\n\n\n") ==
        Texts{"g:2:1: vertex 1 has neighbour 2, but not the other way round"});
  CHECK(graph_mistakes("% c\n 99 0\n") ==
        Texts{"g:2:2: the header says 99 vertices; the file has fewer lines"});
  CHECK(graph_mistakes("% from a tool\n2 2\n2\n1\n") ==
        Texts{"g:2:3: the header says 2 edges; the lines have 1"});
  CHECK(graph_mistakes("2 2\n2\n1\n") == Texts{"g:1:3: the header says 2 edges; the lines have 1"});
  CHECK(graph_mistakes("2 1 1\n2\n1 3\n").size() == 2);
  CHECK(graph_mistakes("3 0\n\n") == Texts{"g:2:1: the file ends after 1 of 3 vertices"});
  CHECK(graph_mistakes("1 0\n\n1\n") == Texts{"g:3:1: a line after the last of 1 vertices"});
  CHECK(graph_mistakes("4000000 0\n").size() == 1);
  CHECK(graph_mistakes("99999999999999999999 0\n").size() >= 1);
}

TEST_CASE("a tree has its racks in the order of the file", "[partition]") {
  const SlotTree tree = parse_slot_tree("0 0 2\n0 0 0\n0 1 1\n1 5 3\n", "t", kDistances).tree;
  CHECK(tree.levels() == 3);
  CHECK(tree.domains(0) == 2);
  CHECK(tree.domains(1) == 3);
  CHECK(tree.free == std::vector<std::uint32_t>{2, 0, 1, 3});
  CHECK(tree.cut_level == 1);
  CHECK(tree.distance == std::vector<std::int64_t>{1000, 100, 10, 1});
  CHECK(tree.capacity(1) == std::vector<std::uint64_t>{2, 1, 3});
  CHECK_NOTHROW(check(tree));
}

TEST_CASE("racks of a zone may stand anywhere, and slots keep the file's numbers", "[partition]") {
  //             slots   0 1      2      3 4      5
  const auto file = parse_slot_tree("0 7 2\n1 9 1\n0 8 2\n0 7 1\n", "t", kDistances);
  CHECK_NOTHROW(check(file.tree));
  CHECK(file.tree.free == std::vector<std::uint32_t>{2, 1, 2, 1});  // zones 7, 8, 9
  CHECK(file.number_in_file == std::vector<std::uint32_t>{0, 1, 5, 3, 4, 2});
}

TEST_CASE("one building needs no distance between buildings", "[partition]") {
  const auto three = std::span(kDistances).first(3);
  CHECK(parse_slot_tree("0 0 1\n0 1 1\n", "t", three).tree.distance.size() == 4);
  CHECK_THROWS_AS(parse_slot_tree("0 0 1\n1 1 1\n", "t", three), InputError);
}

TEST_CASE("every mistake of a tree is reported with its place", "[partition]") {
  CHECK(tree_mistakes("") ==
        Texts{"t:1:1: the file has no rack; expected 'building zone free' a line"});
  CHECK(tree_mistakes("0 0 -1\n0 0\n") ==
        Texts{"t:1:5: -1 free servers; expected 0 to 4194304",
              "t:2:4: 2 numbers; expected 3: building, zone, free servers of a rack"});
  CHECK(tree_mistakes("0 0 1\n1 0 1\n") ==
        Texts{"t:2:3: zone 0 stands in another building in line 1; a zone has one building"});
  CHECK(tree_mistakes("0 0 4194304\n0 0 1\n") ==
        Texts{"t:2:5: more than 4194304 free servers in all"});
  const std::int64_t falling[] = {10, 1, 100, 1000};
  CHECK_THROWS_AS(parse_slot_tree("0 0 1\n", "t", falling), InputError);
  CHECK_THROWS_AS(parse_slot_tree("0 0 1\n", "t", std::span(falling).first(2)), InputError);
}

TEST_CASE("coordinates are three a line, one line a vertex", "[partition]") {
  CHECK(parse_coordinates("0 1 -1\n2 3 4\n", "c", 2) ==
        std::vector<Coordinates>{{0, 1, -1}, {2, 3, 4}});
  const auto read = [](std::string_view text) {
    return mistakes([&] { return parse_coordinates(text, "c", 2); });
  };
  CHECK(read("0 0 0\n") == Texts{"c:1:1: the file ends after 1 of 2 vertices"});
  CHECK(read("0 0 0\n0 0 1\n0 0 2\n") == Texts{"c:3:1: a line after the last of 2 vertices"});
  CHECK(read("0 0\n0 -2 1\n") ==
        Texts{"c:1:4: 2 numbers; expected 3, the place on each axis",
              "c:2:3: -2; expected a place from 0, or -1 where the axis does not apply"});
}

TEST_CASE("a mapping is read back as it was written, whatever the order of racks", "[partition]") {
  const SlotTreeFile tree = parse_slot_tree("0 0 1\n1 1 2\n0 0 2\n", "t", kDistances);
  const std::vector<std::uint32_t> slots = {4, 0, 2};
  std::string text = "% by vertex\n";
  for (const std::uint32_t slot : slots) text += std::to_string(tree.number_in_file[slot]) + "\n";
  CHECK(parse_mapping(text, "m", tree, 3) == slots);
}

TEST_CASE("every mistake of a mapping is reported with its place", "[partition]") {
  const SlotTreeFile tree = parse_slot_tree("0 0 3\n", "t", kDistances);
  const auto found = [&](std::string_view text) {
    return mistakes([&] { return parse_mapping(text, "m", tree, 3); });
  };
  CHECK(found("0\n3\n-1\n") ==
        Texts{"m:2:1: no slot 3; expected 0 to 2", "m:3:1: no slot -1; expected 0 to 2"});
  CHECK(found("0\n1\n0\n") == Texts{"m:3:1: slot 0 is taken already, in line 1"});
  CHECK(found("0\n1 2\n2\n") == Texts{"m:2:3: 2 numbers; expected 1, the slot of vertex 2"});
  CHECK(found("0\n1\n").size() == 1);
  CHECK(found("0\n1\n2\n1\n") == Texts{"m:4:1: a line after the last of 3 vertices"});
}
