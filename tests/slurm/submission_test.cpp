#include "submission.hpp"

#include <rapidcheck.h>

#include "job_words.hpp"
#include "support/catch.hpp"

using namespace zonecut::slurm;

namespace {

/// A job that asks to be placed, of four nodes with eight GPUs each.
Submission to_be_placed() {
  Submission job;
  job.mode = "place";
  job.job = "tp=8,pp=4";
  job.most_nodes = 4;
  job.tres_per_node = "gres:gpu:8";
  job.now = 1'000'000;
  return job;
}

bool changes_nothing(const Verdict& verdict) {
  return !verdict.refusal && !verdict.admin_comment && !verdict.begin_time;
}

std::string refusal(const Submission& job) {
  const Verdict verdict = judge_submission(job);
  CHECK_FALSE(verdict.admin_comment.has_value());
  CHECK_FALSE(verdict.begin_time.has_value());
  return verdict.refusal.value_or("none");
}

}  // namespace

TEST_CASE("options are found in a job's SPANK environment", "[slurm]") {
  Submission job;
  for (const char* entry :
       {"", "SPANK_", "SPANK_X=1", "_SLURM_SPANK_OPTION_other_zonecut=place",
        "_SLURM_SPANK_OPTION_zonecut_", "_SLURM_SPANK_OPTION_zonecut_zonecut_jobs=x",
        "SLURM_SPANK_OPTION_zonecut_zonecut=place"}) {
    take_spank_option(entry, job);
  }
  CHECK(job.mode.empty());
  CHECK(job.job.empty());
  take_spank_option("_SLURM_SPANK_OPTION_zonecut_zonecut=place", job);
  take_spank_option("SPANK__SLURM_SPANK_OPTION_zonecut_zonecut_job=tp=8,pp=4", job);
  CHECK(job.mode == "place");
  CHECK(job.job == "tp=8,pp=4");
  take_spank_option("_SLURM_SPANK_OPTION_zonecut_zonecut", job);
  CHECK(job.mode.empty());
}

TEST_CASE("a job that is to be placed is tagged and waits for a lease", "[slurm]") {
  const Verdict verdict = judge_submission(to_be_placed());
  CHECK(verdict.refusal == std::nullopt);
  CHECK(verdict.admin_comment == "zonecut-place zonecut-lease=1000030 zonecut-job=tp=8,pp=4");
  CHECK(verdict.begin_time == 1'000'030);
}

TEST_CASE("words of the comment count as options do, and options more", "[slurm]") {
  Submission job = to_be_placed();
  job.mode = job.job = "";
  job.comment = "ticket-17 zonecut-place zonecut-job=tp=2";
  CHECK(judge_submission(job).admin_comment ==
        "zonecut-place zonecut-lease=1000030 zonecut-job=tp=2");
  CHECK(judge_submission(job).begin_time.has_value());
  job.job = "tp = 4, pp=2";
  CHECK(judge_submission(job).admin_comment ==
        "zonecut-place zonecut-lease=1000030 zonecut-job=tp=4,pp=2");
  job.comment = "zonecut-job=tp=8,";  // as sbatch writes an option with blanks
  CHECK(judge_submission(job).admin_comment == "zonecut-job=tp=4,pp=2");
}

TEST_CASE("a job that asks for nothing is left as it is", "[slurm]") {
  Submission job = to_be_placed();
  job.job.clear();
  for (const char* mode : {"", "on", "off", "order", "Place"}) {
    job.mode = mode;
    CHECK(changes_nothing(judge_submission(job)));
  }
  job.comment = "zonecut-placed";
  job.admin_comment = " of  the site ";
  CHECK(changes_nothing(judge_submission(job)));
}

TEST_CASE("a job that only says what it sends is tagged and does not wait", "[slurm]") {
  Submission job = to_be_placed();
  job.mode = "on";
  const Verdict verdict = judge_submission(job);
  CHECK(verdict.admin_comment == "zonecut-job=tp=8,pp=4");
  CHECK(verdict.begin_time == std::nullopt);
}

