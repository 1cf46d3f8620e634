#include "import_support.hpp"
#include "zonecut/topology/cluster_file.hpp"

using namespace zonecut;
using Catch::Matchers::Contains;

namespace {

constexpr auto kNodes = TopologyFormat::SlurmNodes;

/// As Slurm 22.05 prints it.
constexpr const char* kTree =
    "SwitchName=r1 Level=0 LinkSpeed=1 Nodes=n[1-2]\n"
    "SwitchName=r2 Level=0 LinkSpeed=1 Nodes=n[3-4]\n"
    "SwitchName=login Level=0 LinkSpeed=1 Nodes=l1\n"
    "SwitchName=z1 Level=1 LinkSpeed=1 Nodes=l1,n[1-4] Switches=r[1-2],login\n";

ImportOptions beside(std::string topology) {
  ImportOptions options;
  options.topology_text = std::move(topology);
  options.topology_source = "topology";
  return options;
}

std::string node(const std::string& name, const std::string& words) {
  return "NodeName=" + name + " Arch=x86_64 CoresPerSocket=1 \n   " + words + "\n\n";
}

/// "n1: up 0,1"; servers that are up and free are left out.
std::string state(const std::string& text, const Cluster& cluster) {
  const ClusterView view = import_state(kNodes, text, "file", cluster);
  std::string drawn;
  for (std::size_t i = 0; i < cluster.server_count(); ++i) {
    const ServerId server{i};
    std::string held;
    for (int gpu = 0; gpu < cluster.server(server).gpus; ++gpu) {
      if (view.occupancy.holder(GpuId{server, gpu}))
        held += (held.empty() ? " " : ",") + std::to_string(gpu);
    }
    const ServerHealth health = view.health.servers[server];
    if (held.empty() && health == ServerHealth::Up) continue;
    drawn += cluster.server(server).name + ":" +
             (health == ServerHealth::Up        ? " up"
              : health == ServerHealth::Drained ? " drained"
                                                : " down") +
             held + "\n";
  }
  return drawn;
}

/// The state of a single node with eight GPUs.
std::string state_of(const std::string& words) {
  const std::string text = node("n1", "Gres=gpu:8 Topology=t:r1 " + words);
  return state(text, import_text(kNodes, text));
}

}  // namespace

TEST_CASE("nodes stand where the topology beside them says, those without GPUs nowhere",
          "[topology][import][slurm-nodes]") {
  const std::string text = node("n1", "Gres=gpu:8 State=IDLE") +
                           node("n2", "Gres=gpu:h100:4(S:0-1),nic:2 State=IDLE") +
                           node("n3", "Gres=gpu:a:2,gpu:b:1 State=IDLE") +
                           node("n4", "Gres=gpu State=IDLE") + node("l1", "Gres=(null) State=IDLE");
  const Cluster cluster = import_text(kNodes, text, beside(kTree));
  CHECK(drawing(cluster) == "r1: n1 n2\nr2: n3 n4\n");
  CHECK(cluster.name() == "z1");
  for (const auto& [name, gpus] : {std::pair{"n1", 8}, {"n2", 4}, {"n3", 3}, {"n4", 1}})
    CHECK(cluster.server(*cluster.find_server(name)).gpus == gpus);
  CHECK(servers_left_out(kNodes, text, "nodes", beside(kTree)) == std::vector<std::string>{"l1"});
  CHECK(servers_left_out(kNodes, node("l1", "State=IDLE"), "nodes", {}).empty());
}

TEST_CASE("topology.yaml and the one-line shape mean the same", "[topology][import][slurm-nodes]") {
  const std::string lines =
      node("n1", "Gres=gpu:8 State=IDLE") + node("n2", "Gres=gpu:8 State=IDLE");
  const std::string one_line =
      "NodeName=n1 Arch=x86_64 Gres=gpu:8 OS=Linux 6.1 #1 SMP State=IDLE Reason=Gres=gpu:1 \n"
      "NodeName=n2 Arch=x86_64 Gres=gpu:8 State=IDLE\r\n";
  const std::string yaml =
      "# as written by hand\n---\n- topology: t\n  tree:\n    switches:\n"
      "      - switch: z1\n        children: r1\n"
      "      - switch: r1\n        nodes: n[1-2]\n";
  const std::string conf = "SwitchName=z1 Switches=r1\nSwitchName=r1 Nodes=n[1-2]\n";
  const Cluster cluster = import_text(kNodes, lines, beside(conf));
  CHECK(same_cluster(cluster, import_text(kNodes, one_line, beside(conf))));
  CHECK(same_cluster(cluster, import_text(kNodes, lines, beside(yaml))));
}

