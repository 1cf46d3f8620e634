"""What --routing changes in the figures of predict, place and report."""
import json

import program
from program import SMALL_CASE, SMALL_JOB, run

SCHEMES = ["ideal", "ecmp", "e-ecmp", "pinned", "te"]


class Routing(program.InFolder):
    def predicted(self, *options):
        order = self.folder / "order"
        if not order.exists():
            result = run("place", *SMALL_JOB, "--format", "hostfile", "-o", order)
            self.assertEqual(result.returncode, 0, result.stderr)
        result = run("predict", *SMALL_CASE, "--order", order, "--json", *options)
        self.assertEqual(result.returncode, 0, result.stderr)
        return json.loads(result.stdout)

    def test_every_scheme_says_what_it_is_and_none_beats_ideal_balancing(self):
        seconds = {}
        for scheme in SCHEMES:
            prediction = self.predicted("--routing", scheme)
            self.assertEqual(prediction["routing"],
                             {"scheme": scheme, "queue_pairs": 1, "hash_seed": None})
            seconds[scheme] = prediction["metrics"]["communication_seconds"]
        for scheme in SCHEMES:
            self.assertGreaterEqual(seconds[scheme], seconds["ideal"] * 0.999999, scheme)
        self.assertGreater(seconds["ecmp"], seconds["ideal"])

    def test_queue_pairs_come_closer_to_ideal_balancing(self):
        seconds = [self.predicted("--routing", "e-ecmp", "--queue-pairs", pairs)
                   ["metrics"]["communication_seconds"] for pairs in (1, 4, 64)]
        self.assertEqual(seconds, sorted(seconds, reverse=True))

    def test_one_launch_lies_among_those_expected(self):
        expected = self.predicted("--routing", "ecmp")["metrics"]["communication_seconds"]
        launches = [self.predicted("--routing", "ecmp", "--hash-seed", seed)
                    ["metrics"]["communication_seconds"] for seed in range(12)]
        self.assertLess(min(launches), expected * 1.05)
        self.assertGreater(max(launches), expected * 0.95)
        self.assertGreater(len(set(launches)), 1)

    def test_a_seed_gives_the_same_bytes_again(self):
        words = ["--routing", "e-ecmp", "--queue-pairs", "4", "--hash-seed", "7"]
        self.assertEqual(self.predicted(*words), self.predicted(*words))

    def test_place_and_report_follow_the_scheme(self):
        placed = run("place", *SMALL_JOB, "--routing", "te", "--json")
        self.assertEqual(placed.returncode, 0, placed.stderr)
        self.assertEqual(json.loads(placed.stdout)["routing"]["scheme"], "te")
        reported = run("report", *SMALL_JOB, "--routing", "e-ecmp", "--queue-pairs", "4")
        self.assertEqual(reported.returncode, 0, reported.stderr)
        self.assertIn("E-ECMP", reported.stdout)

    def test_a_window_of_the_receiver_bounds_what_is_under_way_and_makes_far_connections_wait(self):
        free = self.predicted("--incast")
        self.assertIsNone(free["admission"])
        small = self.predicted("--incast", "--admission-window", "64KiB")
        self.assertEqual(small["admission"], {"by": "receiver", "window_bytes": 65536})
        self.assertGreater(small["metrics"]["communication_seconds"],
                           free["metrics"]["communication_seconds"])
        for before, after in zip(free["incast"], small["incast"]):
            self.assertEqual(before["phase"], after["phase"])
            for one, other in zip(before["receivers"], after["receivers"]):
                self.assertEqual([one[key] for key in ("rank", "server", "senders")],
                                 [other[key] for key in ("rank", "server", "senders")])
                self.assertLessEqual(other["bytes_in_flight"], other["senders"] * 65536)
                self.assertLessEqual(other["bytes_in_flight"], one["bytes_in_flight"])
        self.assertTrue(any(phase["receivers"] for phase in small["incast"]))
        # Of the largest message nothing waits.
        wide = self.predicted("--admission-window", "1TiB")
        self.assertEqual(wide["metrics"]["communication_seconds"],
                         free["metrics"]["communication_seconds"])
        placed = run("place", *SMALL_JOB, "--admission-window", "64KiB", "--json")
        self.assertEqual(json.loads(placed.stdout)["admission"]["window_bytes"], 65536)

    def test_wrong_words_are_met_with_what_was_expected(self):
        for words, says in [(["--routing", "emcp"], "did you mean ecmp?"),
                            (["--queue-pairs", "0"], "--queue-pairs"),
                            (["--hash-seed", "-1"], "--hash-seed"),
                            (["--hash-seed", "7"], "--hash-seed: with ideal balancing nothing is hashed"),
                            (["--routing", "ecmp", "--queue-pairs", "4"], "--queue-pairs: with --routing ecmp"),
                            (["--admission-window", "0"], "--admission-window"),
                            (["--admission-window", "4MB/s"], "no size above 0")]:
            result = run("predict", *SMALL_CASE, "--order", "x", *words)
            self.assertEqual(result.returncode, 2, result.stderr)
            self.assertIn(says, result.stderr)


if __name__ == "__main__":
    program.main()
