#include "zonecut/base/gres.hpp"

#include <string>

#include "support/catch.hpp"

using namespace zonecut;

TEST_CASE("GPUs of a node are counted over their kinds", "[base][gres]") {
  CHECK(gres_gpu_count("gpu:8") == 8);
  CHECK(gres_gpu_count("gpu") == 1);
  CHECK(gres_gpu_count("gpu:a100:8(S:0-1),nic:2") == 8);
  CHECK(gres_gpu_count("nic:2,gpu:a100:4(S:0,1),gpu:v100:2") == 6);
  CHECK(gres_gpu_count("gpuish:8,mps:200") == 0);
  CHECK(gres_gpu_count("") == 0);
}

TEST_CASE("GPUs of a job are those of its index", "[base][gres]") {
  CHECK(gres_gpu_indices("gpu:8(IDX:0-7)") == std::vector{0, 1, 2, 3, 4, 5, 6, 7});
  CHECK(gres_gpu_indices("gpu:a100:3(IDX:0,4-5),nic:1(IDX:7)") == std::vector{0, 4, 5});
  CHECK(gres_gpu_indices("gpu:a:1(IDX:3),gpu:b:1(IDX:1)") == std::vector{1, 3});
  CHECK(gres_gpu_indices("gpu:(null):2(IDX:1-2)") == std::vector{1, 2});
  CHECK(gres_gpu_indices("gpu:(null):2") == std::vector{0, 1});
  CHECK(gres_gpu_indices("gpu:tesla:0(IDX:N/A)").empty());
  CHECK(gres_gpu_indices("gpu:2") == std::vector{0, 1});
  CHECK(gres_gpu_indices("gpu:0(IDX:)").empty());
}

TEST_CASE("nonsense costs nothing", "[base][gres]") {
  for (const char* text : {"gpu:", "gpu:x", "gpu:-1", "gpu:99999999999", "gpu:1(IDX:5-1)",
                           "gpu:1(IDX:0-99999999999)", "gpu(((", "gpu:1(IDX:", ",,,", ")gpu:1("}) {
    INFO(text);
    CHECK(gres_gpu_count(text) <= 1);
    CHECK(gres_gpu_indices(text).size() <= 1);
  }
  CHECK(gres_gpu_indices("gpu:1(IDX:0-1024)").size() == 1025);
  const std::string many(100'000, '(');
  CHECK(gres_gpu_count(many) == 0);
}
