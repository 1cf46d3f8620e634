#include "import_support.hpp"

using namespace zonecut;
using Catch::Matchers::Contains;

namespace {
constexpr auto kCsv = TopologyFormat::Csv;
}

TEST_CASE("a production fabric is read from its table", "[topology][import]") {
  const auto text = shared_text("topology/lingjun-2023.csv");
  if (!text) return;
  ImportOptions options;
  options.server_column = "ip";
  options.level_columns = {{"core", "DSW"}, {"zone", "PSW"}, {"rack", "ASW"}};
  const Cluster cluster = import_topology(kCsv, *text, "lingjun-2023.csv", options);
  CHECK(cluster.server_count() == 847);
  CHECK(cluster.gpu_count() == 847 * 8);
  CHECK(cluster.domains_at(3).size() == 119);
  CHECK(server_counts(cluster, 2) == std::vector<std::size_t>{179, 362, 306});  // P8, P10, P12
  CHECK(cluster.zone_level() == 2);
  const DomainId p10 = *cluster.find_domain("G6/P10");
  CHECK(cluster.domain(p10).server_count == 362);
  // "S14" stands below two pods and is two leaves.
  CHECK(cluster.find_domain("G6/P10/S14"));
  CHECK(cluster.find_domain("G6/P12/S14"));
}

TEST_CASE("without a mapping, the columns beside the server are the levels", "[topology][import]") {
  const Cluster cluster =
      import_text(kCsv, "Zone,Server,Rack,GPUs\nb,s10,r1,4\nb,s9,r1,8\na,s1,r2,8\n");
  CHECK(levels(cluster) == std::vector<std::string>{"cluster", "zone", "rack"});
  CHECK(drawing(cluster) == "a/r2: s1\nb/r1: s9 s10\n");
  CHECK(cluster.server(*cluster.find_server("s10")).gpus == 4);
}

TEST_CASE("quoted fields may hold commas, quotes and line ends", "[topology][import]") {
  const Cluster cluster =
      import_text(kCsv, "\"server\",\"rack\"\r\n\"s1\",\"row 1, \"\"left\"\"\"\r\ns2,\"r2\"\r\n");
  CHECK(drawing(cluster) == "r2: s2\nrow 1, \"left\": s1\n");
}

TEST_CASE("a table's mistakes are named all at once, each with its line", "[topology][import]") {
  const std::string found = mistakes(kCsv,
                                     "server,rack,gpus\n"
                                     "s1,r1,8\n"
                                     "s2,r1\n"
                                     "s3,r1,none\n"
                                     "s 4,r1,8\n"
                                     "s5,,8\n"
                                     "s6,a/b,8\n"
                                     "s1,r2,8\n");
  CHECK_THAT(found, Contains("file:3:1: found 2 fields, expected 3"));
  CHECK_THAT(found, Contains("file:4:7: \"none\" is no number of GPUs"));
  CHECK_THAT(found, Contains("file:5:1: the server name \"s 4\" contains a blank"));
  CHECK_THAT(found, Contains("file:6:4: the name \"\" is empty"));
  CHECK_THAT(found, Contains("file:7:4: the name \"a/b\" contains a '/'"));
  CHECK_THAT(found, Contains("file:8:1: server s1 is listed twice, first at file:2:1"));
}

TEST_CASE("names that could rewrite a terminal are refused, and not shown as they are",
          "[topology][import]") {
  const std::string found = mistakes(kCsv, "server,ra\x1b[2Jck\ns\x1b[1m,r\x07\n");
  CHECK_THAT(found, Contains("the level name \"ra?[2jck\" contains a control character"));
  CHECK_THAT(found, Contains("file:2:1: the server name \"s?[1m\" contains a control character"));
  CHECK_THAT(found, Contains("file:2:7: the name \"r?\" contains a control character"));
}

TEST_CASE("a stray or unclosed quote is found where it stands", "[topology][import]") {
  CHECK_THAT(mistakes(kCsv, "server,rack\ns1,r\"1\n"), Contains("file:2:5: found a quote inside"));
  CHECK_THAT(mistakes(kCsv, "server,rack\ns1,\"r1\"x\n"), Contains("file:2:8: found text after"));
  CHECK_THAT(mistakes(kCsv, "server,rack\ns1,\"r1\ns2,r2\n"), Contains("file:2:4: this quote"));
}

TEST_CASE("a table of commas is refused, not stored", "[topology][import]") {
  CHECK_THAT(mistakes(kCsv, std::string(10'000'000, ',')),
             Contains("file:1:1001: found more than 1000 fields in a row"));
}

