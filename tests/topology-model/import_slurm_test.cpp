#include "import_support.hpp"

using namespace zonecut;
using Catch::Matchers::Contains;

namespace {
constexpr auto kConf = TopologyFormat::SlurmConf;
constexpr auto kYaml = TopologyFormat::SlurmYaml;
}  // namespace

TEST_CASE("a topology.conf keeps the order of its lines", "[topology][import]") {
  const Cluster cluster = import_text(kConf,
                                      "# two zones\n"
                                      "SwitchName=core Switches=zb,za LinkSpeed=100\n"
                                      "SWITCHNAME=za switches=r[1-2] # comment\n"
                                      "SwitchName=zb \\\n"
                                      "  Switches=\"r10\"\n"
                                      "SwitchName=r1 Nodes=gpu[01-02,07]\r\n"
                                      "SwitchName = r2 Nodes = gpu03\n"
                                      "SwitchName=r10 Nodes=gpu04");
  CHECK(cluster.name() == "core");
  CHECK(levels(cluster) == std::vector<std::string>{"cluster", "zone", "rack"});
  CHECK(drawing(cluster) == "zb/r10: gpu04\nza/r1: gpu01 gpu02 gpu07\nza/r2: gpu03\n");
}

TEST_CASE("where others know the servers and their GPUs the other nodes are left out",
          "[topology][import]") {
  ImportOptions options;
  options.server_gpus = {{"s1", 4}, {"s2", 8}, {"elsewhere", 8}};
  const Cluster cluster = import_text(kConf,
                                      "SwitchName=top Switches=r1,r2,login,spare\n"
                                      "SwitchName=r1 Nodes=s1,cpu1\nSwitchName=r2 Nodes=s2\n"
                                      "SwitchName=login Nodes=l[1-2]\nSwitchName=spare\n",
                                      options);
  CHECK(drawing(cluster) == "r1: s1\nr2: s2\nspare:\n");
  CHECK(cluster.server(ServerId{0}).gpus == 4);
  CHECK(cluster.server(ServerId{1}).gpus == 8);
}

TEST_CASE("a forest of switches keeps its topmost ones as zones", "[topology][import]") {
  const Cluster cluster = import_text(kConf,
                                      "SwitchName=a Switches=r1\nSwitchName=b Switches=r2\n"
                                      "SwitchName=r1 Nodes=s1\nSwitchName=r2 Nodes=s2\n");
  CHECK(drawing(cluster) == "a/r1: s1\nb/r2: s2\n");
}

TEST_CASE("a tree of uneven depth gets inserted levels", "[topology][import]") {
  const Cluster cluster = import_text(kConf,
                                      "SwitchName=top Switches=z,flat\n"
                                      "SwitchName=z Switches=r1 Nodes=login\n"
                                      "SwitchName=r1 Nodes=s1\n"
                                      "SwitchName=flat Nodes=s2\n");
  CHECK(drawing(cluster) == "z/z: login\nz/r1: s1\nflat/flat: s2\n");
}

TEST_CASE("one switch alone is a rack", "[topology][import]") {
  const Cluster cluster = import_text(kConf, "SwitchName=s0 Nodes=n[1-3]\n");
  CHECK(levels(cluster) == std::vector<std::string>{"cluster", "rack"});
  CHECK(drawing(cluster) == "s0: n1 n2 n3\n");
}

TEST_CASE("levels outside the zones have neutral names", "[topology][import]") {
  const Cluster cluster = import_text(kConf,
                                      "SwitchName=a Switches=b,b2\nSwitchName=b Switches=c\n"
                                      "SwitchName=c Switches=d\nSwitchName=d Nodes=s1\n"
                                      "SwitchName=b2 Nodes=s2\n");
  CHECK(levels(cluster) == std::vector<std::string>{"cluster", "level-1", "zone", "rack"});
  CHECK(cluster.zone_level() == 2);
  CHECK(drawing(cluster) == "b/c/d: s1\nb2/b2/b2: s2\n");
}

