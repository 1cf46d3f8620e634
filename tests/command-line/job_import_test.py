"""Jobs from traces: the real program on real traces, and on wrong ones."""
import json
import lzma
import pathlib
import shutil
import sys
import tarfile
import unittest

import program
import schemas
from program import SOURCE, run

TRACES = SOURCE.parent / "shared" / "data" / "traces"
EXAMPLE = SOURCE / "examples" / "08-traces"


def real(*path):
    """A path of real traces; the case is skipped, loudly, where it is not there."""
    found = TRACES.joinpath(*path)
    if not found.exists():
        print(f"SKIPPED: {found} is not there", file=sys.stderr)
        raise unittest.SkipTest(f"{found} is not there")
    return found


class Imports(program.InFolder):
    def imported(self, *words):
        """The summary of an import that must succeed, and the text of its job file."""
        job = self.folder / "job.yaml"
        result = run("job", "import", "--json", "-o", job, *words)
        self.assertEqual(result.returncode, 0, result.stderr)
        return json.loads(result.stdout), job.read_text()

    def refused(self, *words, says):
        result = run("job", "import", *words)
        self.assertEqual(result.returncode, 2, result.stdout + result.stderr)
        self.assertEqual(result.stdout, "")
        for text in says:
            self.assertIn(text, result.stderr)
        return result

    def collectives(self, *words):
        return [(c["name"], c["kind"], c["ranks"], c["bytes"], c["times"], c["groups"])
                for c in self.imported(*words)[0]["collectives"]]


class Real(Imports):
    def test_megatron_sends_what_is_known_of_it(self):
        for path in sorted(real("megatron-tp8-8ranks").glob("megatron_et_*.json.xz")):
            (self.folder / path.stem).write_bytes(lzma.decompress(path.read_bytes()))
        summary, job = self.imported("--from", "pytorch-et", self.folder)
        self.assertEqual((summary["ranks"], summary["traces"]), (8, 8))
        self.assertEqual([(c["kind"], c["ranks"], c["bytes"], c["times"], c["groups"])
                          for c in summary["collectives"]],
                         [("all-reduce", 8, 64 << 20, 81, 1), ("all-reduce", 8, 32 << 10, 3, 1)])
        self.assertEqual(summary["left_out"],
                         [{"what": "all-reduce of 4B in a group of 1 rank", "records": 8}])
        self.assertIn('ranks: "0-7", bytes: 64MiB, times: 81}', job)
        self.assertIn('ranks: "0-7", bytes: 32KiB, times: 3}', job)

    def test_the_megatron_job_is_placed_predicted_and_reported(self):
        for path in sorted(real("megatron-tp8-8ranks").glob("megatron_et_*.json.xz")):
            (self.folder / path.stem).write_bytes(lzma.decompress(path.read_bytes()))
        self.imported("--from", "pytorch-et", self.folder)
        cluster = self.write("cluster.yaml", "format: cluster/v1\nlevels: [zone, rack]\ngpus: 4\ndomains:\n"
                                             "  - {zone: 'z[1-2]', rack: r, servers: 1}\n")
        case = ["--cluster", cluster, "--job", self.folder / "job.yaml"]
        placed = run("place", *case, "--format", "json")
        self.assertEqual(placed.returncode, 0, placed.stderr)
        metrics = json.loads(placed.stdout)["metrics"]
        # A ring over both zones crosses the border once each way; each edge carries 2 * 7/8 of the buffer.
        crossing = 2 * (81 * (64 << 20) + 3 * (32 << 10)) * 2 * 7 // 8
        self.assertEqual(metrics["cross_zone_bytes"], crossing)
        order = self.folder / "hosts"
        self.assertEqual(run("place", *case, "--format", "hostfile", "-o", order).returncode, 0)
        self.assertEqual(run("predict", *case, "--order", order).returncode, 0)
        self.assertEqual(run("report", *case).returncode, 0)

    def test_the_microbenchmarks_of_chakra_are_one_collective_of_a_mebibyte(self):
        for kind in ["all_reduce", "all_to_all"]:
            for ranks in [4, 8, 16]:
                folder = real("micro", kind, f"{ranks}npus_1MB")
                self.assertEqual(self.collectives("--from", "chakra", folder),
                                 [("world", kind.replace("_", "-"), ranks, 1 << 20, 1, 1)])

    def unpacked(self, name):
        with tarfile.open(real("mlcommons", name)) as archive:
            for member in archive.getmembers():
                if member.isfile() and not pathlib.Path(member.name).name.startswith("._"):
                    yield member.name, archive.extractfile(member).read()

    def test_a_chakra_trace_of_pytorch_has_the_calls_of_its_gpu(self):
        (_, text), = self.unpacked("feeder_tests_trace.tar.gz")
        trace = self.folder / "chakra.0.et"
        trace.write_bytes(text)
        self.refused("--from", "chakra", trace, says=["nothing is sent between ranks"])
        summary, _ = self.imported("--from", "chakra", "--ranks", "2", "--allow-missing", trace)
        self.assertEqual(sum(c["times"] for c in summary["collectives"]), 7)
        self.assertEqual({(c["kind"], c["bytes"]): c["times"] for c in summary["collectives"]}, FEEDER)
        self.assertEqual([left["records"] for left in summary["left_out"]], [14])
        self.assertEqual(len(summary["assumed"]), 3)

    def test_a_chakra_json_without_sizes_is_refused_with_the_line(self):
        for name, text in self.unpacked("json_trace.tar.gz"):
            trace = self.folder / pathlib.Path(name).name
            trace.write_bytes(text)
            self.refused("--from", "chakra", trace, says=[f"{trace}:", "has no comm_size"])

    def test_a_host_trace_of_schema_1_0_2_names_its_groups(self):
        (_, text), = self.unpacked("1.0.2-chakra.0.0.4.tgz")
        trace = self.folder / "host.0.json"
        trace.write_bytes(text)
        self.refused("--from", "pytorch-et", trace, says=["of 2 ranks, 1 have no trace: 1", "--allow-missing"])
        summary, _ = self.imported("--from", "pytorch-et", "--allow-missing", trace)
        self.assertEqual(summary["ranks"], 2)
        # An element of 4 bytes of each of two ranks, ten times.
        self.assertEqual([(c["kind"], c["ranks"], c["bytes"], c["times"]) for c in summary["collectives"]],
                         [("all-gather", 2, 8, 10)])
        self.assertIn("(1 of 2)", summary["assumed"][0])
        self.assertIn("among themselves is lost", summary["assumed"][0])
        self.assertEqual(len(summary["assumed"]), 1)