TEST_CASE("a table without the columns asked for is refused", "[topology][import]") {
  ImportOptions options;
  options.server_column = "name";
  options.level_columns = {{"zone", "pod"}};
  const std::string found = mistakes(kCsv, "server,rack\ns1,r1\n", options);
  CHECK_THAT(found, Contains("there is no column \"name\" (columns: server, rack)"));
  CHECK_THAT(found, Contains("there is no column \"pod\""));
  CHECK_THAT(mistakes(kCsv, "machine,rack\nm1,r1\n"), Contains("no column for the server's name"));
  CHECK_THAT(mistakes(kCsv, "server\ns1\n"), Contains("no column for a level"));
  CHECK_THAT(mistakes(kCsv, "server,a,b,c,d,e,f,g\n"), Contains("7 columns that could be levels"));
  CHECK_THAT(mistakes(kCsv, "server,rack,rack\ns1,a,b\n"), Contains("file:1:13: column \"rack\""));
}

TEST_CASE("a table without a server, without a header or with a NUL is refused",
          "[topology][import]") {
  CHECK_THAT(mistakes(kCsv, ""), Contains("no header line"));
  CHECK_THAT(mistakes(kCsv, "server,rack\n"), Contains("found no server"));
  CHECK_THAT(mistakes(kCsv, std::string_view("server\0,rack\n", 13)),
             Contains("file:1:7: found the byte 0x00, expected UTF-8 text"));
}

TEST_CASE("a column whose name no level may bear is refused", "[topology][import]") {
  ImportOptions options;
  options.server_column = "name";
  CHECK_THAT(mistakes(kCsv, "name,server\ns1,r1\n", options),
             Contains("file:1:6: the level name \"server\" is what every cluster has"));
}

TEST_CASE("what a source does not say comes from the options", "[topology][import]") {
  ImportOptions options;
  options.cluster_name = "lab";
  options.gpus_per_server = 4;
  options.oversubscription = 3;
  options.nic_bandwidth = BytesPerSecond{25'000'000'000};
  options.zone_level = "rack";
  const Cluster cluster = import_text(kCsv, "server,row,rack\ns1,a,r1\n", options);
  CHECK(cluster.name() == "lab");
  CHECK(cluster.gpu_count() == 4);
  CHECK(cluster.zone_level() == 2);
  CHECK(cluster.backend().nics_per_server == 4);
  CHECK(cluster.backend().nic_bandwidth == BytesPerSecond{25'000'000'000});
  CHECK(cluster.backend().tiers[2].oversubscription == 3);
}

TEST_CASE("every empty cell of a level has its own place", "[topology][import]") {
  const std::string found = mistakes(kCsv, "host,zone,rack\ns1,a,\ns2,a,\ns3,,r1\ns4,a,x/y\n");
  for (const char* place : {":2:6: the name", ":3:6: the name", ":4:4: the name", ":5:6: the name"})
    CHECK_THAT(found, Contains(place));
}

TEST_CASE("a column that cannot name a level is refused at its header", "[topology][import]") {
  CHECK_THAT(mistakes(kCsv, "host,zone,gpu\ns1,a,b\n"),
             Contains(":1:11: the level name \"gpu\" is what"));
}

TEST_CASE("bytes that are no UTF-8 are refused at their place", "[topology][import]") {
  using namespace std::string_view_literals;
  CHECK_THAT(mistakes(kCsv, "host,rack\ns1,r\0x\n"sv), Contains(":2:5: found the byte 0x00"));
  CHECK_THAT(mistakes(kCsv, "host,rack\ns1,Z\xfcrich\n"),
             Contains("file:2:5: found the byte 0xFC"));
  CHECK_THAT(mistakes(TopologyFormat::SlurmConf, "SwitchName=a\\\n Nodes=n1\nSwitchName=Z\xfc\n"),
             Contains("file:3:13: found the byte 0xFC, expected UTF-8 text"));
}

TEST_CASE("columns that differ in case only are refused where they speak for themselves",
          "[topology][import]") {
  const std::string text = "server,Rack,rack,gpus,GPUS\ns1,a,b,4,8\n";
  const std::string found = mistakes(kCsv, text);
  CHECK_THAT(found, Contains("file:1:13: columns \"Rack\" and \"rack\" differ in case only"));
  CHECK_THAT(found, Contains("file:1:23: columns \"gpus\" and \"GPUS\" differ in case only"));
  ImportOptions options;
  options.server_column = "server";
  options.level_columns = {{"rack", "rack"}};
  options.gpu_column = "GPUS";
  const Cluster cluster = import_text(kCsv, text, options);
  CHECK(drawing(cluster) == "b: s1\n");
  CHECK(cluster.gpu_count() == 8);
}