TEST_CASE("a rack without nodes keeps its place", "[topology][import]") {
  const Cluster cluster = import_text(kConf,
                                      "SwitchName=top Switches=r1,r2\nSwitchName=r1\n"
                                      "SwitchName=r2 Nodes=s1\n");
  CHECK(drawing(cluster) == "r1:\nr2: s1\n");
}

TEST_CASE("what makes switches no tree is named with its line", "[topology][import]") {
  const std::string found = mistakes(kConf,
                                     "SwitchName=a Switches=r1,r2\n"
                                     "SwitchName=b Switches=r1,nowhere\n"
                                     "SwitchName=r1 Nodes=s1\n"
                                     "SwitchName=r2 Nodes=s1,s[2-\n"
                                     "SwitchName=r1 Nodes=s3\n"
                                     "Switchname\n"
                                     "PartitionName=gpu\n");
  CHECK_THAT(found, Contains("file:2:14: switch r1 has two parents, a and b"));
  CHECK_THAT(found, Contains("file:2:14: switch nowhere is not described anywhere"));
  CHECK_THAT(found, Contains("file:4:15: "));
  CHECK_THAT(found, Contains("file:5:1: switch r1 is described twice, first at file:3:1"));
  CHECK_THAT(found, Contains("file:6:1: expected \"Key=value\""));
  CHECK_THAT(found, Contains("file:7:1: found \"partitionname\""));
  CHECK_THAT(mistakes(kConf, "SwitchName=r1 Nodes=s1\nSwitchName=r2 Nodes=s1\n"),
             Contains("file:2:15: server s1 is listed twice, first at file:1:15"));
}

TEST_CASE("switches in a circle are found, on their own and beside a tree", "[topology][import]") {
  CHECK_THAT(mistakes(kConf, "SwitchName=a Switches=b\nSwitchName=b Switches=a\n"),
             Contains("lies below itself"));
  CHECK_THAT(mistakes(kConf, "SwitchName=a Switches=a\n"), Contains("switch a lies below itself"));
  CHECK_THAT(mistakes(kConf,
                      "SwitchName=r Nodes=s1\nSwitchName=x Switches=y\nSwitchName=y Switches=z\n"
                      "SwitchName=z Switches=x\n"),
             Contains("lies below itself"));
}