TEST_CASE("nodes may say themselves where they stand", "[topology][import][slurm-nodes]") {
  const std::string deep = node("n1", "Gres=gpu:8 State=IDLE Topology=tree:top:z1:r1,block:b1") +
                           node("n2", "Gres=gpu:8 State=IDLE Topology=block:b1,tree:top:z2:r1");
  const Cluster cluster = import_text(kNodes, deep);
  CHECK(drawing(cluster) == "z1/r1: n1\nz2/r1: n2\n");
  CHECK(cluster.name() == "top");
  const Cluster uneven = import_text(kNodes, node("n1", "Gres=gpu:8 State=IDLE Topology=t:z1:r1") +
                                                 node("n2", "Gres=gpu:8 State=IDLE Topology=t:r9"));
  CHECK(drawing(uneven) == "r9/r9: n2\nz1/r1: n1\n");
  CHECK(uneven.name() == "t");
}

TEST_CASE("where Slurm knows no GPUs all nodes are servers", "[topology][import][slurm-nodes]") {
  const Cluster cluster = import_text(kNodes, node("n1", "State=IDLE Topology=t:r1"));
  CHECK(cluster.server(ServerId{0}).gpus == 8);
  const Cluster tracked =
      import_text(kNodes, node("n1",
                               "State=IDLE CfgTRES=cpu=4,gres/gpu:a=2,gres/gpu=2 "
                               "Topology=t:r1"));
  CHECK(tracked.server(ServerId{0}).gpus == 2);
}

TEST_CASE("states say what takes nothing new and what is down", "[topology][import][slurm-nodes]") {
  for (const char* up : {"IDLE", "IDLE+CLOUD", "IDLE~", "IDLE+PLANNED", "IDLE#+CLOUD",
                         "IDLE+RESERVED", "IDLE-", "IDLE+REBOOT_REQUESTED"}) {
    CHECK(state_of(std::string("State=") + up) == "");
  }
  for (const char* drained :
       {"IDLE+DRAIN", "IDLE*", "IDLE+FAIL", "IDLE+NOT_RESPONDING", "IDLE+MAINTENANCE", "IDLE$",
        "IDLE+INVALID_REG", "IDLE+CLOUD+DRAIN+PLANNED"}) {
    CHECK(state_of(std::string("State=") + drained) == "n1: drained\n");
  }
  for (const char* down : {"DOWN", "DOWN*", "DOWN+DRAIN", "DOWN*+DRAIN+CLOUD", "FUTURE", "UNKNOWN",
                           "ERROR", "DOWN+NOT_RESPONDING"}) {
    CHECK(state_of(std::string("State=") + down) == "n1: down\n");
  }
}

TEST_CASE("GPUs in use are held by their index, by their number, or all",
          "[topology][import][slurm-nodes]") {
  CHECK(state_of("GresUsed=gpu:h:3(IDX:0,4-5) State=MIXED") == "n1: up 0,4,5\n");
  CHECK(state_of("GresUsed=gpu:(null):2(IDX:6-7) State=MIXED+DRAIN") == "n1: drained 6,7\n");
  CHECK(state_of("GresUsed=gpu:(null):0(IDX:N/A) State=ALLOCATED") == "");
  CHECK(state_of("GresUsed=gpu:0 State=ALLOCATED CPUAlloc=64") == "");
  CHECK(state_of("GresUsed=gpu:3 State=MIXED") == "n1: up 0,1,2\n");
  const std::string tracked = "CfgTRES=cpu=4,gres/gpu=8 ";
  CHECK(state_of(tracked + "State=MIXED AllocTRES=cpu=1,gres/gpu=2") == "n1: up 0,1\n");
  CHECK(state_of(tracked + "State=MIXED AllocTRES=cpu=1") == "");
  CHECK(state_of(tracked + "State=IDLE AllocTRES=") == "");
  const std::string all = "n1: up 0,1,2,3,4,5,6,7\n";
  CHECK(state_of("State=MIXED CfgTRES=cpu=4") == all);
  CHECK(state_of("State=ALLOCATED") == all);
  CHECK(state_of("State=IDLE+COMPLETING") == all);
  CHECK(state_of("CPUAlloc=0 State=IDLE") == "");
}