TEST_CASE("a job with --zonecut=off is neither refused nor marked", "[slurm]") {
  Submission job = to_be_placed();
  job.mode = "off";
  for (const char* text : {"tp=8,pp=3", "tp=8,pp=64", "tp=0", "/job"}) {
    INFO(text);
    job.job = text;
    job.comment = "zonecut-place zonecut-job=" + job.job;
    CHECK(changes_nothing(judge_submission(job)));
  }
  job.admin_comment = "billing=7 zonecut-place";
  CHECK(judge_submission(job).admin_comment == "billing=7");
}

TEST_CASE("jobs whose servers are not the placer's are not marked for it", "[slurm]") {
  for (bool Submission::* field : {&Submission::names_servers, &Submission::heterogeneous}) {
    Submission job = to_be_placed();
    job.*field = true;
    const Verdict verdict = judge_submission(job);
    CHECK(verdict.admin_comment == "zonecut-job=tp=8,pp=4");
    CHECK(verdict.begin_time == std::nullopt);
  }
}

TEST_CASE("a begin time of the user's stays, and what must begin now does not wait", "[slurm]") {
  for (bool Submission::* field : {&Submission::has_begin_time, &Submission::must_not_wait}) {
    Submission job = to_be_placed();
    job.*field = true;
    const Verdict verdict = judge_submission(job);
    CHECK(verdict.admin_comment == "zonecut-place zonecut-job=tp=8,pp=4");
    CHECK(verdict.begin_time == std::nullopt);
  }
}

TEST_CASE("a job that sbatch has given a lease gets no other", "[slurm]") {
  Submission job = to_be_placed();
  job.comment = "zonecut-place zonecut-lease=1000000 zonecut-job=tp=8,pp=4";
  const Verdict verdict = judge_submission(job);
  CHECK(verdict.admin_comment == "zonecut-place zonecut-job=tp=8,pp=4");
  CHECK(verdict.begin_time == std::nullopt);
}

TEST_CASE("words in the administrator's comment are an administrator's only", "[slurm]") {
  Submission job;
  job.admin_comment = "billing=7 zonecut-place zonecut-order=n[2,1]";
  CHECK(judge_submission(job).admin_comment == "billing=7");
  CHECK(judge_submission(job).begin_time == std::nullopt);
  CHECK(judge_change(job).admin_comment == "billing=7");
  job.mode = "place";
  CHECK(judge_submission(job).admin_comment == "billing=7 zonecut-place zonecut-lease=30");
  job.mode.clear();
  job.privileged = true;
  CHECK(judge_submission(job).admin_comment ==
        "billing=7 zonecut-place zonecut-lease=30 zonecut-order=n[2,1]");
  CHECK(judge_submission(job).begin_time == 30);
  CHECK(changes_nothing(judge_change(job)));
  job.admin_comment = "zonecut-job=tp=2";
  job.job = "tp=4";
  CHECK(judge_submission(job).admin_comment == std::nullopt);
}

TEST_CASE("a comment that would be too long for Slurm is left as it is", "[slurm]") {
  Submission job = to_be_placed();
  const std::string room = "zonecut-place zonecut-lease=1000030 zonecut-job=";
  job.job = "tp=8,model=" + std::string(kMostComment - room.size() - 11, 'x');
  CHECK(judge_submission(job).admin_comment->size() == kMostComment);
  job.job += "x";
  CHECK(changes_nothing(judge_submission(job)));
  job.admin_comment = "billing=7 zonecut-place";
  CHECK(judge_submission(job).admin_comment == "billing=7");
  CHECK(judge_submission(job).begin_time == std::nullopt);
  job.privileged = true;
  CHECK(changes_nothing(judge_submission(job)));
}

TEST_CASE("nonsense is refused, with what is wrong", "[slurm]") {
  Submission job = to_be_placed();
  job.job = "tp=eight";
  CHECK(refusal(job) ==
        "zonecut-job: found \"tp=eight\", expected a whole number from 1 to 4194304");
  job.mode.clear();
  CHECK(refusal(job).starts_with("zonecut-job: found \"tp=eight\""));
  CHECK(judge_change(job).refusal == refusal(job));
  job.job.clear();
  job.comment = "zonecut-job=pp=0";
  CHECK(refusal(job).starts_with("zonecut-job: found \"pp=0\""));
}