TEST_CASE("a chain of switches without end is refused, not followed", "[topology][import]") {
  std::string text;
  for (int i = 0; i < 100'000; ++i)
    text += "SwitchName=s" + std::to_string(i) + " Switches=s" + std::to_string(i + 1) + "\n";
  text += "SwitchName=s100000 Nodes=n1\n";
  CHECK_THAT(mistakes(kConf, text), Contains("more than 6 levels deep"));
}

TEST_CASE("six levels are read and a seventh is not", "[topology][import]") {
  const auto chain = [](int switches) {
    std::string text = "SwitchName=top Switches=s1,other\nSwitchName=other Nodes=x\n";
    for (int i = 1; i < switches; ++i)
      text += "SwitchName=s" + std::to_string(i) + " Switches=s" + std::to_string(i + 1) + "\n";
    return text + "SwitchName=s" + std::to_string(switches) + " Nodes=n1\n";
  };
  CHECK(import_text(kConf, chain(6)).rack_level() == 6);
  CHECK_THAT(mistakes(kConf, chain(7)), Contains("more than 6 levels deep"));
}

TEST_CASE("host lists may not name more servers than any cluster has", "[topology][import]") {
  CHECK_THAT(mistakes(kConf, "SwitchName=a Nodes=n[1-999999]\nSwitchName=b Nodes=m[1-999999]\n"),
             Contains("file:2:14: "));
  CHECK_THAT(mistakes(kConf, "SwitchName=a Nodes=n[1-9999999999]\n"), Contains("file:1:14: "));
}

TEST_CASE("a cluster cannot be named with control characters", "[topology][import]") {
  CHECK_THAT(mistakes(kConf, "SwitchName=to\x1bp Switches=r1\nSwitchName=r1 Nodes=n1\n"),
             Contains("file: the name of the cluster contains a control character"));
}

TEST_CASE("lines that cannot be followed are named", "[topology][import]") {
  CHECK_THAT(mistakes(kConf, "Include other.conf\n"), Contains("file:1:1: \"Include\""));
  CHECK_THAT(mistakes(kConf, "SwitchName=\"a\n"), Contains("file:1:12: this quote is not closed"));
  CHECK_THAT(mistakes(kConf, "SwitchName= # x\n"), Contains("has no value"));
  CHECK_THAT(mistakes(kConf, "SwitchName=a Nodes=x Nodes=y\n"), Contains("file:1:22: \"nodes\""));
  CHECK_THAT(mistakes(kConf, ""), Contains("found no server"));
}

TEST_CASE("blocks of topology/block are one level, larger sizes another", "[topology][import]") {
  const Cluster cluster = import_text(kConf,
                                      "BlockName=b1 Nodes=n[1-2]\nBlockName=b2 Nodes=n[3-4]\n"
                                      "BlockName=b3 Nodes=n[5-6]\nBlockSizes=2,4,8\n");
  CHECK(levels(cluster) == std::vector<std::string>{"cluster", "blocks-of-4", "block"});
  CHECK(drawing(cluster) == "b1/b1: n1 n2\nb1/b2: n3 n4\nb3/b3: n5 n6\n");
  CHECK_THAT(mistakes(kConf, "BlockName=b Nodes=n1\nSwitchName=s Nodes=n2\n"),
             Contains("file:2:1: found \"switchname\" in a file of blocks, first at file:1:1"));
  CHECK_THAT(mistakes(kConf, "BlockName=b Nodes=n1\nBlockSizes=4,6\n"),
             Contains("file:2:1: found the block size 6"));
}

namespace {

// The example of topology.yaml(5), with a tree of two tiers.
constexpr std::string_view kTopologies = R"(- topology: topo1
  cluster_default: False
  block:
    block_sizes:
      - 4
      - 16
    blocks:
    - block: b1
      nodes: node[01-04]
    - block: b2
      nodes: node[05-08]
- topology: topo2
  cluster_default: True
  tree:
    switches:
    - switch: sw_root
      children: s[1-2]
    - switch: s1
      nodes: node[01-04]
    - switch: s2
      nodes: node[05-08]
- topology: topo3
  cluster_default: False
  flat: True
)";

}  // namespace

TEST_CASE("the default topology of topology.yaml is read", "[topology][import]") {
  const Cluster cluster = import_text(kYaml, kTopologies);
  CHECK(cluster.name() == "sw_root");
  CHECK(drawing(cluster) == "s1: node01 node02 node03 node04\ns2: node05 node06 node07 node08\n");
}

TEST_CASE("without a default, the first topology with domains is read", "[topology][import]") {
  const Cluster cluster = import_text(kYaml,
                                      "- topology: cpu\n  flat: true\n"
                                      "- topology: gpu\n"
                                      "  block:\n"
                                      "    block_sizes: [2]\n"
                                      "    blocks:\n"
                                      "    - {block: b1, nodes: 'n[1-2]'}\n"
                                      "    - {block: b2, nodes: 'n[3-4]'}\n");
  CHECK(cluster.name() == "gpu");
  CHECK(drawing(cluster) == "b1: n1 n2\nb2: n3 n4\n");
}

TEST_CASE("a topology.yaml without domains or with broken ones is refused", "[topology][import]") {
  CHECK_THAT(mistakes(kYaml, "- topology: cpu\n  flat: true\n"), Contains("found no topology"));
  CHECK_THAT(mistakes(kYaml, "topology: cpu\n"), Contains("expected a list of topologies"));
  const std::string found = mistakes(kYaml,
                                     "- topology: t\n"
                                     "  tree:\n"
                                     "    switches:\n"
                                     "    - switch: a\n"
                                     "      children: b\n"
                                     "    - nodes: n1\n"
                                     "    - switch: c\n"
                                     "      nodes: [n2]\n"
                                     "    - 7\n");
  CHECK_THAT(found, Contains("file:5:17: switch b is not described anywhere"));
  CHECK_THAT(found, Contains("file:6:7: expected a name under \"switch\""));
  CHECK_THAT(found, Contains("file:8:14: expected a host list under \"nodes\""));
  CHECK_THAT(found, Contains("file:9:7: expected a mapping in \"switches\""));
}

