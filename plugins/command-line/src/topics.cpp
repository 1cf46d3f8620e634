#include "topics.hpp"

#include <array>

namespace zonecut::cli {
namespace {

constexpr std::string_view kWords = R"(WORDS

cluster > building > zone > rack > server > GPU. A level is a layer of that tree
(one to six below the cluster, any names); a domain is one member of a level.

zone       An AI Zone: racks joined by switches at full speed. Between zones the
           links are oversubscribed, as a rule several times.
tier       A layer of links: in the server, in the rack, in the zone, between
           zones.
rank       One process of the job, on one GPU.
group      Ranks that communicate with each other, in a fixed pattern.
cut        Bytes that cross from one zone to another in one iteration.
bound      The least cut that has been proven possible; the gap is how far above
           it a placement is.
placement  The servers of a job and which rank runs where.
baseline   What another scheduler would have done.
)";

constexpr std::string_view kJobs = R"(JOBS

--job takes the name of a file, the name of a preset, or the sizes themselves:

  --job job.yaml
  --job tp=8,pp=16,dp=128,vpp=7,model=llama3-405b

The text has the same keys as a file, flat. The sizes are those of the
framework: tensor (tp), context (cp), pipeline (pp), data (dp) and expert (ep)
parallelism, vpp model chunks on a pipeline rank. From them and the model's
shape zonecut works out the groups, and what each sends in one iteration.

A multimodal job also says, in the section encoder of its file (in a text as
encoder_layers=32, encoder_tp=2 and so on), what feeds its language model from
GPUs of its own.

Jobs that do not train a language model say their kind:

  --job kind=recommendation,gpus=128,embedding=256MiB,dense=1GiB
  --job kind=inference,model=llama3-70b,decode_replicas=6,rps=12.5

Presets are llama3-8b, llama3-70b, llama3-405b, llama-65b, gpt3-175b,
mixtral-8x7b, mixtral-8x22b, deepseek-v3, qwen3-235b-a22b and dlrm. All keys are
in share/doc/zonecut/docs/formats/job.md, below where zonecut is installed.

A job that ran may have left traces: zonecut job import writes a job file from
them, with the collectives that were recorded.
)";

constexpr std::string_view kObjective = R"(OBJECTIVE

What makes one placement better than another, in this order:

 1. The constraints of the job file hold. When they cannot, there is no
    placement: exit code 3, and the reasons.
 2. Predicted communication seconds in one iteration, to half a percent, or to
    --time-tolerance, or to what the job file says (placement: time_tolerance).
 3. Bytes between zones (the cut), then the sum of bytes times distance.
 4. What is left for others: whole racks and large free blocks.

zonecut report prints each of them, for its own placement and for the
baselines.
)";

constexpr std::string_view kExitCodes = R"(EXIT CODES

   0  Done.
   2  Bad input: a wrong file, flag or request. Each mistake is a line on
      stderr, "zonecut: file:line:column: what was found and what was expected".
   3  No placement exists, or a given order cannot run because failed links
      part its servers. What stands in the way is printed.
   4  A disk or peer failed.
  70  A defect of zonecut itself. Please report it.

With --json, failures are one JSON object on stdout as well:
{"schema": "zonecut.error/v1", "code": ..., "exit": ..., "problems": [...]},
or, with exit code 3, "zonecut.refusal/v1" with its blockers.
When the reader of stdout goes away, as head does, zonecut stops with 0.
)";

constexpr std::string_view kEnvironment = R"(ENVIRONMENT

COLUMNS   Width of help, reports and the tables of simulate, whatever the
          terminal's is. Other commands break no lines.
NO_COLOR  When set and not empty, no colours (https://no-color.org).
CLICOLOR_FORCE  When set and not 0, colours even into a pipe.
SLURM_CONF  Which Slurm is asked by --from-slurm and slurm-live.
LC_ALL, LC_CTYPE, LANG  Whether the terminal shows UTF-8.

Nothing else in the environment changes what zonecut does, and nothing in it
changes a placement.
)";

constexpr std::array kTopics = {
    Topic{"words", "zone, cut, bound, gap and the other words used here", kWords},
    Topic{"jobs", "how to say what a job sends", kJobs},
    Topic{"objective", "what makes one placement better than another", kObjective},
    Topic{"exit-codes", "what the exit code and the error object say", kExitCodes},
    Topic{"environment", "the variables that change how output looks", kEnvironment},
};

}  // namespace

std::span<const Topic> topics() { return kTopics; }

}  // namespace zonecut::cli
