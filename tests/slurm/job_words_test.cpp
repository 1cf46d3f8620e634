#include "job_words.hpp"

#include <rapidcheck.h>

#include <vector>

#include "support/catch.hpp"

using namespace zonecut::slurm;

namespace {

constexpr std::string_view kBlanks = " \t\n\v\f\r";

std::vector<std::string> foreign_words(const std::string& comment) {
  std::vector<std::string> words;
  for (std::size_t at = 0, end = 0;
       (at = comment.find_first_not_of(kBlanks, end)) < comment.size();) {
    end = std::min(comment.find_first_of(kBlanks, at), comment.size());
    const std::string word = comment.substr(at, end - at);
    if (read_words(word) == JobWords{}) words.push_back(word);
  }
  return words;
}

/// A text that may stand in one word.
std::string some_text() {
  const auto is_no_blank = [](char c) { return kBlanks.find(c) == std::string_view::npos; };
  return *rc::gen::container<std::string>(
      rc::gen::suchThat(rc::gen::arbitrary<char>(), is_no_blank));
}

JobWords some_words() {
  JobWords words;
  words.place = *rc::gen::arbitrary<bool>();
  if (*rc::gen::arbitrary<bool>()) words.job = some_text();
  if (*rc::gen::arbitrary<bool>()) words.order = some_text();
  if (*rc::gen::arbitrary<bool>()) words.lease = *rc::gen::positive<std::int64_t>();
  return words;
}

/// Words of ours, of others, near misses and any blanks between.
std::string some_comment() {
  const auto piece = rc::gen::oneOf(
      rc::gen::element<std::string>(" ", "  ", "\t", "\n", "zonecut-place", "zonecut-placed",
                                    "zonecut-job=", "zonecut-job=tp=8,pp=4", "zonecut-job",
                                    "zonecut-order=n[02,01]", "Zonecut-place", "project=x", ","),
      rc::gen::arbitrary<std::string>());
  std::string comment;
  for (const std::string& text : *rc::gen::container<std::vector<std::string>>(piece))
    comment += text + (*rc::gen::arbitrary<bool>() ? " " : "");
  return comment;
}

}  // namespace

TEST_CASE("a lease counts while the job begins then", "[slurm]") {
  const JobWords words = read_words("zonecut-lease=1000");
  CHECK(is_leased(words, 1000));
  CHECK(is_leased(words, 1001));
  CHECK_FALSE(is_leased(words, 1002));
  CHECK_FALSE(is_leased({}, 0));
  CHECK_FALSE(is_leased(read_words("zonecut-lease=9223372036854775807"), 0));
}

TEST_CASE("words of ours are found among those of others", "[slurm]") {
  CHECK(read_words("") == JobWords{});
  CHECK(read_words("a zonecut-placed zonecut-jobs zonecut-job b") == JobWords{});
  CHECK(read_words("ticket-17 zonecut-place\tzonecut-job=tp=8,pp=4 x\n") ==
        JobWords{true, "tp=8,pp=4", {}});
  CHECK(read_words("a zonecut-lease=1763760000").lease == 1763760000);
  CHECK_FALSE(read_words("zonecut-lease").lease.has_value());
  CHECK_FALSE(read_words("zonecut-lease=soon").lease.has_value());
  CHECK(read_words("zonecut-order=n[02,01]") == JobWords{false, {}, "n[02,01]"});
  CHECK(read_words("zonecut-job=").job == "");
}

TEST_CASE("the first word of a kind counts", "[slurm]") {
  CHECK(read_words("zonecut-job=tp=8 zonecut-job=tp=4").job == "tp=8");
  CHECK(read_words("zonecut-order=a zonecut-order=b").order == "a");
}

TEST_CASE("words are replaced where others stand", "[slurm]") {
  const JobWords words{true, "tp=8", "n[1-2]"};
  CHECK(with_words("", words) == "zonecut-place zonecut-job=tp=8 zonecut-order=n[1-2]");
  CHECK(with_words("a zonecut-job=x  b ", {true, {}, {}}) == "a  b zonecut-place");
  CHECK(with_words("zonecut-place a", {}) == "a");
  CHECK(with_words("a zonecut-place", {}) == "a");
  CHECK(with_words("zonecut-place zonecut-job=tp=8", {}).empty());
  CHECK(with_words(" as  it was ", {}) == " as  it was ");
}

TEST_CASE("a text of several words is not written", "[slurm]") {
  CHECK(with_words("a", {true, "tp=8 zonecut-order=n1", {}}) == "a zonecut-place");
  CHECK(with_words("a", {false, {}, "n1\nn2"}) == "a");
}

TEST_CASE("words that are written are read again, others are kept in their order", "[slurm]") {
  CHECK(rc::check("read_words(with_words(c, w)) == w", [] {
    const std::string comment = some_comment();
    const JobWords words = some_words();
    const std::string written = with_words(comment, words);
    RC_ASSERT(read_words(written) == words);
    RC_ASSERT(foreign_words(written) == foreign_words(comment));
    RC_ASSERT(with_words(written, words) == written);
  }));
  CHECK(rc::check("a comment without words of ours is left as it is", [] {
    const std::string comment = some_comment();
    if (read_words(comment) == JobWords{}) RC_ASSERT(with_words(comment, {}) == comment);
  }));
}