TEST_CASE("the default topology may be marked with any word that Slurm takes for true",
          "[topology][import]") {
  const auto with = [](const std::string& word) {
    return "- topology: a\n  tree: {switches: [{switch: l1, nodes: n1}]}\n"
           "- topology: b\n  cluster_default: " +
           word + "\n  tree: {switches: [{switch: l2, nodes: n2}]}\n";
  };
  for (const char* word : {"yes", "Y", "on", "t", "TRUE"}) {
    CAPTURE(word);
    CHECK(drawing(import_text(kYaml, with(word))) == "l2: n2\n");
  }
  for (const char* word : {"no", "N", "off", "f", "False"}) {
    CAPTURE(word);
    CHECK(drawing(import_text(kYaml, with(word))) == "l1: n1\n");
  }
  for (const char* word : {"1", "ja", "[true]", ""}) {
    CAPTURE(word);
    CHECK_THAT(mistakes(kYaml, with(word)),
               Contains("\"cluster_default\" is neither true nor false"));
  }
}

TEST_CASE("nothing of the topology that is read is passed over", "[topology][import]") {
  const std::string tree = mistakes(kYaml,
                                    "- topology: t\n"
                                    "  tree:\n"
                                    "    switches:\n"
                                    "    - {switch: a, node: n1}\n"
                                    "    switch: 1\n"
                                    "- just text\n");
  CHECK_THAT(tree, Contains("file:4:19: unknown key \"node\" (did you mean \"nodes\"?)"));
  CHECK_THAT(tree, Contains("file:5:5: unknown key \"switch\""));
  CHECK_THAT(tree, Contains("file:6:3: expected a mapping with \"topology\""));
  const std::string block = mistakes(kYaml,
                                     "- topology: t\n"
                                     "  block:\n"
                                     "    block_sizes: 2\n"
                                     "    blocks: [{block: b1, node: n1}]\n");
  CHECK_THAT(block, Contains("file:3:18: expected a list \"block_sizes\" (such as [4, 16])"));
  CHECK_THAT(block, Contains("file:4:26: unknown key \"node\""));
  CHECK_THAT(mistakes(kYaml,
                      "- topology: t\n"
                      "  tree: {switches: [{switch: a, nodes: n1}]}\n"
                      "  block: {blocks: [{block: b, nodes: n2}]}\n"),
             Contains("file:3:10: found both \"tree\" and \"block\" in one topology"));
}

TEST_CASE("a key of topology.conf that is misspelt or misplaced is reported",
          "[topology][import]") {
  const std::string found = mistakes(kConf,
                                     "SwitchName=a Nodes=n1 Node=n2\n"
                                     "SwitchName=b Nods=n3\n"
                                     "SwitchName=c BlockName=d Nodes=n4\n"
                                     "SwitchName=e Colour=n4\n"
                                     "BlockSizes=2,4\n");
  CHECK_THAT(found, Contains("file:1:23: unknown key \"node\" beside \"switchname\" (did you mean "
                             "\"nodes\"?)"));
  CHECK_THAT(found, Contains("file:2:14: unknown key \"nods\""));
  CHECK_THAT(found, Contains("file:3:14: unknown key \"blockname\" beside \"switchname\""));
  CHECK_THAT(found, Contains("(known here: switchname, switches, nodes, linkspeed, level)"));
  CHECK_THAT(found, Contains("file:5:1: found \"blocksizes\" in a file of switches, first at "
                             "file:1:1"));
  const std::string blocks = mistakes(kConf,
                                      "BlockName=a Nodes=n1\nBlockName=b Nodes=n2 BlockSizes=2\n"
                                      "BlockSizes=2\nBlockSizes=2,4\n");
  CHECK_THAT(blocks, Contains("file:2:22: unknown key \"blocksizes\" beside \"blockname\" (it "
                              "stands in a line of its own)"));
  CHECK_THAT(blocks, Contains("file:4:1: BlockSizes is given twice, first at file:3:1"));
}

