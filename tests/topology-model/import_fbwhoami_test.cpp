#include "import_support.hpp"

using namespace zonecut;
using Catch::Matchers::Contains;

namespace {
constexpr auto kFbwhoami = TopologyFormat::Fbwhoami;
}

TEST_CASE("one line a server gives the levels that are filled", "[topology][import]") {
  const Cluster cluster = import_text(
      kFbwhoami,
      "# from pdsh\n"
      "t2.pci2: DEVICE_BACKEND_NETWORK_TOPOLOGY=pci2/pci2.2A.z085//rtsw049.c085.f00.pci2\n"
      "t10.pci2 DEVICE_BACKEND_NETWORK_TOPOLOGY=pci2/pci2.2A.z085//rtsw049.c085.f00.pci2\n"
      "t3.pci2 DEVICE_BACKEND_NETWORK_TOPOLOGY=pci2/pci2.2A.z086//rtsw049.c086.f00.pci2\n");
  CHECK(levels(cluster) == std::vector<std::string>{"cluster", "datacenter", "zone", "rack"});
  CHECK(cluster.zone_level() == 2);
  CHECK(drawing(cluster) ==
        "pci2/pci2.2A.z085/rtsw049.c085.f00.pci2: t2.pci2 t10.pci2\n"
        "pci2/pci2.2A.z086/rtsw049.c086.f00.pci2: t3.pci2\n");
  CHECK(cluster.backend().leaves == LeafWiring::Rack);
}

TEST_CASE("files of several servers one after the other are told apart by their keys",
          "[topology][import]") {
  const Cluster cluster = import_text(kFbwhoami,
                                      "DEVICE_ID=1\nDEVICE_NAME=a\n"
                                      "DEVICE_BACKEND_NETWORK_TOPOLOGY=/z1//r1\nDEVICE_POD=\n"
                                      "DEVICE_ID=2\n"
                                      "DEVICE_BACKEND_NETWORK_TOPOLOGY=/z1//r2\nDEVICE_NAME=b\n"
                                      "DEVICE_ID=3\nDEVICE_NAME=storage\n"
                                      "DEVICE_ID=4\nDEVICE_NAME=frontend\n"
                                      "DEVICE_BACKEND_NETWORK_TOPOLOGY=\n");
  CHECK(drawing(cluster) == "z1/r1: a\nz1/r2: b\n");
}

TEST_CASE("scaling units without a leaf of the rack are wired by rails", "[topology][import]") {
  const Cluster cluster =
      import_text(kFbwhoami,
                  "a DEVICE_BACKEND_NETWORK_TOPOLOGY=/snb1.z081/snb1.z081.u015/\n"
                  "b DEVICE_BACKEND_NETWORK_TOPOLOGY=/snb1.z081/snb1.z081.u016/\n");
  CHECK(levels(cluster) == std::vector<std::string>{"cluster", "zone", "scaling-unit"});
  CHECK(cluster.backend().leaves == LeafWiring::Rail);
}

TEST_CASE("a server that lacks an inner field is put into a rack of the outer name",
          "[topology][import]") {
  const Cluster cluster = import_text(kFbwhoami,
                                      "a DEVICE_BACKEND_NETWORK_TOPOLOGY=dc/z1/u1/r1\n"
                                      "b DEVICE_BACKEND_NETWORK_TOPOLOGY=/z1//\n");
  CHECK(drawing(cluster) == "dc/z1/u1/r1: a\nz1/z1/z1/z1: b\n");
}

TEST_CASE("broken fbwhoami lines are named", "[topology][import]") {
  const std::string found = mistakes(kFbwhoami,
                                     "a DEVICE_BACKEND_NETWORK_TOPOLOGY=dc/zone/rtsw\n"
                                     "b DEVICE_BACKEND_NETWORK_TOPOLOGY=1/2/3/4/5\n"
                                     "c DEVICE_BACKEND_NETWORK_TOPOLOGY=///\n"
                                     "what is this\n"
                                     "d DEVICE_BACKEND_NETWORK_TOPOLOGY=/z//r\n"
                                     "d DEVICE_BACKEND_NETWORK_TOPOLOGY=/z//r\n"
                                     "DEVICE_BACKEND_NETWORK_TOPOLOGY=/z//r\n");
  CHECK_THAT(found, Contains("file:1:1: found the topology \"dc/zone/rtsw\""));
  CHECK_THAT(found, Contains("file:2:1: found the topology \"1/2/3/4/5\""));
  CHECK_THAT(found, Contains("file:3:1: found the topology \"///\""));
  CHECK_THAT(found, Contains("file:4:1: expected \"KEY=value\""));
  CHECK_THAT(found, Contains("file:6:1: server d is listed twice"));
  CHECK_THAT(found, Contains("file:7:1: found a network topology, but no DEVICE_NAME"));
  CHECK_THAT(mistakes(kFbwhoami, ""), Contains("found no server"));
  CHECK_THAT(mistakes(kFbwhoami, "DEVICE_NAME=a\n"), Contains("found no server"));
}

TEST_CASE("a file of fbwhoami may be written for a shell", "[topology][import]") {
  CHECK(drawing(import_text(kFbwhoami,
                            "export DEVICE_NAME=\"a\"\n"
                            "export DEVICE_BACKEND_NETWORK_TOPOLOGY='/z1//r1'\n"
                            "b DEVICE_BACKEND_NETWORK_TOPOLOGY=\"/z1//r2\"\n")) ==
        "z1/r1: a\nz1/r2: b\n");
}

TEST_CASE("a server without a topology among its lines is reported, not left out",
          "[topology][import]") {
  CHECK_THAT(mistakes(kFbwhoami,
                      "a DEVICE_BACKEND_NETWORK_TOPOLOGY=/z1//r1\n"
                      "b DEVICE_BACKEND_TOPOLOGY=/z1//r1\n"),
             Contains("file:2:1: found server b, but no DEVICE_BACKEND_NETWORK_TOPOLOGY of it"));
  CHECK(drawing(import_text(kFbwhoami,
                            "a: DEVICE_ID=1\n"
                            "a: DEVICE_BACKEND_NETWORK_TOPOLOGY=/z1//r1\n"
                            "b: DEVICE_BACKEND_NETWORK_TOPOLOGY=\nb: DEVICE_ID=2\n")) ==
        "z1/r1: a\n");
}
