#include "array_tasks.hpp"

#include "support/catch.hpp"

using zonecut::slurm::array_tasks;
using Tasks = std::vector<std::uint32_t>;

TEST_CASE("the waiting tasks of an array are read", "[slurm]") {
  CHECK(array_tasks("3", 100) == Tasks{3});
  CHECK(array_tasks("0-3,7", 100) == Tasks{0, 1, 2, 3, 7});
  CHECK(array_tasks("1-9:4", 100) == Tasks{1, 5, 9});
  CHECK(array_tasks("1-100%5", 3) == Tasks{1, 2, 3});
  CHECK(array_tasks("5-4", 100).empty());
  CHECK(array_tasks("4294967295", 100) == Tasks{4294967295});
  CHECK(array_tasks("0-4294967295", 2) == Tasks{0, 1});
}

TEST_CASE("what of an array cannot be read is left out", "[slurm]") {
  CHECK(array_tasks("1-3,7,...", 100) == Tasks{1, 2, 3, 7});
  CHECK(array_tasks("1-3:0", 100).empty());
  CHECK(array_tasks("1-", 100).empty());
  CHECK(array_tasks("", 100).empty());
  CHECK(array_tasks("x", 100).empty());
  CHECK(array_tasks("4294967296", 100).empty());
}
