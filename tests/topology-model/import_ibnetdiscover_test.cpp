#include <fmt/format.h>

#include "import_support.hpp"

using namespace zonecut;
using Catch::Matchers::Contains;

namespace {

constexpr auto kIb = TopologyFormat::Ibnetdiscover;

/// Writes a dump as ibnetdiscover does, from cables that a test names.
class Dump {
 public:
  /// A switch and its cables: "H:gpu1 mlx5_0" to an adapter, "S:spine1" to another switch.
  Dump& add(const std::string& name, const std::vector<std::string>& peers) {
    text_ += fmt::format("\nvendid=0x2c9\ndevid=0xd2f2\nsysimgguid=0x1\nswitchguid=0x1(1)\n");
    text_ += fmt::format("Switch\t65 \"S-{0}\"\t\t# \"{0}\" enhanced port 0 lid 73 lmc 0\n", name);
    int port = 0;
    for (const std::string& peer : peers) {
      const std::string id = peer.substr(2);
      if (peer[0] == 'S') {
        text_ += fmt::format("[{}]\t\"S-{}\"[1]\t\t# \"{}\" lid 2 {}\n", ++port, id, id, rate_);
      } else {
        text_ += fmt::format("[{}]\t\"H-{}\"[1](1) \t\t# \"{}\" lid 3 {}\n", ++port, id, id, rate_);
      }
    }
    return *this;
  }
  Dump& rate(std::string rate) {
    rate_ = std::move(rate);
    return *this;
  }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_ = "#\n# Topology file: generated on Wed Aug  6 16:11:23 2025\n#\n";
  std::string rate_ = "4xNDR";
};

}  // namespace

