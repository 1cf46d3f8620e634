"""Files that zonecut reads follow docs/schema: what a schema takes is taken, what it refuses is refused."""
import json
import re

import jsonschema
import program
import yaml
from program import EXAMPLES, SOURCE, run

SCHEMAS = {kind: json.loads((SOURCE / "docs" / "schema" / f"{kind}-v1.json").read_text("utf-8"))
           for kind in ["cluster", "job", "state"]}

# Each wrong in one way, which a schema can know; without that they fill the two servers of the tests.
WRONG_JOBS = """
{gpus: 16, format: job/v2}
{gpus: 16, name: ""}
{gpus: 16, nmae: x}
{gpus: 16, kind: serving}
gpus: 0
gpus: 8.5
gpus: "8"
{ranks_per_server: 2048, gpus: 16}
{all_to_all: ring, gpus: 16}
{gpus: 16, overlap: {dp: 1.5}}
{gpus: 16, overlap: 0.9}
{gpus: 16, model: llama9}
{gpus: 16, model: {preset: llama3-8b, layer: 3}}
{gpus: 16, model: {preset: llama3-8b, parameters: 8X}}
{gpus: 16, model: {preset: llama3-8b, dispatch_bytes: 0}}
{gpus: 16, parallelism: {tp: 0}}
{gpus: 16, parallelism: {tp: 8, vpp: 2}}
{gpus: 16, parallelism: {order: tp-dp-xp}}
{gpus: 16, parallelism: {sequence_parallel: 3, tp: 8}}
{gpus: 16, batch: {sequence: 0}}
{gpus: 16, batch: {seq: 1}}
{gpus: 16, data_parallel: zero4}
{gpus: 16, data_parallel: {mode: hsdp, shards: 4}}
{gpus: 16, data_parallel: {mode: hsdp, replica_all_reduce: once}}
{gpus: 16, data_parallel: {gradient_bytes: 32}}
{gpus: 16, data_parallel: {ring_order: best}}
{gpus: 16, encoder: {parameters: 1e9, layers: 2, hidden: 64}}
{gpus: 16, encoder: {parameters: 1e9, layers: 2, hidden: 64, tokens: 8, depth: 2}}
{gpus: 16, encoder: {parameters: 1e9, layers: 2, hidden: 64, tokens: 8, frozen: half}}
{gpus: 16, recommendation: {dense: 1GiB}, encoder: {parameters: 1e9, layers: 2, hidden: 64, tokens: 8}}
{gpus: 16, recommendation: {}}
{recommendation: {embedding: 1GiB}}
{gpus: 16, recommendation: {embedding: 1 giga}}
{gpus: 16, recommendation: {embedding: 1GiB}, parallelism: {tp: 8}}
{gpus: 16, recommendation: {dense: 1GiB, rank_weights: [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1]}}
{model: llama3-8b, inference: {prefill_tp: 1}}
{model: llama3-8b, inference: {requests_per_second: -1}}
{inference: {requests_per_second: 1}}
{collectives: [{kind: all-reduce, ranks: 0-1, bytes: 1MB}]}
{gpus: 16, collectives: [{kind: all-reduce, ranks: 0-1}]}
{gpus: 16, collectives: [{kind: all-reduce, ranks: 0-1, bytes: 1MB, algorithm: pairwise}]}
{gpus: 16, collectives: [{kind: all-to-all, ranks: 0-1, bytes: 1MB, algorithm: ring}]}
{gpus: 16, collectives: [{kind: gather, ranks: 0-1, bytes: 1MB}]}
{gpus: 16, collectives: [{kind: all-reduce, ranks: 0..1, bytes: 1MB}]}
{gpus: 16, matrix: [[0, 1]]}
{gpus: 16, matrix: [[0, 1, 5]]}
{gpus: 16, storage: {checkpoint: 0}}
{gpus: 16, storage: {interval: 10min}}
{gpus: 16, placement: {level: zone}}
{gpus: 16, placement: {slices: 8}}
{gpus: 16, placement: {spread: {servers: 4}}}
{gpus: 16, placement: {whole_racks: 4}}
{}
"""


