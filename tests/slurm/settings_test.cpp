#include "settings.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "support/catch.hpp"

using namespace zonecut::slurm;

TEST_CASE("words of plugstack.conf are taken", "[slurm]") {
  Settings settings;
  for (const char* word :
       {"default=off", "job=tp=8,pp=4", "cluster=/etc/zonecut/cluster.yaml", "topology=/t.conf",
        "program=/usr/bin/zonecut", "timeout=500", "memory=100", "method=hostfile", "lease=5"}) {
    INFO(word);
    CHECK_FALSE(take_word(word, settings).has_value());
  }
  CHECK_FALSE(settings.order);
  CHECK(settings.job == "tp=8,pp=4");
  CHECK(settings.cluster == "/etc/zonecut/cluster.yaml");
  CHECK(settings.topology == "/t.conf");
  CHECK(settings.program == "/usr/bin/zonecut");
  CHECK(settings.bounds.deadline == std::chrono::milliseconds(500));
  CHECK(settings.bounds.memory_bytes == std::size_t{100} << 20);
  CHECK(settings.method == Method::HostFile);
  CHECK(settings.lease == std::chrono::seconds(5));
}

TEST_CASE("a line that ends as on Windows is read as any other", "[slurm]") {
  Settings settings;
  CHECK_FALSE(take_word("program=/usr/bin/zonecut\r", settings).has_value());
  CHECK(settings.program == "/usr/bin/zonecut");
}

TEST_CASE("a wrong word is said and changes nothing", "[slurm]") {
  for (const char* word : {"", "defualt=off", "default=sideways", "timeout=0", "timeout=60001",
                           "timeout=1s", "timeout=-1", "timeout=", "memory=0", "lease=0",
                           "lease=3601", "memory=99999999999999999999", "method=magic",
                           "program=zonecut", "cluster=", "topology=./topology.conf", "jobs"}) {
    INFO(word);
    Settings settings;
    const auto wrong = take_word(word, settings);
    REQUIRE(wrong.has_value());
    CHECK(settings.order);
    CHECK(settings.program.empty());
    CHECK(settings.bounds.deadline == std::chrono::milliseconds(2000));
    CHECK(settings.method == Method::Auto);
  }
}

TEST_CASE("a program of Slurm's is known by any name", "[slurm]") {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / "zonecut-settings-names";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  for (const char* name : {"srun", "zonecut", "srunner"}) std::ofstream(folder / name) << "\n";
  std::filesystem::create_symlink("srun", folder / "link");
  std::filesystem::create_symlink("zonecut", folder / "sbatch");
  CHECK(name_within_slurm(folder / "srun") == "srun");
  CHECK(name_within_slurm(folder / "link") == "srun");
  for (const char* name : {"zonecut", "srunner", "sbatch", "scontrol", ""}) {
    INFO(name);
    CHECK(name_within_slurm(folder / name).empty());
  }
  std::filesystem::remove_all(folder);
}

TEST_CASE("an empty job is no job", "[slurm]") {
  for (const char* word : {"job", "job="}) {
    INFO(word);
    Settings settings;
    settings.job = "tp=8";
    CHECK_FALSE(take_word(word, settings).has_value());
    CHECK(settings.job.empty());
  }
}

TEST_CASE("modes are on, order, place and off", "[slurm]") {
  Settings settings;
  CHECK_FALSE(take_mode("place", settings).has_value());
  CHECK((settings.order && settings.place));
  CHECK_FALSE(take_mode("on", settings).has_value());  // as it was
  CHECK((settings.order && settings.place));
  CHECK_FALSE(take_mode("order", settings).has_value());
  CHECK((settings.order && !settings.place));
  CHECK_FALSE(take_mode("place", settings).has_value());
  CHECK_FALSE(take_mode("off", settings).has_value());
  CHECK_FALSE((settings.order || settings.place));
  CHECK_FALSE(take_mode("", settings).has_value());
  CHECK(settings.order);
  CHECK(take_mode("On", settings) == "found \"On\", expected on, off, order or place");
}

TEST_CASE("Slurm's own topology stands beside slurm.conf", "[slurm]") {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / "zonecut-settings-test";
  std::filesystem::create_directories(folder);
  ::setenv("SLURM_CONF", (folder / "slurm.conf").c_str(), 1);
  CHECK_FALSE(own_topology_file().has_value());
  std::ofstream(folder / "topology.conf") << "\n";
  CHECK(own_topology_file() == (folder / "topology.conf").string());
  std::ofstream(folder / "topology.yaml") << "\n";
  CHECK(own_topology_file() == (folder / "topology.yaml").string());
  ::unsetenv("SLURM_CONF");
  std::filesystem::remove_all(folder);
}