TEST_CASE("a real rail-optimised fabric is derived from its cables", "[topology][import]") {
  const auto text = shared_text("topology/topograph/output/ibnetdiscover/example.out");
  if (!text) return;
  const Cluster cluster = import_topology(kIb, *text, "example.out", {});
  // Counted apart with awk: 121 hosts in the descriptions of adapters, 31 switches with adapters of
  // servers, 9 without.
  CHECK(cluster.server_count() == 121);
  CHECK(levels(cluster) == std::vector<std::string>{"cluster", "scalable-unit"});
  CHECK(server_counts(cluster, 1) == std::vector<std::size_t>{10, 11, 18, 17, 18, 15, 16, 16});
  const FabricSpec& backend = cluster.backend();
  CHECK(backend.leaves == LeafWiring::Rail);
  CHECK(backend.nics_per_server == 4);
  CHECK(backend.nic_bandwidth == BytesPerSecond{50'000'000'000});
  CHECK(backend.tiers[0].switches == 9);
  CHECK(backend.tiers[1].switches == 4);
  CHECK(backend.tiers[1].uplinks == 18);
  CHECK(backend.tiers[1].uplink_bandwidth == BytesPerSecond{50'000'000'000});
  CHECK(backend.tiers[1].oversubscription == 0);  // counted cables, no assumed ratio
  CHECK(cluster.path(cluster.domain_of(*cluster.find_server("b05-p1-dgx-05-c08"), 1)) ==
        "B09-P1-IBLEAF-01-05");
}

TEST_CASE("a real dump of a host without a fabric is refused", "[topology][import]") {
  const auto text = shared_text("topology/topograph/output/ibnetdiscover/example-bad.out");
  if (!text) return;
  CHECK_THAT(mistakes(kIb, *text), Contains("file:10:1: the dump describes no switch"));
}

TEST_CASE("servers on one leaf each make racks, joined by spines into zones",
          "[topology][import]") {
  const Cluster cluster =
      import_text(kIb, Dump()
                           .rate("4xHDR")
                           .add("l1", {"H:gpu1 mlx5_0", "H:gpu1 mlx5_1", "H:gpu2 mlx5_0",
                                       "H:gpu2 mlx5_1", "S:s1", "S:s1"})
                           .add("l2", {"H:gpu3 mlx5_0", "H:gpu3 mlx5_1", "S:s1", "S:s1"})
                           .add("l3", {"H:gpu10 mlx5_0", "H:gpu10 mlx5_1", "S:s2", "S:s2"})
                           .add("l4", {"H:gpu9 mlx5_0", "H:gpu9 mlx5_1", "S:s2", "S:s2"})
                           .add("s1", {"S:l1", "S:l1", "S:l2", "S:l2", "S:core"})
                           .add("s2", {"S:l3", "S:l3", "S:l4", "S:l4", "S:core"})
                           .add("core", {"S:s1", "S:s2"})
                           .text());
  CHECK(levels(cluster) == std::vector<std::string>{"cluster", "zone", "rack"});
  CHECK(drawing(cluster) == "s1/l1: gpu1 gpu2\ns1/l2: gpu3\ns2/l3: gpu10\ns2/l4: gpu9\n");
  const FabricSpec& backend = cluster.backend();
  CHECK(backend.leaves == LeafWiring::Rack);
  CHECK(backend.nics_per_server == 2);
  CHECK(backend.nic_bandwidth == BytesPerSecond{25'000'000'000});
  CHECK(backend.tiers[0].switches == 1);
  CHECK(backend.tiers[1].switches == 1);
  CHECK(backend.tiers[1].uplinks == 1);
  CHECK(backend.tiers[2].uplinks == 2);
}

TEST_CASE("a dead cable or one in a wrong port does not part a server from its unit",
          "[topology][import]") {
  const Cluster cluster =
      import_text(kIb, Dump()
                           .add("a1", {"H:g1 HCA-1", "H:g2 HCA-1", "H:g3 HCA-1", "S:s"})
                           .add("a2", {"H:g1 HCA-2", "H:g2 HCA-2", "H:g4 HCA-2", "S:s"})
                           .add("a3", {"H:g1 HCA-3", "H:g2 HCA-3", "H:g4 HCA-3", "S:s"})
                           .add("b1", {"H:h1 HCA-1", "H:h2 HCA-1", "H:g4 HCA-1", "S:s"})
                           .add("b2", {"H:h1 HCA-2", "H:h2 HCA-2", "S:s"})
                           .add("b3", {"H:h1 HCA-3", "H:h2 HCA-3", "S:s"})
                           .add("s", {"S:a1", "S:a2", "S:a3", "S:b1", "S:b2", "S:b3"})
                           .text());
  CHECK(drawing(cluster) == "a1: g1 g2 g3 g4\nb1: h1 h2\n");
}

TEST_CASE("aggregation engines are no servers, nor are adapters that name none",
          "[topology][import]") {
  const Cluster cluster = import_text(
      kIb,
      Dump()
          .add("leaf", {"H:gpu1 mlx5_0", "H:MT4129 ConnectX7   Mellanox Technologies",
                        "H:localhost HCA-1", "H:Mellanox Technologies Aggregation Node", "S:spine"})
          .add("spine", {"H:Mellanox Technologies Aggregation Node", "S:leaf"})
          .text());
  CHECK(drawing(cluster) == "leaf: gpu1\n");
  CHECK(cluster.backend().tiers[0].switches == 1);
}

TEST_CASE("a broken dump is refused with the line", "[topology][import]") {
  CHECK_THAT(mistakes(kIb, "Switch\t65 \"S-1\"\t# \"l\"\nhello\n[x]\n[1] nobody\n"),
             Contains("file:2:1: found a line that ibnetdiscover does not write") &&
                 Contains("file:3:1: expected a port") &&
                 Contains("file:4:1: expected the GUID of the other end"));
  CHECK_THAT(mistakes(kIb, "Switch 65\n[1] nobody\n"),
             Contains("file:1:1: expected a number of ports") && !Contains("expected a Switch"));
  CHECK_THAT(mistakes(kIb, Dump().add("l", {"H:g mlx5_0", "S:gone"}).text()),
             Contains("file:11:1: there is a cable to switch S-gone"));
  CHECK_THAT(mistakes(kIb, Dump().add("l", {"H:g mlx5_0"}).add("l", {}).text()),
             Contains("switch S-l is described twice"));
  CHECK_THAT(mistakes(kIb, Dump().add("l", {"H:MT4129 ConnectX7   Mellanox"}).text()),
             Contains("no adapter at a switch names its server"));
  CHECK_THAT(mistakes(kIb, ""), Contains("describes no switch"));
}

TEST_CASE("a file of another kind is refused by its first line alone", "[topology][import]") {
  CHECK_THAT(mistakes(kIb, "# zonecut\n\nDecides where ranks run.\n[a link](there)\nMore.\n"),
             Contains("file:3:1: expected a Switch, Ca or Rt") && !Contains("file:4") &&
                 !Contains("file:5"));
  CHECK_THAT(mistakes(kIb, "ibwarn: no route\nibwarn: no route\nSwitch\t65 \"S-1\"\nhello\n"),
             Contains("file:1:1: expected a Switch, Ca or Rt") && !Contains("file:2") &&
                 Contains("file:4:1: found a line that ibnetdiscover does not write"));
}

TEST_CASE("switches in a ring and a long chain of them end", "[topology][import]") {
  Dump ring;
  const int count = 2'000;
  for (int i = 0; i < count; ++i) {
    const auto peer = [&](int n) { return fmt::format("S:s{}", (n + count) % count); };
    std::vector<std::string> peers = {peer(i - 1), peer(i + 1)};
    if (i % 1'000 == 0) peers.push_back(fmt::format("H:gpu{} mlx5_0", i));
    ring.add(fmt::format("s{}", i), peers);
  }
  const Cluster cluster = import_text(kIb, ring.text());
  CHECK(cluster.server_count() == 2);
}

TEST_CASE("switches that share their product's name are told apart", "[topology][import]") {
  std::string text = Dump().add("1", {"H:a mlx5_0"}).add("2", {"H:b mlx5_0"}).text();
  for (const std::string name : {"# \"1\" enh", "# \"2\" enh"})
    text.replace(text.find(name), name.size(), "# \"Quantum Mellanox Technologies\" enh");
  CHECK(drawing(import_text(kIb, text)) == "S-1: a\nS-2: b\n");
}

TEST_CASE("a dump with more of something than a cluster has is refused at its place",
          "[topology][import]") {
  std::vector<std::string> adapters;
  for (int i = 0; i < 1'025; ++i) adapters.push_back(fmt::format("H:gpu1 mlx5_{}", i));
  CHECK(mistakes(kIb, Dump().add("leaf1", adapters).text()) ==
        "file:10:1: found 1025 adapters of a server, expected at most 1024");
  std::vector<std::string> spines;
  Dump many;
  for (int i = 0; i < 4'097; ++i) {
    spines.push_back(fmt::format("S:spine{}", i));
    many.add(fmt::format("spine{}", i), {});
  }
  for (const std::string number : {"1", "2"}) {
    std::vector<std::string> peers = spines;
    peers.push_back("H:gpu" + number + " mlx5_0");
    many.add("leaf" + number, peers);
  }
  CHECK(mistakes(kIb, many.text()) ==
        "file:9:1: found 4097 switches of a domain, expected at most 4096");
}