# Counted in the protobuf messages by hand: (kind, bytes of the larger buffer) -> times.
FEEDER = {("broadcast", 212480): 1, ("broadcast", 424): 1, ("all-reduce", 8196000): 1,
          ("all-reduce", 31502336): 1, ("all-reduce", 26255360): 1, ("all-reduce", 26550272): 1,
          ("all-reduce", 9724160): 1}


class Program(Imports):
    TRACE = ('[\n{"comms": "all_reduce", "in_msg_size": 4, "out_msg_size": 4, "dtype": "float", '
             '"world_size": 2}\n]\n')

    def setUp(self):
        super().setUp()
        self.traces = [self.write(f"t.{rank}.json", self.TRACE) for rank in range(2)]
        self.words = ["--from", "param", *self.traces]

    def test_the_job_goes_to_stdout_and_all_else_to_stderr(self):
        result = run("job", "import", *self.words)
        self.assertEqual(result.returncode, 0)
        self.assertEqual(result.stdout, "format: job/v1\nname: trace\ngpus: 2\ncollectives:\n"
                                        '  - {name: world, kind: all-reduce, ranks: "0-1", bytes: 16B}\n')
        self.assertEqual(result.stderr, "")
        result = run("job", "import", *self.words, "--json")
        self.assertTrue(result.stdout.startswith("format: job/v1\n"))
        self.assertEqual(json.loads(result.stderr)["schema"], "zonecut.job-import/v1")

    def test_a_file_is_written_with_a_line_about_it(self):
        job = self.folder / "job.yaml"
        result = run("job", "import", *self.words, "-o", job, "--name", "my job: 1")
        self.assertEqual((result.returncode, result.stdout), (0, ""))
        self.assertEqual(result.stderr, f"zonecut: wrote {job}: 2 ranks, 1 collective\n")
        self.assertIn('name: "my job: 1"\n', job.read_text())

    def test_a_job_from_a_pipe_is_placed(self):
        job = run("job", "import", *self.words).stdout
        result = run("place", "--cluster", EXAMPLE / "cluster.yaml", "--job", "-", "--format", "hostfile",
                     stdin=job)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(result.stdout, "b-r1-s1 slots=2\n")

    def test_the_summary_follows_its_schema(self):
        for words in [self.words, ["--from", "pytorch-et", EXAMPLE / "traces"]]:
            summary, _ = self.imported(*words)
            self.assertEqual(schemas.mistakes(summary, "job-import"), [])

    def test_what_is_left_out_is_said(self):
        for trace in self.traces:
            trace.write_text(self.TRACE.replace("]\n", ',{"comms": "barrier"}\n]\n'))
        result = run("job", "import", *self.words)
        self.assertEqual(result.stderr, "zonecut: left out: barrier (2 records)\n")

    def test_mistakes_of_all_traces_are_reported_together_and_nothing_is_written(self):
        for trace in self.traces:
            trace.write_text(self.TRACE.replace("float", "quad"))
        job = self.folder / "job.yaml"
        self.refused(*self.words, "-o", job,
                     says=[f"zonecut: {trace}:2: found the dtype \"quad\"" for trace in self.traces])
        self.assertFalse(job.exists())

    def test_paths_without_traces_are_refused(self):
        empty = self.folder / "empty"
        empty.mkdir()
        missing = self.folder / "no.0.json"
        self.refused("--from", "param", empty, says=["is a folder without traces"])
        self.refused("--from", "param", missing, says=[f"{missing}: cannot be opened"])
        self.refused("--from", "param", "-", says=["not read from stdin"])
        self.refused("--from", "param", says=["is required"])
        self.refused("--from", "param", "", says=["empty text"])
        other = self.write("step.json", self.TRACE)
        self.refused("--from", "param", self.traces[0], other, says=[f"{other}: has no rank in its name"])
        more = self.folder / "more"
        more.mkdir()
        shutil.copy(self.traces[0], more / "step.0.json")
        self.refused("--from", "param", *self.traces, more, says=["t.0.json: is of rank 0, and so is"])

    def test_wrong_options_are_refused(self):
        self.refused("--from", "chakr", self.traces[0], says=["did you mean chakra?"])
        self.refused(self.traces[0], says=["--from"])
        for option in ["--iterations", "--ranks"]:
            for value in ["0", "-1", "010", "x"]:
                self.refused(*self.words, option, value, says=[option])
        self.refused(*self.words, "--iterations", "2", says=["2 iterations do not divide that"])
        self.refused(*self.words, "--ranks", "1", says=["the traces tell of 2 ranks"])
        self.refused(*self.words, "--ranks", "3", says=["of 3 ranks, 1 have no trace: 2"])
        self.refused(*self.words, "--groups", self.write("g", "[]"), says=["is no object"])
        self.refused(*self.words, "-o", self.traces[1], says=["--output"])
        folder = self.folder / "folder"
        folder.mkdir()
        trace = pathlib.Path(shutil.copy(self.traces[0], folder))
        self.refused("--from", "param", "--allow-missing", folder, "-o", trace, says=["--output", "would be lost"])
        self.assertEqual(trace.read_text(), self.TRACE)
        self.assertEqual(self.traces[1].read_text(), self.TRACE)

    def test_failures_are_json_where_that_was_asked_for(self):
        result = run("job", "import", "--json", "--from", "param", self.traces[0])
        self.assertEqual(result.returncode, 2)
        self.assertEqual(json.loads(result.stdout)["schema"], "zonecut.error/v1")


class Example(Imports):
    def test_the_example_sends_what_its_maker_says(self):
        self.assertEqual(self.collectives("--from", "pytorch-et", EXAMPLE / "traces"), [
            ("DATA_PARALLEL_GROUP", "all-reduce", 2, 600_000_000, 1, 8),
            ("PIPELINE_MODEL_PARALLEL_GROUP", "send-receive", 2, 4096 * 2048 * 2, 4, 24),
            ("TENSOR_MODEL_PARALLEL_GROUP", "all-reduce", 2, 4096 * 2048 * 2, 32, 8),
            ("world", "all-reduce", 16, 4, 1, 1)])

    def test_its_maker_still_makes_it(self):
        made = self.folder / "made"
        program.subprocess.run([sys.executable, EXAMPLE / "make_traces.py", made], check=True)
        for path in sorted((EXAMPLE / "traces").iterdir()):
            self.assertEqual(path.read_text(), (made / path.name).read_text())


if __name__ == "__main__":
    program.main()