TEST_CASE("job texts that may be right", "[slurm]") {
  for (const char* text :
       {"tp=8,pp=4", "tensor-model-parallel-size=8,pp=4,vpp=5,gpus=512,model=llama3-70b,gbs=512",
        "kind=recommendation,gpus=128,embedding=256MiB,dense=1GiB", "llama3-405b", "dlrm",
        "name=team/run.1,tp=8", "overlap.dp=0.9", "order=tp-cp-ep-dp-pp", "tp=4194304"}) {
    INFO(text);
    CHECK(wrong_job_text(text) == std::nullopt);
  }
  CHECK(wrong_job_text("name=" + std::string(1019, 'n')) == std::nullopt);
}

TEST_CASE("job texts that are wrong", "[slurm]") {
  CHECK(wrong_job_text("") == "found nothing, expected sizes such as tp=8,pp=4, or a preset");
  CHECK(wrong_job_text("name=" + std::string(1020, 'n')) ==
        "found 1025 characters, expected at most 1024");
  CHECK(wrong_job_text("tp=eight") ==
        "found \"tp=eight\", expected a whole number from 1 to 4194304");
  CHECK(wrong_job_text("tp=8,,pp=4") == "found \"\", expected key=value, such as tp=8");
  CHECK(wrong_job_text("tp=8,") == "found a comma at the end, expected key=value after it");
  CHECK(wrong_job_text("job.yaml") ==
        "found \"job.yaml\", but a file cannot be read by the placer: give sizes or a preset");
  for (const char* text : {"/data/job", "./tp=8", "runs/tp=8.yaml", "job.json", "-"}) {
    INFO(text);
    CHECK(wrong_job_text(text).value_or("").ends_with("give sizes or a preset"));
  }
  for (const char* text : {"tp=8 pp=4", "tp=8;reboot", "tp=$(x)", "tp='8'", "n=[1]", "a\x1b[31m",
                           "tp=8\n", "größe=8", "a\\b"}) {
    INFO(text);
    CHECK(wrong_job_text(text) == "found other characters than letters, digits and =,._+-:/%");
  }
  for (const char* key :
       {"tp", "cp", "pp", "dp", "ep", "etp", "vpp", "virtual-stages", "gpus", "ranks",
        "tensor_model_parallel_size", "pipeline-model-parallel-size", "context_parallel_size",
        "data_parallel_size", "expert_model_parallel_size", "expert_tensor_parallel_size"}) {
    for (const char* value :
         {"0", "-1", "+8", "8.0", "1e3", "0x8", "4194305", "8GiB", "99999999999999999999999"}) {
      const std::string text = std::string("pp=2,") + key + "=" + value;
      INFO(text);
      CHECK(wrong_job_text(text).has_value());
    }
  }
  for (const char* text : {"tp=", "=8", "llama3-8b,tp=8", ","}) {
    INFO(text);
    CHECK(wrong_job_text(text).has_value());
  }
}

TEST_CASE("what is wrong for every reader is told from what a placer cannot read", "[slurm]") {
  for (const char* text : {"tp=8,name=größe", "tp=8,name=a b", ""}) {
    INFO(text);
    CHECK(wrong_job_text(text).has_value());
    CHECK(wrong_sizes(text) == std::nullopt);
  }
  CHECK(wrong_sizes("tp=\x1b[31m") ==
        "found \"tp=??31m\", expected a whole number from 1 to 4194304");
  CHECK(is_job_path("/data/my job"));
  CHECK(is_job_path("job.yaml"));
  CHECK_FALSE(is_job_path("name=team/run,tp=8"));
  CHECK_FALSE(is_job_path("llama3-70b"));
}

TEST_CASE("what is said of a wrong text fits a terminal", "[slurm]") {
  CHECK(rc::check("messages are short and printable", [] {
    const auto text = *rc::gen::arbitrary<std::string>();
    for (const auto& wrong : {wrong_job_text(text), wrong_sizes(text), wrong_sizes("tp=" + text)}) {
      const std::string said = wrong.value_or("");
      RC_ASSERT(said.size() < 200U);
      for (const char c : said) RC_ASSERT(c >= ' ' && c <= '~');
    }
  }));
}

TEST_CASE("the sizes of a job say how many GPUs it needs", "[slurm]") {
  CHECK(least_gpus("tp=8,pp=4") == 32);
  CHECK(least_gpus("tp=8,pp=4,dp=3,cp=2,ep=64,vpp=5") == 192);
  CHECK(least_gpus("tensor-model-parallel-size=2,pipeline_model_parallel_size=3") == 6);
  CHECK(least_gpus("tp=8,gpus=64") == 64);
  CHECK(least_gpus("ranks=16,tp=8,pp=4") == 32);
  CHECK(least_gpus("llama3-70b") == 1);
  CHECK(least_gpus("tp=x,pp=0,,=") == 1);
  CHECK(least_gpus("tp=4194304,pp=4194304,cp=4194304,dp=4194304") > 4'194'304);
}
