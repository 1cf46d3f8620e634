#include "command_line.hpp"

#include <sstream>

#include "support/catch.hpp"

using namespace zonecut::slurm;

namespace {

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

bool says_layout(const std::string& text) { return may_say_layout(words_of(text)); }
bool gives_zonecut(const std::string& text) { return may_give(words_of(text), "zonecut"); }

}  // namespace

TEST_CASE("options about the layout are seen", "[slurm]") {
  for (const char* text : {"srun -N4 a",
                           "srun -N 4 a",
                           "srun --nodes=4 a",
                           "srun -n 8 a",
                           "srun -c2 a",
                           "srun -C x a",
                           "srun -Z a",
                           "srun -m cyclic a",
                           "srun -w n1 a",
                           "srun -x n1 a",
                           "srun -r 2 a",
                           "srun -F names a",
                           "srun -O a",
                           "srun -B 2 a",
                           "srun -M other a",
                           "srun --ntasks 8 a",
                           "srun --ntasks-per-node=2 a",
                           "srun --cpus-per-task=2 a",
                           "srun --exclude=n1 a",
                           "srun --distribution=block a",
                           "srun --multi-prog a",
                           "srun --overlap a",
                           "srun --interactive --pty bash",
                           "srun --gpus-per-task=1 a",
                           "srun --hint=nomultithread a"}) {
    INFO(text);
    CHECK(says_layout(text));
  }
}

TEST_CASE("options about the layout are seen in bundles and shortened", "[slurm]") {
  for (const char* text :
       {"srun -vN4 a", "srun -lvn8 a", "srun -uQc 2 a", "srun --nod=4 a", "srun --ntas 8 a",
        "srun --distr=block a", "srun --excl=n1 a", "srun --cpus-per-t=2 a", "srun --rel=2 a"}) {
    INFO(text);
    CHECK(says_layout(text));
  }
}

TEST_CASE("options about the layout are seen after those with values", "[slurm]") {
  for (const char* text : {"srun -J name -N4 a", "srun --job-name name -N4 a", "srun -v -J v -N4 a",
                           "srun -o -- -N4 a", "srun --mpi=pmix -J a -t 10 -N4 b"}) {
    INFO(text);
    CHECK(says_layout(text));
  }
}

TEST_CASE("a command line that says nothing of the layout is let pass", "[slurm]") {
  for (const char* text :
       {"", "srun", "srun a", "srun -v a", "srun -vv -l -u a", "srun --mpi=pmix a",
        "srun --label a", "srun -J job a", "srun --export=ALL a", "srun --kill-on-bad-exit=1 a"}) {
    INFO(text);
    CHECK_FALSE(says_layout(text));
  }
}

TEST_CASE("the program's words are its own where it is certain that they are", "[slurm]") {
  for (const char* text :
       {"srun bash -c x", "srun -v bash -c x", "srun --label bash -c x", "srun --mpi=pmix a -N4",
        "srun -J job a --nodes=4", "srun -- -N4", "srun -v -- a -n 4", "srun - -N4"}) {
    INFO(text);
    CHECK_FALSE(says_layout(text));
  }
  CHECK(says_layout("srun --unknown bash -c x"));  // bash may be the value of --unknown
}

TEST_CASE("the plugin's own options are seen", "[slurm]") {
  for (const char* text :
       {"srun --zonecut a", "srun --zonecut=off a", "srun -v --zonecut-job=tp=8 a",
        "srun --zone=off a", "srun --zonecut-j tp=8 a"}) {
    INFO(text);
    CHECK(gives_zonecut(text));
  }
  for (const char* text : {"srun a --zonecut", "srun -v a", "srun -J --x a", "srun -z a", "srun"}) {
    INFO(text);
    CHECK_FALSE(gives_zonecut(text));
  }
}

TEST_CASE("the words of this process are read", "[slurm]") {
  REQUIRE_FALSE(command_line().empty());
  CHECK(command_line().front().find("slurm_plugin_tests") != std::string::npos);
  CHECK(command_line_mentions("slurm_plugin"));
  CHECK_FALSE(command_line_mentions("no such word"));
}
