"""whatif: questions about a job, about all that run, and about every one of a kind."""
import json
import subprocess

import program
import schemas
from program import EXAMPLES, SMALL, SMALL_CASE, run

STATE = """format: state/v1
jobs:
  - name: first
    servers: "a-r[1-3]-s[1-2]"
    traffic: {job: "tp=8,dp=6,model=llama3-8b", iteration: 2s}
  - name: second
    servers: "a-r[4-5]-s[1-2],b-r1-s[1-2]"
    traffic: {job: "tp=8,pp=2,dp=3,model=llama3-70b"}
  - {name: silent, servers: "b-r2-s[1-2]"}
health:
  failed_switches: [a/CTSW-2]
  drained: c-r2-s2
"""


class WhatIf(program.InFolder):
    def setUp(self):
        super().setUp()
        self.cluster = SMALL / "cluster.yaml"
        self.order = self.folder / "order"
        self.assertEqual(run("place", *SMALL_CASE, "--effort", "fast", "--format", "hostfile", "-o",
                             self.order).returncode, 0)
        self.state = self.write("state.yaml", STATE)

    def ask(self, *words, code=0):
        result = run("whatif", "--cluster", self.cluster, "--effort", "fast", *words)
        self.assertEqual(result.returncode, code, result.stderr)
        return result

    def answers(self, *words):
        found = json.loads(self.ask(*words, "--json").stdout)
        self.assertEqual(schemas.mistakes(found, "whatif"), [])
        return found

    def about_small(self, *words):
        return self.answers("--job", SMALL / "job.yaml", "--order", self.order, *words)

    def test_now_is_what_predict_says(self):
        now = self.about_small("--if", "routing=ideal")["now"]["jobs"][0]
        predicted = json.loads(run("predict", *SMALL_CASE, "--order", self.order, "--json").stdout)
        for name in ["communication_seconds", "cross_zone_bytes", "binding_link", "binding_phase"]:
            self.assertEqual(now["figures"][name], predicted["metrics"][name])

    def test_a_changed_setting_is_what_predict_says_of_such_a_one(self):
        found = self.about_small("--if", "fail=b/CTSW-1", "--if", "routing=e-ecmp,queue-pairs=16",
                                 "--if", "oversubscription=2.8")
        failed = self.write("failed.yaml", "format: state/v1\nhealth: {failed_switches: [b/CTSW-1]}\n")
        wide = self.write("wide.yaml", self.cluster.read_text("utf-8").replace("7:1", "2.8"))
        small = ["--job", SMALL / "job.yaml", "--order", self.order, "--json"]
        here = ["predict", "--cluster", self.cluster, *small]
        cases = [[*here, "--state", failed], [*here, "--routing", "e-ecmp", "--queue-pairs", 16],
                 ["predict", "--cluster", wide, *small]]
        for answer, case in zip(found["answers"], cases, strict=True):
            predicted = json.loads(run(*case).stdout)["metrics"]["communication_seconds"]
            self.assertEqual(answer["outlook"]["jobs"][0]["figures"]["communication_seconds"], predicted)
            self.assertLessEqual(answer["outlook"]["anew"]["figures"]["communication_seconds"],
                                 predicted * 1.005)

    def test_a_drained_rack_moves_the_ranks_that_place_keep_moves(self):
        found = self.about_small("--if", "drain=b/r1")["answers"][0]["outlook"]["jobs"][0]
        drained = self.write("drained.yaml", "format: state/v1\nhealth: {drained: \"b-r1-s[1-2]\"}\n")
        kept = json.loads(run("place", *SMALL_CASE, "--state", drained, "--keep", self.order, "--json").stdout)
        self.assertEqual(found["fate"], "moves")
        self.assertEqual({move["to"] for move in found["moves"]},
                         set(kept["servers"]) - {line.split()[0] for line in self.order.read_text().splitlines()})
        self.assertEqual(found["figures"]["communication_seconds"],
                         kept["metrics"]["communication_seconds"])

    def test_jobs_of_the_state_fare_as_their_neighbours_let_them(self):
        found = self.answers("--state", self.state, "--if", "end=second", "--if", "mend=all",
                             "--if", "drain=a/r1")
        self.assertEqual([job["name"] for job in found["jobs"]], ["first", "second"])
        self.assertIsNone(found["asked_about"])
        ended, mended, drained = found["answers"]
        self.assertEqual([job["fate"] for job in ended["outlook"]["jobs"]], ["stays", "ended"])
        self.assertLessEqual(mended["harm"]["lost_gpus"], 0)
        # Two servers of six must go, and in c three are free and not drained.
        first = drained["outlook"]["jobs"][0]
        self.assertEqual(first["fate"], "moves")
        self.assertEqual(drained["harm"]["interrupted_gpus"], 48)
        self.assertFalse({move["to"] for move in first["moves"]} & {"c-r2-s2", "b-r2-s1", "b-r2-s2"})

    def test_each_is_sorted_worst_first(self):
        found = self.answers("--state", self.state, "--each", "rack")
        harm = [tuple(answer["harm"].values()) for answer in found["answers"]]
        self.assertEqual(harm, sorted(harm, reverse=True))
        # The racks that hold anything.
        self.assertEqual({answer["changes"] for answer in found["answers"]},
                         {f"drain=a/r{i}" for i in range(1, 6)} | {"drain=b/r1", "drain=b/r2"})
        text = self.ask("--state", self.state, "--each", "CTSW").stdout
        self.assertIn("7 questions, for each CTSW", text)  # one of a's has failed, c holds nobody
        self.assertIn("alike", text)
        for line in text.splitlines():
            self.assertTrue(len(line) <= 80 or "phase" in line, line)  # links have long names
        found = self.answers("--state", self.state, "--each", "failure")
        harm = [tuple(answer["harm"].values()) for answer in found["answers"]]
        self.assertEqual(harm, sorted(harm))
        self.assertEqual(found["answers"][0]["changes"], "mend=a/CTSW-2")

    def test_threads_do_not_change_the_answers(self):
        def asked(threads):
            found = self.answers("--state", self.state, "--each", "server", "--threads", threads)
            return found["answers"]
        self.assertEqual(asked(1), asked(3))

    def test_a_job_that_has_no_room_waits_for_another_to_end(self):
        job = ["--state", self.state, "--job", "tp=8,dp=10,model=llama3-8b"]
        found = self.answers(*job, "--if", "end=first")
        self.assertEqual(found["now"]["jobs"][2]["fate"], "stopped")
        self.assertIsNone(found["now"]["anew"]["figures"])
        self.assertTrue(found["now"]["anew"]["blockers"])
        self.assertIsNotNone(found["answers"][0]["outlook"]["anew"]["figures"])
        text = self.ask(*job, "--if", "end=first").stdout
        self.assertIn("no room", text)

    def test_the_job_of_an_order_is_the_one_that_the_state_has_there(self):
        order = self.write("own", "\n".join(f"a-r{i}-s{j}" for i in (1, 2, 3) for j in (1, 2)))
        found = self.answers("--state", self.state, "--job", "tp=8,dp=6,model=llama3-8b", "--order", order,
                             "--if", "mend=all")
        self.assertEqual(found["asked_about"], "first")
        self.assertEqual([job["name"] for job in found["jobs"]], ["first", "second"])
        self.assertEqual(found["jobs"][0]["iteration_seconds"], 2)

    def test_the_example_says_what_it_said(self):
        folder = EXAMPLES / "10-what-if"
        found = subprocess.run([folder / "run.sh"], capture_output=True, text=True, check=True)
        self.assertEqual(found.stdout, (folder / "expected.txt").read_text("utf-8"))

    def test_an_order_on_servers_of_others_is_refused(self):
        order = self.write("others", "\n".join(["a-r3-s1", "a-r3-s2", "c-r1-s1", "c-r1-s2"]))
        result = run("whatif", "--cluster", self.cluster, "--state", self.state, "--job", "tp=8,dp=4,model=llama3-8b",
                     "--order", order, "--if", "mend=all")
        self.assertEqual(result.returncode, 2)
        self.assertIn("server a-r3-s1 has 0 of 8 GPUs free, the rest is held by first", result.stderr)

    def test_a_job_that_also_holds_other_servers_is_another(self):
        state = self.write("slurm.yaml", "format: state/v1\njobs:\n  - name: jobs of Slurm\n"
                           "    servers: 'a-r[1-3]-s[1-2]'\n")
        order = self.write("part", "a-r1-s1\na-r1-s2\n")
        for job, code in [("name=mine,tp=8,dp=2,model=llama3-8b", 2),
                          ("name=jobs of Slurm,tp=8,dp=2,model=llama3-8b", 0)]:
            result = run("whatif", "--cluster", self.cluster, "--state", state, "--job", job, "--order", order,
                         "--if", "fail=a-r1-s1")
            self.assertEqual(result.returncode, code, result.stderr)
            if code == 2:
                self.assertIn("server a-r1-s1 has 0 of 8 GPUs free, the rest is held by jobs of Slurm",
                              result.stderr)

    def test_an_order_beside_half_servers_of_others_is_a_job_of_its_own(self):
        state = self.write("half.yaml", "format: state/v1\njobs:\n  - name: half\n"
                           "    gpus: {\"a-r1-s[1-2]\": [0, 1, 2, 3]}\n")
        order = self.write("beside", "a-r1-s1\na-r1-s2\n")
        asked = {name: self.answers("--state", state, "--job",
                                    f"name={name},tp=4,dp=2,model=llama3-8b,ranks_per_server=4",
                                    "--order", order, "--if", "routing=ideal")["asked_about"]
                 for name in ["other", "half"]}
        self.assertEqual(asked, {"other": "other", "half": "half"})
        jobs = self.answers("--state", state, "--job", "name=other,tp=4,dp=2,model=llama3-8b,ranks_per_server=4",
                            "--order", order, "--if", "end=half")["answers"][0]["outlook"]["jobs"]
        self.assertEqual([job["fate"] for job in jobs], ["stays"])

    def test_a_mistake_says_in_which_question_it_is(self):
        result = run("whatif", "--cluster", self.cluster, "--state", self.state, "--if", "mend=all",
                     "--if", "nic-bandwidth=9000000000GB/s")
        self.assertEqual(result.returncode, 2)
        self.assertIn("asked nic-bandwidth=9000000000GB/s", result.stderr)

    def test_a_serving_job_has_no_iterations(self):
        job = "model=llama3-70b,prefill_replicas=4,decode_replicas=12,rps=12.5"
        order = self.folder / "served"
        placed = run("place", "--cluster", self.cluster, "--job", job, "--effort", "fast", "--format",
                     "hostfile", "-o", order)
        self.assertEqual(placed.returncode, 0, placed.stderr)
        words = ["--job", job, "--order", order]
        asked = self.ask(*words, "--if", "oversubscription=2.8").stdout
        state = self.write("served.yaml", "format: state/v1\njobs:\n  - {name: chat, servers: \"a-r[1-3]-s[1-2]\","
                           " traffic: {job: \"model=llama3-70b,decode_replicas=5,rps=2\"}}\n")
        held = self.ask("--state", state, "--if", "oversubscription=2.8").stdout
        self.assertNotIn("overload", asked)
        over = self.ask("--job", job.replace("12.5", "2500"), "--order", order, "--if", "oversubscription=2.8").stdout
        self.assertEqual(over.count("overload       more than a second for each second of service"), 2, over)
        measured = run("attribute", "--cluster", self.cluster, *words, "--measured", "2s", "--effort",
                       "fast").stdout
        report = json.loads(run("place", "--cluster", self.cluster, "--job", job, "--effort", "fast",
                                "--json").stdout)
        for text in [asked, held, measured]:
            self.assertIn(" per second of service", text)
            self.assertNotIn("iteration", text)
        self.assertTrue(any("between zones a second of service" in reason for reason in report["reasons"]),
                        report["reasons"])

    def test_jobs_of_unknown_traffic_are_named(self):
        found = self.answers("--state", self.state, "--if", "drain=b/r2")["answers"][0]
        self.assertEqual(found["outlook"]["jobs_of_unknown_traffic"], [{"name": "silent", "gpus": 16}])
        self.assertEqual(found["harm"]["interrupted_gpus"], 16)
        text = self.ask("--state", self.state, "--if", "drain=b/r2").stdout
        self.assertIn("silent, on 16 GPUs; what it sends is unknown", text)
        self.assertIn("and 1 whose traffic is unknown", text)

    def test_queue_pairs_and_a_seed_may_be_for_what_is_asked(self):
        asked = self.about_small("--queue-pairs", "4", "--hash-seed", "7", "--if", "fail=b/CTSW-1",
                                 "--if", "routing=e-ecmp")
        predicted = json.loads(run("predict", *SMALL_CASE, "--order", self.order, "--routing", "e-ecmp",
                                   "--queue-pairs", "4", "--hash-seed", "7", "--json").stdout)
        self.assertEqual(asked["answers"][1]["outlook"]["jobs"][0]["figures"]["communication_seconds"],
                         predicted["metrics"]["communication_seconds"])

    def test_what_cannot_be_asked_is_refused(self):
        small = ["--job", SMALL / "job.yaml"]
        for words, expected in [
                ([], "there is no question"),
                (["--if", "fail=b/CTSW-1"], "no job of the state says what it sends"),
                ([*small, "--if", "fial=b/CTSW-1"], "did you mean fail?"),
                ([*small, "--if", "end=nobody"], "has no job called"),
                ([*small, "--if", "queue-pairs=16"], "with routing=ideal queue-pairs make no difference"),
                ([*small, "--queue-pairs", 4, "--if", "routing=ecmp"], "--queue-pairs: with --routing ideal"),
                ([*small, "--hash-seed", 4, "--each", "CTSW"], "--hash-seed: with ideal balancing"),
                ([*small, "--each", "CTWS"], "this cluster has no"),
                ([*small, "--each", "CTSW", "--if", "mend=all"], "excludes"),
                ([*small, "--most", "3", "--if", "routing=te"], "requires"),
                (["--order", self.order, "--if", "routing=te"], "requires"),
                ([*small, "--order", self.folder / "none", "--if", "routing=te"], "none"),
                ([*small, "--order", "-", "--state", "-", "--if", "routing=te"], "stdin")]:
            result = run("whatif", "--cluster", self.cluster, *words)
            self.assertIn(expected, result.stderr)
            self.assertEqual(result.stdout, "")
            self.assertIn(result.returncode, (2, 4))


if __name__ == "__main__":
    program.main()