TEST_CASE("what operators wrote changes nothing", "[topology][import][slurm-nodes]") {
  CHECK(state_of("State=IDLE\n   Comment=a State=DOWN\n   Reason=x GresUsed=gpu:8 [root@now]") ==
        "");
  const std::string text =
      "NodeName=n1 Gres=gpu:8 State=IDLE Topology=t:r1 Reason=a State=DOWN "
      "NodeName=n2 Gres=gpu:1 [root@now]\n";
  CHECK(state(text, import_text(kNodes, text)) == "");
}

TEST_CASE("a state of Slurm reads back from its file", "[topology][import][slurm-nodes]") {
  const std::string text =
      node("n1", "Gres=gpu:8 GresUsed=gpu:2(IDX:1,3) State=MIXED Topology=t:r1") +
      node("n2", "Gres=gpu:8 GresUsed=gpu:0 State=DOWN* Topology=t:r1");
  const Cluster cluster = import_text(kNodes, text);
  const ClusterView view = import_state(kNodes, text, "file", cluster);
  const ClusterView back = parse_state(cluster, write_state(view), "written");
  CHECK(back.occupancy == view.occupancy);
  CHECK(back.health == view.health);
  CHECK_THROWS_AS(import_state(TopologyFormat::SlurmConf, "", "file", cluster), InputError);
}

TEST_CASE("mistakes in a dump of nodes have their place", "[topology][import][slurm-nodes]") {
  CHECK_THAT(mistakes(kNodes, ""), Contains("file: found no node"));
  CHECK_THAT(mistakes(kNodes, "PARTITION AVAIL\n"),
             Contains("file:1:1: expected \"NodeName=\", as scontrol show node prints it"));
  CHECK_THAT(mistakes(kNodes, node("n1", "State=IDLE") + "$ exit\n"),
             Contains("file:4:1: expected \"NodeName=\" or an indented line"));
  CHECK_THAT(mistakes(kNodes, node("n1", "Gres=gpu:8")),
             Contains("file:1:1: node n1 has no State"));
  CHECK_THAT(mistakes(kNodes, node("n1", "Gres=gpu:8 State=IDEL")),
             Contains("file:2:21: found the state \"IDEL\", expected IDLE"));
  CHECK_THAT(mistakes(kNodes, node("n1", "State=IDLE+DREIN")), Contains("\"DREIN\" is not known"));
  CHECK_THAT(mistakes(kNodes, node("n1", "Gres=gpu:2 GresUsed=gpu:1(IDX:4) State=MIXED")),
             Contains("GPU 4 is in use, but there are 2"));
  const std::string free = node("n1", "Gres=gpu:8 State=IDLE");
  CHECK_THAT(mistakes(kNodes, free),
             Contains("file: no node says where it stands (give topology.conf"));
  CHECK_THAT(mistakes(kNodes, node("n1", "State=IDLE Topology=t:a") + node("n2", "State=IDLE")),
             Contains("file:4:1: node n2 does not say where it stands in the topology \"t\""));
  CHECK_THAT(mistakes(kNodes, node("n1", "State=IDLE Topology=t")), Contains("does not say where"));
  CHECK_THAT(mistakes(kNodes, free + free, beside(kTree)),
             Contains("file:4:1: node n1 is listed twice, first at file:1:1"));
  CHECK_THAT(mistakes(kNodes, node("n9", "Gres=gpu:8 State=IDLE"), beside(kTree)),
             Contains("file:1:1: node n9 stands nowhere in topology"));
  CHECK_THAT(mistakes(kNodes, free, beside("SwitchName=r1 Nods=n1\n")),
             Contains("topology:1:15: unknown key \"nods\""));
}