TEST_CASE("what only the placer cannot read is refused only where it is to place", "[slurm]") {
  for (const char* text : {"/data/job.yaml", "job.yaml", "my job", "tp=8,name=größe"}) {
    INFO(text);
    Submission job = to_be_placed();
    job.job = text;
    CHECK(refusal(job).starts_with("zonecut-job: found "));
    job.mode = "on";
    CHECK(changes_nothing(judge_submission(job)));
  }
}

TEST_CASE("a job that cannot hold its own groups is refused", "[slurm]") {
  Submission job = to_be_placed();
  job.job = "tp=8,pp=8";
  CHECK(refusal(job) ==
        "zonecut-job: tp=8,pp=8 needs 64 GPUs at least, but 4 nodes with 8 GPUs each are asked "
        "for");
  job.mode = "on";
  CHECK(refusal(job) != "none");
  job.most_nodes = 8;
  CHECK(judge_submission(job).refusal == std::nullopt);
}

TEST_CASE("what nobody places is not refused for the placer, nor parts for what is the whole's",
          "[slurm]") {
  Submission job = to_be_placed();
  job.job = "/data/job.yaml";
  CHECK(refusal(job) != "none");
  job.names_servers = true;
  CHECK(judge_submission(job).refusal == std::nullopt);
  job.names_servers = false;
  job.heterogeneous = true;
  CHECK(judge_submission(job).refusal == std::nullopt);
  job.job = "tp=8,pp=8";  // on 4 servers with 8 GPUs, and those of other components
  CHECK(judge_submission(job).refusal == std::nullopt);
}

TEST_CASE("GPUs are counted only where nodes and GPUs are both said", "[slurm]") {
  Submission job = to_be_placed();
  job.job = "tp=8,pp=8";
  job.mode = "on";
  const auto passes = [&](const char* tres) {
    job.tres_per_node = tres;
    return !judge_submission(job).refusal;
  };
  for (const char* tres : {"", "gres:nic:2", "gres/shard:8", "cpu:8", "gres:gpu:x"}) {
    INFO(tres);
    CHECK(passes(tres));
  }
  for (const char* tres : {"gres:gpu:16", "gres/gpu:a100:8,gres/gpu:v100:8", "gpu:16;gres:nic:1"}) {
    INFO(tres);
    CHECK(passes(tres));
  }
  for (const char* tres : {"gres:gpu", "gres/gpu:15", "gres:nic:64,gres:gpu:8"}) {
    INFO(tres);
    CHECK_FALSE(passes(tres));
  }
  job.most_nodes.reset();
  CHECK(passes("gres:gpu:8"));
}

TEST_CASE("whatever is said, only a marked job waits and the words of others stay", "[slurm]") {
  CHECK(rc::check([] {
    const auto text = rc::gen::oneOf(
        rc::gen::element<std::string>("", "place", "tp=8", "tp=0", "zonecut-place a",
                                      "x zonecut-job=tp=2", "/job", "zonecut-order=n1 b"),
        rc::gen::arbitrary<std::string>());
    Submission job;
    job.mode = *text;
    job.job = *text;
    job.comment = *text;
    job.admin_comment = *text;
    job.names_servers = *rc::gen::arbitrary<bool>();
    const Verdict verdict = judge_submission(job);
    if (verdict.refusal) return;
    const std::string after = verdict.admin_comment.value_or(job.admin_comment);
    RC_ASSERT(verdict.begin_time.has_value() == read_words(after).place);
    RC_ASSERT(!read_words(after).order);
    const JobWords mark{true, {}, {}};
    RC_ASSERT(with_words(after, mark) == with_words(job.admin_comment, mark));
    if (const auto sent = read_words(after).job) RC_ASSERT(!wrong_job_text(*sent));
  }));
}
