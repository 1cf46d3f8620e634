"""zonecut simulate from outside: what it prints, what it refuses, and where its files go."""
import csv
import io
import json
import lzma
import os
import signal
import subprocess
import time

import program
import schemas
from program import EXAMPLES, SOURCE, run

HERE = EXAMPLES / "09-arrivals"
FILES = ["--cluster", str(HERE / "cluster.yaml"), "--trace", str(HERE / "arrivals.csv"),
         "--work", str(HERE / "work.yaml")]
PHILLY = SOURCE.parent / "shared" / "data" / "jobs" / "philly.csv.xz"
SWF = "; MaxProcs: 64\n" + "".join(
    f"{i} {100 * i} 0 {60 + i} {16 * i} -1 -1 -1 -1 -1 1 1 1 1 1 -1 -1 -1\n" for i in range(1, 5))


class Simulate(program.InFolder):
    def simulate(self, *words, **environment):
        result = run("simulate", *FILES, *words, **environment)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return result.stdout

    def refused(self, *words, says):
        result = run("simulate", *words)
        self.assertEqual(result.returncode, 2, result.stderr)
        if "--json" not in words:
            self.assertEqual(result.stdout, "")
        for text in says:
            self.assertIn(text, result.stderr)

    def test_the_table_fits_80_columns_and_names_every_policy(self):
        text = self.simulate("--policy", "all")
        for line in text.splitlines():
            self.assertLessEqual(len(line), 80, line)
        for name in ["zonecut", "slurm-tree", "slurm-tree+order", "kubernetes", "arnold", "random+order"]:
            self.assertEqual(sum(line.split()[:1] == [name] for line in text.splitlines()), 3, name)

    def test_a_narrow_terminal_keeps_its_width(self):
        for line in self.simulate(COLUMNS="50").splitlines():
            self.assertLessEqual(len(line), 50, line)

    def test_sixty_columns_cut_no_figure(self):
        text = self.simulate(COLUMNS="60")
        self.assertIn("GPU-hours lost", text)
        self.assertNotRegex(text, "[~…]")

    def test_forty_columns_leave_figures_out_and_cut_none(self):
        text = self.simulate("--policy", "all", COLUMNS="40")
        self.assertIn("GPU-hours lost", text)
        for line in text.splitlines():
            self.assertLessEqual(len(line), 40, line)
            if line.startswith("  "):  # a row, after the name of its policy
                self.assertNotRegex(line.lstrip().partition(" ")[2], "[~…]")

    def test_json_follows_its_schema(self):
        for words in [[], ["--communication-share", "0"], ["--queue", "fifo", "--no-interference"]]:
            found = json.loads(self.simulate("--json", *words))
            self.assertEqual(schemas.mistakes(found, "simulation"), [])

    def test_the_same_seed_gives_the_same_bytes_on_any_number_of_threads(self):
        once = self.simulate("--json")
        self.assertEqual(self.simulate("--json", "--threads", "3"), once)
        self.assertNotEqual(self.simulate("--json", "--seed", "2"), once)

    def test_the_jobs_add_up_to_the_figures(self):
        jobs = self.folder / "jobs.csv"
        found = json.loads(self.simulate("--json", "--jobs-out", jobs))
        rows = list(csv.DictReader(io.StringIO(jobs.read_text())))
        self.assertEqual(len(rows), 3 * found["trace"]["jobs"])
        for policy in found["policies"]:
            own = [row for row in rows if row["policy"] == policy["name"]]
            waits = [float(row["start"]) - float(row["submit"]) for row in own]
            self.assertAlmostEqual(sum(waits) / len(waits), policy["wait_seconds"]["mean"], places=6)
            hours = sum(int(row["gpus"]) * (float(row["end"]) - float(row["start"])) for row in own) / 3600
            self.assertAlmostEqual(hours, policy["gpu_hours"], places=6)
            crossing = sum(int(row["zones"]) > 1 for row in own)
            self.assertEqual(crossing, policy["jobs_crossing_zones"])

    def test_a_job_stands_on_as_many_gpus_as_it_holds_where_servers_differ(self):
        cluster = self.write("c.yaml", "format: cluster/v1\ngpus: 4\nlevels: [zone, rack]\ndomains:\n"
                                       "  - {zone: a, rack: r, servers: [{names: s0, gpus: 8}, \"s[1-2]\"]}\n")
        trace = self.write("t.csv", "submit,duration,gpus\n0,10,16\n")
        result = run("simulate", "--cluster", cluster, "--trace", trace, "--jobs-out", "-",
                     "--policy", "linear")
        self.assertEqual(result.returncode, 0, result.stderr)
        row = next(csv.DictReader(io.StringIO(result.stdout)))
        self.assertEqual((row["gpus"], row["servers"], row["hosts"]), ("16", "4", "s0,s[0-2]"))
        self.assertGreater(float(row["communication"]), 0)

    def test_where_communication_takes_no_share_all_policies_are_alike_that_wait_for_no_block(self):
        found = json.loads(self.simulate("--json", "--communication-share", "0", "--policy", "all"))
        for policy in found["policies"]:
            self.assertEqual(policy["lost_gpu_hours"], 0)
            if not policy["name"].startswith("slurm-block"):
                self.assertEqual(policy["wait_seconds"], found["policies"][0]["wait_seconds"])

    def test_jobs_can_be_the_only_thing_on_stdout(self):
        text = self.simulate("--jobs-out", "-", "--policy", "linear")
        self.assertTrue(text.startswith("policy,job,submit,"))
        self.assertEqual(len(text.splitlines()), 81)
        self.refused(*FILES, "--jobs-out", "-", "--json", says=["both go to stdout"])

    def test_a_standard_workload_counts_processors(self):
        trace = self.write("trace.swf", SWF)
        words = ["--cluster", HERE / "cluster.yaml", "--trace", trace, "--json", "--policy", "linear"]
        found = json.loads(run("simulate", *words).stdout)
        self.assertEqual([work["gpus"] for work in found["works"]], [16, 32, 48, 64])
        found = json.loads(run("simulate", *words, "--processors-per-gpu", "4").stdout)
        self.assertEqual([work["gpus"] for work in found["works"]], [16])
        self.assertEqual(found["trace"]["rounded_up"], 1)
        self.refused(*FILES, "--processors-per-gpu", "4", says=["counts GPUs, not processors"])

    def test_a_window_of_time_and_jobs_is_taken(self):
        found = json.loads(self.simulate("--json", "--from", "2h", "--until", "6h", "--jobs", "5"))
        self.assertEqual(found["trace"]["jobs"], 5)
        self.refused(*FILES, "--from", "1000h", says=["no job", "arrives in that time"])
        self.refused(*FILES, "--from", "2017-10-09", says=["has no dates"])
        self.refused(*FILES, "--until", "soon", says=["expected a time or a date"])
        self.refused(*FILES, "--from", "", says=["--from: found \"\""])

    def test_a_window_ends_at_the_millisecond_that_is_said(self):
        trace = self.write("t.csv", "submit,duration,gpus\n0,1,1\n1.000,1,1\n1.001,1,1\n")
        for words, jobs in [(["--until", "1.001s"], 2), (["--from", "1.001s"], 1)]:
            result = run("simulate", *FILES[:2], "--trace", trace, "--json", *words)
            self.assertEqual(json.loads(result.stdout)["trace"]["jobs"], jobs)

    def test_times_beyond_what_is_counted_exactly_are_refused(self):
        cluster = self.write("c.yaml", "format: cluster/v1\nlevels: [zone, rack]\ndomains:\n"
                                       "  - {zone: a, rack: r, servers: 1}\n")
        trace = self.write("t.csv", "submit,duration,gpus\n" + 1000 * "0,10000000000,8\n")
        self.refused("--cluster", cluster, "--trace", trace, "--policy", "linear",
                     says=["job 901 would end more than 285,000 years after"])

    def test_a_job_larger_than_the_cluster_is_counted_and_said(self):
        trace = self.write("t.csv", "submit,duration,gpus\n0,10,192\n10,10,99999\n")
        result = run("simulate", "--cluster", HERE / "cluster.yaml", "--trace", trace)
        self.assertEqual(result.returncode, 0)
        self.assertIn("Never started, for the whole cluster is too small: 1 job.", result.stdout)
        # It is given no GPUs, and does not fill the cluster.
        self.assertNotIn("Given more GPUs", result.stdout)
        self.assertRegex(" ".join(result.stdout.split()), "^1 job in 10 s, 1 of them on several servers, on .*: they ask "
                                                          "for 50 % of what it has in that time; 1 more never starts\\. ")

    def test_jobs_of_slurms_block_wait_for_one_and_are_said_where_there_is_never_one(self):
        cluster = self.write("c.yaml", "format: cluster/v1\nlevels: [zone, rack]\ndomains:\n"
                                       "  - {zone: z, rack: \"r[1-4]\", servers: \"s[1-4]\"}\n")
        trace = self.write("t.csv", "submit,duration,gpus\n0,60,16\n10,60,8\n")
        words = ["simulate", "--cluster", cluster, "--trace", trace, "--policy", "slurm-block,slurm-tree"]
        for end, starts in [(", ends_in: 2min", ["120", "10"]), ("", ["", "10"])]:
            state = self.write("s.yaml", "format: state/v1\njobs:\n"
                                         f"  - {{name: old, servers: \"s1,s3\"{end}}}\n")
            jobs = list(csv.DictReader(io.StringIO(run(*words, "--state", state, "--jobs-out", "-").stdout)))
            self.assertEqual([job["start"] for job in jobs], [*starts, "0", jobs[3]["start"]])
            text = " ".join(run(*words, "--state", state).stdout.split())
            self.assertEqual(starts[0] == "", "Never started by slurm-block, for no block of what is sound "
                                              "and comes free holds them: 1 job." in text, text)
            self.assertNotIn("Never started, for", text)
            self.assertNotIn("by slurm-tree", text)

    def test_wrong_words_are_met_with_the_nearest(self):
        self.refused(*FILES, "--policy", "slurm-three", says=["did you mean slurm-tree?"])
        self.refused(*FILES, "--policy", "random,random", says=["named twice"])
        self.refused(*FILES, "--policy", "dlrover", says=["report only", "orders the servers"])
        self.refused(*FILES, "--policy", "linear,framework", says=["report only", "orders the servers"])
        self.refused(*FILES, "--queue", "lifo", says=["fifo or backfill"])
        self.refused(*FILES, "--format", "xml", says=["csv, philly or swf"])
        self.refused(*FILES, "--scale-gpus", "2", says=["whose GPUs cannot be scaled"])
        self.refused(*FILES, "--load", "0", says=["--load"])

    def test_jobs_that_run_at_first_are_in_the_way_until_they_end(self):
        cluster = self.write("c.yaml", "format: cluster/v1\nname: two\ndomains: [{zone: z, rack: r, servers: [a, b]}]\n")
        trace = self.write("t.csv", "submit,duration,gpus,name\n0,60,8,one\n10,60,16,two\n20,30,8,three\n")
        state = self.write("s.yaml", "format: state/v1\njobs:\n"
                                     "  - {name: old, servers: a, ends_in: 2min, traffic: {job: \"dp=8,model=llama3-8b\"}}\n")
        words = ["simulate", "--cluster", cluster, "--trace", trace, "--policy", "zonecut"]
        starts = {}
        for name, more in [("empty", []), ("old", ["--state", state])]:
            jobs = list(csv.DictReader(io.StringIO(run(*words, *more, "--jobs-out", "-").stdout)))
            starts[name] = [float(job["start"]) for job in jobs]
        self.assertEqual(starts["empty"], [0, 60, 20])
        self.assertEqual(starts["old"], [0, 120, 60])
        found = json.loads(run(*words, "--state", state, "--json").stdout)
        self.assertEqual(schemas.mistakes(found, "simulation"), [])
        self.assertEqual(found["start"], {"jobs": 1, "staying_jobs": 0, "jobs_of_unknown_traffic": 0, "gpus": 8, "lost_gpus": 0})
        self.assertEqual(found["provenance"]["state_file"], str(state))
        stays = self.write("stays.yaml", "format: state/v1\njobs: [{name: old, servers: a}]\nhealth: {failed_gpus: {b: [3]}}\n")
        text = " ".join(run(*words, "--state", stays).stdout.split())
        self.assertIn("At first 1 job holds 8 GPUs. Without a known end, so to the end: 1 job. Of unknown traffic: 1 job. "
                      "Broken or drained: 1 GPU.", text)
        self.assertIn("Never started, for too little is sound and comes free: 3 jobs", text)
        self.refused(*words[1:], "--state", state, "--jobs-out", state, says=["would be lost"])
        wrong = self.write("wrong.yaml", "format: state/v1\njobs: [{name: old, servers: a, ends_in: soon}]\n")
        self.refused(*words[1:], "--state", wrong, says=[f"{wrong}:2:", "how long the job still runs", "36h"])

    def test_options_that_contradict_each_other_are_refused(self):
        self.refused(*FILES, "--queue", "fifo", "--backfill-depth", "5",
                     says=["--backfill-depth: with --queue fifo", "use --queue backfill"])
        self.refused(*FILES, "--tflops", "300", "--communication-share", "0.1", says=["--tflops", "excludes"])
        self.refused(*FILES, "--queue-pairs", "4", says=["--queue-pairs: with --routing ideal"])
        self.refused(*FILES, "--hash-seed", "4", says=["--hash-seed: with ideal balancing"])
        self.simulate("--queue", "backfill", "--backfill-depth", "5", "--tflops", "300")

    def test_mistakes_in_files_are_told_with_their_place(self):
        trace = self.write("t.csv", "submit,duration,gpus,work\n0,10,8,\n1,x,8,\n2,3,16,tp=y\n")
        self.refused("--cluster", HERE / "cluster.yaml", "--trace", trace, says=[f"{trace}:3:3: "])
        trace = self.write("u.csv", "submit,duration,gpus,work\n2,3,16,tp=y\n")
        self.refused("--cluster", HERE / "cluster.yaml", "--trace", trace, says=[f"{trace}:2:1: work:1:"])
        work = self.write("w.yaml", "work:\n  - {gpus: 16-, job: \"tp=8,dp=2\"}\n")
        self.refused(*FILES[:4], "--work", work, says=[f"{work}:2:5: "])
        self.refused(*FILES[:2], "--trace", self.folder / "none", says=["none"])
        self.refused(*FILES[:2], "--trace", HERE / "cluster.yaml", says=["begins no trace"])

    def test_a_size_without_work_is_told_with_the_job_that_has_it(self):
        work = self.write("w.yaml", "work:\n  - {gpus: 64-, job: \"model=llama3-70b,tp=8,pp=4\"}\n")
        self.refused(*FILES[:4], "--work", work, says=["arrivals.csv:", "no entry fits jobs of 16 GPUs"])

    def test_a_job_file_with_constraints_is_refused(self):
        self.write("job.yaml", "parallelism: {tp: 8, dp: 2}\nplacement: {whole_racks: true}\n")
        trace = self.write("t.csv", "submit,duration,gpus,work\n2,3,,job.yaml\n")
        self.refused(*FILES[:2], "--trace", trace, says=["no simulation keeps"])

    def test_no_input_is_overwritten(self):
        for name in ["arrivals.csv", "work.yaml", "experts.yaml"]:
            before = (HERE / name).read_bytes()
            self.refused(*FILES, "--jobs-out", HERE / name, says=["would be lost"])
            self.assertEqual((HERE / name).read_bytes(), before)

    def test_a_folder_that_is_not_there_is_told_before_the_work(self):
        result = run("simulate", *FILES[:2], "--trace", self.folder / "none", "--jobs-out",
                     self.folder / "none" / "jobs.csv")
        self.assertEqual(result.returncode, 4, result.stderr)
        self.assertIn("its folder is not there", result.stderr)
        result = run("simulate", *FILES[:2], "--trace", self.folder / "none", "--jobs-out", self.folder)
        self.assertEqual(result.returncode, 4, result.stderr)
        self.assertIn("is a directory", result.stderr)

    def test_an_interrupt_ends_it_and_leaves_no_file(self):
        rows = "".join(f"{i},{1000 + i % 977},{16 + 8 * (i % 16)}\n" for i in range(20000))
        trace = self.write("long.csv", "submit,duration,gpus\n" + rows)
        jobs = self.folder / "jobs.csv"
        words = ["simulate", *FILES[:2], "--trace", str(trace), "--jobs-out", str(jobs)]
        process = subprocess.Popen([program.PROGRAM, *words], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, env={**os.environ, "LC_ALL": "C.UTF-8"})
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        out, error = process.communicate(timeout=30)
        self.assertEqual((process.returncode, out, error), (-signal.SIGINT, b"", b""))
        self.assertEqual([path.name for path in self.folder.iterdir() if "jobs" in path.name], [])

    def test_the_jobs_of_philly_all_end(self):
        if not PHILLY.exists():
            self.skipTest(f"{PHILLY} is not there")
        trace = self.write("philly.csv", lzma.decompress(PHILLY.read_bytes()).decode())
        cluster = self.write("c.yaml", "format: cluster/v1\nlevels: [zone, rack]\n"
                                       "domains:\n  - {zone: \"z[1-4]\", rack: \"r[01-20]\", servers: 2}\n")
        result = run("simulate", "--cluster", cluster, "--trace", trace, "--json", "--jobs", "8000",
                     "--policy", "zonecut,linear")
        self.assertEqual(result.returncode, 0, result.stderr)
        found = json.loads(result.stdout)
        self.assertEqual(found["trace"]["format"], "philly")
        for policy in found["policies"]:
            self.assertEqual(policy["jobs_done"], 8000)


if __name__ == "__main__":
    program.main()