# Right, where one may doubt it.
RIGHT_JOBS = """
gpus: 16
{parallelism: "tp=8,dp=2"}
{name: 7, gpus: 16, data_parallel: 0, storage: {checkpoint: 0B}}
{gpus: 16, model: {preset: llama3-8b, parameters: 8.03e9, name: ours}, overlap: {dp: 1}}
{gpus: 16, batch: null, model: null, data_parallel: null, overlap: null, placement: null}
{gpus: 16, data_parallel: {mode: 3, algorithm: auto}, placement: {exclude: [], time_tolerance: 0%}}
{gpus: 16, collectives: [{kind: all-reduce, ranks: [0, 2-5, "6-14:2"], bytes: 1.5 MiB}], matrix: [[0, 15, 5MB]]}
{kind: matrix, gpus: 16, matrix: []}
{gpus: 16, encoder: {name: 3, parameters: 1B, layers: 2, hidden: 64, tokens: 8, frozen: true}}
{gpus: 16, recommendation: {embedding: 0B, dense: 0.5e3kB}}
{model: {preset: llama3-8b}, inference: {prefill_tp: 8, decode_tp: 8, requests_per_second: 0.5}}
"""


def mistakes(kind, text):
    validator = jsonschema.Draft202012Validator(SCHEMAS[kind])
    return [f"{error.json_path}: {error.message}" for error in validator.iter_errors(yaml.safe_load(text))]


def lines(text):
    return [line for line in text.splitlines() if line]


def blocks(page):
    return re.findall(r"^```yaml\n(.*?)^```", (SOURCE / "docs" / "formats" / page).read_text("utf-8"), re.M | re.S)


class Inputs(program.InFolder):
    def exit_codes(self, job):
        """Of the two commands that together read all of a job, on two servers of eight GPUs."""
        cluster = self.write("c.yaml", "format: cluster/v1\nfrontend: {nic_bandwidth: 200Gbps}\n"
                             "domains: [{zone: z, rack: r, servers: [a, b]}]\n")
        words = ["--cluster", cluster, "--job", self.write("j.yaml", job + "\n")]
        placed = run("place", "--effort", "fast", *words)
        predicted = run("predict", "--frontend", "--order", self.write("order", "a slots=8\nb slots=8\n"), *words)
        return [(result.returncode, result.stderr) for result in (placed, predicted)]

    def test_the_schemas_are_schemas(self):
        for schema in SCHEMAS.values():
            jsonschema.Draft202012Validator.check_schema(schema)

    def test_examples_follow_them(self):
        seen = set()
        for file in EXAMPLES.glob("*/*.yaml"):
            text = file.read_text("utf-8")
            said = re.match(r"(?:#.*\n|\n)*format: (\w+)/v1", text)
            if not said or said[1] not in SCHEMAS:
                continue
            seen.add(said[1])
            self.assertEqual(mistakes(said[1], text), [], file)
        self.assertEqual(seen, set(SCHEMAS))

    def test_pages_follow_them(self):
        for kind in SCHEMAS:
            found = [block for block in blocks(f"{kind}.md") if "\n" in block]
            self.assertGreater(len(found), 0, kind)
            for block in found:
                self.assertEqual(mistakes(kind, block), [], block)

    def test_what_the_schema_of_jobs_refuses_is_refused(self):
        for job in lines(WRONG_JOBS):
            with self.subTest(job):
                self.assertNotEqual(mistakes("job", job), [])
                self.assertTrue(any(code == 2 and "j.yaml:1:" in message for code, message in self.exit_codes(job)))

    def test_what_the_schema_of_jobs_takes_is_taken(self):
        for job in lines(RIGHT_JOBS):
            with self.subTest(job):
                self.assertEqual(mistakes("job", job), [])
                for code, message in self.exit_codes(job):
                    self.assertEqual(code, 0, message)


if __name__ == "__main__":
    program.main()
