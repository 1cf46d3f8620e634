"""attribute: a measured time taken apart, and counters that point somewhere."""
import json
import re
import subprocess

import program
import schemas
from program import EXAMPLES, SMALL_CASE, run

FOLDER = EXAMPLES / "11-attribution"
CASE = ["attribute", "--cluster", FOLDER / "cluster.yaml", "--state", FOLDER / "state.yaml",
        "--job", FOLDER / "job.yaml", "--order", FOLDER / "hosts", "--effort", "fast"]


class Attribute(program.InFolder):
    def found(self, *words):
        result = run(*CASE, *words, "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        found = json.loads(result.stdout)
        self.assertEqual(schemas.mistakes(found, "attribution"), [])
        seconds = sum(cause["seconds"] for cause in found["causes"])
        self.assertAlmostEqual(seconds, found["measured_seconds"])
        return found

    def test_the_whole_is_what_predict_says(self):
        routing = ["--routing", "e-ecmp", "--queue-pairs", 4]
        found = self.found("--measured", "2s", *routing)
        predicted = json.loads(run("predict", *CASE[1:-2], *routing, "--json").stdout)["metrics"]
        self.assertAlmostEqual(found["predicted_seconds"], predicted["communication_seconds"])
        self.assertEqual(found["main_cause"], "unexplained")
        self.assertIsNone(found["counters"])
        self.assertEqual(self.found("--measured", "1ms", *routing)["main_cause"] == "unexplained", False)

    def test_counters_name_the_bad_cable_and_the_bad_rack(self):
        counters = {finding["counter"]: finding for finding in
                    self.found("--measured", "2s", "--counters", FOLDER / "counters.csv")["counters"]}
        for name in ["local_ack_timeout_err", "link_downed"]:
            hot = counters[name]["hot"][0]
            self.assertEqual((hot["server"], hot["nic"]), ("b-r3-s1", 5))
        self.assertEqual(counters["out_of_sequence"]["hot"][0]["domain"], "b/r2")

    def test_of_less_than_predicted_no_part_is_more_than_the_whole(self):
        routing = ["--routing", "e-ecmp", "--queue-pairs", 4]
        found = self.found("--measured", "2s", *routing)
        for measured in ["1ns", "700ms", f"{0.95 * found['predicted_low_seconds']}s"]:
            result = run(*CASE, "--measured", measured, *routing)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertLessEqual(max(map(len, result.stdout.splitlines())), 90)
            summary = re.search(r"Of what adds to the least, (\d+) %", result.stdout)
            if measured == "1ns":
                self.assertIn("> 999 %", result.stdout)
            if summary is None:
                self.assertIn("does not match", result.stdout)
            else:
                self.assertLessEqual(int(summary.group(1)), 100)
        self.assertIsNotNone(summary)

    def test_what_cannot_be_is_said(self):
        least = self.found("--measured", "2s")["causes"][0]["seconds"]
        result = run(*CASE, "--measured", f"{0.5 * least}s")
        self.assertIn("Even the best placement is predicted to take", result.stdout)
        self.assertNotIn("Of what adds", result.stdout)
        result = run(*CASE, "--measured", f"{1.05 * least}s", "--routing", "ecmp")
        self.assertIn("Less was measured than is predicted", result.stdout)
        self.assertNotIn("best placement is predicted", result.stdout)
        self.assertNotIn("is least:", result.stdout)

    def test_what_a_launch_may_take_is_no_contradiction(self):
        low = self.found("--measured", "2s", "--routing", "ecmp")["predicted_low_seconds"]
        for part, said in [(0.95, False), (0.85, True)]:
            result = run(*CASE, "--measured", f"{part * low}s", "--routing", "ecmp")
            self.assertEqual("does not match" in result.stdout, said, result.stdout)

    def test_one_reading_is_compared_with_none(self):
        table = self.write("one.csv", "server,x\na-r1-s1,7\n")
        result = run(*CASE, "--measured", "2s", "--counters", table)
        self.assertIn("there is no other of the job to compare it with", result.stdout)

    def test_the_example_says_what_it_said(self):
        found = subprocess.run([FOLDER / "run.sh"], capture_output=True, text=True, check=True)
        self.assertEqual(found.stdout, (FOLDER / "expected.txt").read_text("utf-8"))

    def test_a_job_that_failures_part_is_refused(self):
        roof = "format: state/v1\nhealth: {failed_switches: [%s]}\n"
        state = self.write("roof.yaml", roof % ", ".join(f"ATSW-{i}" for i in range(1, 5)))
        order = self.folder / "order"
        self.assertEqual(run("place", *SMALL_CASE, "--effort", "fast", "--format", "hostfile", "-o",
                             order).returncode, 0)
        result = run("attribute", *SMALL_CASE, "--state", state, "--order", order, "--measured", "1s", "--json")
        self.assertEqual(result.returncode, 3, result.stderr)
        self.assertEqual(json.loads(result.stdout)["schema"], "zonecut.refusal/v1")
        self.assertIn("cannot have been measured", result.stderr)

    def test_what_cannot_be_read_is_refused(self):
        table = self.write("t.csv", "server,x\nnobody,1\na-r1-s1,-3\n")
        foreign = self.write("foreign.csv", "server,x\nc-r1-s1,3\na-r1-s1,\n")
        for words, expected in [([], "--measured"), (["--measured", "0s"], "no time above 0"),
                                (["--measured", "fast"], "no time above 0"),
                                (["--measured", "1s", "--counters", table], "t.csv:2:1"),
                                (["--measured", "1s", "--counters", table], "t.csv:3:9"),
                                (["--measured", "1s", "--counters", foreign],
                                 "foreign.csv: found no reading of a server of the job")]:
            result = run(*CASE, *words)
            self.assertEqual(result.returncode, 2)
            self.assertIn(expected, result.stderr)
            self.assertEqual(result.stdout, "")


if __name__ == "__main__":
    program.main()