TEST_CASE("slurm.conf in the place of topology.conf is reported once", "[topology][import]") {
  const std::string found = mistakes(kConf,
                                     "GresTypes=gpu\nSlurmctldHost=head\nClusterName=c\n"
                                     "NodeName=n[1-4] CPUs=64\nPartitionName=p Nodes=ALL\n");
  CHECK_THAT(found, Contains("file:1:1: found \"grestypes\", expected SwitchName, BlockName or "
                             "BlockSizes") &&
                        Contains("file:2:1: found \"slurmctldhost\", expected SwitchName, "
                                 "BlockName or BlockSizes (is this slurm.conf? topology.conf "
                                 "stands beside it)"));
  CHECK_THAT(found, !Contains("clustername") && !Contains("nodename"));
}

TEST_CASE("the nodes that scontrol repeats at upper switches are those of the lower ones",
          "[topology][import][slurm]") {
  CHECK(drawing(import_text(kConf,
                            "SwitchName=r1 Level=0 LinkSpeed=1 Nodes=n[1-2]\n"
                            "SwitchName=r2 Level=0 LinkSpeed=1 Nodes=n3\n"
                            "SwitchName=top Level=1 LinkSpeed=1 Nodes=n[1-3] Switches=r[1-2]\n")) ==
        "r1: n1 n2\nr2: n3\n");
}

TEST_CASE("what scontrol prints beside the keys of topology.conf is passed over",
          "[topology][import]") {
  CHECK(drawing(import_text(kConf, "SwitchName=a Level=0 LinkSpeed=1 Nodes=n1\n")) == "a: n1\n");
  CHECK(drawing(import_text(kConf, "BlockName=b BlockIndex=0 Nodes=n1 BlockSize=2\n")) ==
        "b: n1\n");
}

TEST_CASE("a line may be continued within a value, and lines keep their numbers",
          "[topology][import]") {
  CHECK(drawing(import_text(
            kConf,
            "SwitchName=a Nodes=n1,\\\nn2\nSwitchName=b Nodes=\"n3,\\ \r\nn[4-\\\n5]\"\n"
            "SwitchName=c Nodes=n6\\\n\nSwitchName=d Nodes=n7\\")) ==
        "a: n1 n2\nb: n3 n4 n5\nc: n6\nd: n7\n");
  // An even number of backslashes continues nothing.
  CHECK_THAT(mistakes(kConf, "SwitchName=a Nodes=n1,\\\nn2\nSwitchName=a Nodes=n3\\\\\nHere\n"),
             Contains("file:3:1: switch a is described twice, first at file:1:1") &&
                 Contains("file:4:1: expected \"Key=value\""));
}

TEST_CASE("a file may not describe more switches or blocks than any cluster has",
          "[topology][import]") {
  std::string switches;
  std::string blocks;
  for (int i = 0; i <= 1'000'000; ++i) {
    switches += "SwitchName=" + std::to_string(i) + "\n";
    blocks += "BlockName=" + std::to_string(i) + "\n";
  }
  CHECK(mistakes(kConf, switches) == "file:1000001:1: found more than 1000000 switches");
  CHECK(mistakes(kConf, blocks) == "file:1000001:1: found more than 1000000 blocks");
}

TEST_CASE("a switch or node of a topology.yaml has the place of its list", "[topology][import]") {
  const std::string tree = mistakes(kYaml,
                                    "- topology: t\n"
                                    "  tree:\n"
                                    "    switches:\n"
                                    "    - switch: a\n"
                                    "      children: b,c\n"
                                    "    - switch: b\n"
                                    "      nodes: n1\n"
                                    "    - switch: d\n"
                                    "      nodes: n1\n");
  CHECK_THAT(tree, Contains("file:5:17: switch c is not described anywhere"));
  CHECK_THAT(tree, Contains("file:9:14: server n1 is listed twice, first at file:7:14"));
  CHECK_THAT(mistakes(kYaml,
                      "- topology: t\n"
                      "  block:\n"
                      "    blocks:\n"
                      "    - block: b\n"
                      "      nodes: n1,n1\n"),
             Contains("file:5:14: server n1 is listed twice, first at file:5:14"));
}
