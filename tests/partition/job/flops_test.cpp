#include "zonecut/partition/flops.hpp"

#include "support/catch.hpp"

using namespace zonecut;

namespace {

Training training_of(const char* text) { return std::get<Training>(parse_job_text(text).work); }

}  // namespace

TEST_CASE("a dense model computes six operations for each token and parameter, and attention",
          "[job]") {
  const Training training = training_of("model=llama3-8b,tp=8,dp=4,seq=1024,mbs=2,micro_batches=3");
  const double tokens = 1024. * 2 * 3 * 4;
  CHECK(iteration_flops(training) == Approx(6 * tokens * (8'030'261'248. + 32. * 32 * 128 * 1024)));
}

TEST_CASE("the operations of an iteration do not depend on how it is cut", "[job]") {
  CHECK(iteration_flops(training_of("model=llama3-70b,tp=8,pp=4,dp=2,gbs=64")) ==
        Approx(iteration_flops(training_of("model=llama3-70b,tp=8,pp=1,dp=8,gbs=64"))));
}

TEST_CASE("of experts only those count that a token goes to", "[job]") {
  const Training training = training_of("model=mixtral-8x7b,ep=8,dp=8,seq=1024,gbs=8");
  const double experts = 8. * 3 * 4096 * 14336 * 32;
  const double used = 46'702'792'704. - experts * 3 / 4;
  CHECK(iteration_flops(training) == Approx(6 * 8192. * (used + 32. * 32 * 128 * 1024)));
}

TEST_CASE("attention computes with a size of its own where the model has one", "[job]") {
  Training training = training_of("model=deepseek-v3,tp=8,dp=4,seq=4096,gbs=8");
  const double all = iteration_flops(training);
  const double tokens = 4096. * 8;
  CHECK(training.model.attention_size == (192 + 128) / 2);
  training.model.attention_size = 0;
  CHECK(iteration_flops(training) - all ==
        Approx(6 * tokens * 61 * 128 * (288 - 160) * 4096).epsilon(1e-9));
  CHECK(training_of("model=llama3-8b,attention_size=64,tp=8").model.attention_size == 64);
}

TEST_CASE("an encoder computes with all of its tokens, a frozen one forward alone", "[job]") {
  const std::string text =
      "model=llama3-8b,tp=8,dp=4,seq=1024,mbs=2,micro_batches=3,encoder_parameters=2e9,"
      "encoder_layers=24,encoder_hidden=1024,encoder_tokens=500,encoder_output_tokens=100";
  const auto flops = [](const std::string& job) {
    return iteration_flops(std::get<Training>(parse_job_text(job).work));
  };
  const double language = flops("model=llama3-8b,tp=8,dp=4,seq=1024,mbs=2,micro_batches=3");
  const double forward = 2 * (2. * 3 * 4 * 500) * (2e9 + 2. * 24 * 1024 * 500);
  CHECK(flops(text) == Approx(language + 3 * forward));
  CHECK(flops(text + ",encoder_frozen=true") == Approx(language + forward));
}

TEST_CASE("the busiest of an encoder and its language model is waited for", "[job]") {
  // 3 micro-batches; the language model of 4 stages has 8 ranks each, the encoder 4 or 1.
  const std::string language = "model=llama3-8b,tp=8,pp=4,seq=1024,micro_batches=3";
  const std::string encoder =
      ",encoder_parameters=2e9,encoder_layers=24,encoder_hidden=1024,encoder_tokens=500,"
      "encoder_tp=";
  const double stage = iteration_flops(training_of(language.c_str())) / 32;
  const auto of_encoder = [&](const char* tp) {
    const Training both = training_of((language + encoder + tp).c_str());
    return std::pair(iteration_flops(both) - stage * 32, critical_flops(both));
  };
  const auto [few, with_few] = of_encoder("1");
  REQUIRE(few > stage);
  CHECK(with_few == Approx(few + stage * (1 + 3) / 3));
  const auto [many, with_many] = of_encoder("4");
  REQUIRE(many / 4 < stage);
  CHECK(with_many == Approx(stage * (1 + 3 / 3.) + many / 4 / 3));
}

TEST_CASE("stages wait for the pipeline to fill, the less the more chunks they have", "[job]") {
  const auto stretch = [](const char* text) {
    const Training training = training_of(text);
    return critical_flops(training) * training.parallelism.ranks() / iteration_flops(training);
  };
  CHECK(stretch("tp=8,dp=4,gbs=8") == Approx(1));
  CHECK(stretch("tp=8,pp=4,dp=2,micro_batches=6") == Approx(1.5));
  CHECK(stretch("tp=8,pp=4,vpp=2,dp=2,micro_batches=6,model=llama3-70b") == Approx(1.25));
}
