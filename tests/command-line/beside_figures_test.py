"""What predict says beside the figures of an order: how senders meet, the frontend network, the controller."""
import json
import pathlib

import program
import schemas
from program import SMALL_CASE, SMALL_JOB, run

CLUSTER, JOB = SMALL_CASE[1], SMALL_CASE[3]
FRONTEND = """
frontend:
  nic_bandwidth: 100Gbps
  oversubscription: 4:1
"""
# 32 ranks on four servers in two racks, all to all: 24 senders of 1 MB at each of the 16 NICs of a leaf.
INCAST_JOB = """
format: job/v1
name: incast
gpus: 32
collectives: [{name: experts, kind: all-to-all, ranks: 0-31, bytes: 32MB}]
"""
INCAST_CLUSTER = """
format: cluster/v1
backend: {tiers: {rack: {%s}}}
domains: [{zone: a, rack: "r[1-2]", servers: 2, server_name: "s{number}"}]
"""


class BesideFigures(program.InFolder):
    def setUp(self):
        super().setUp()
        self.order = self.folder / "order"
        placed = run("place", *SMALL_JOB, "--format", "hostfile", "-o", self.order)
        self.assertEqual(placed.returncode, 0, placed.stderr)
        text = pathlib.Path(CLUSTER).read_text("utf-8")
        self.cluster = self.write("cluster.yaml", text + FRONTEND)
        self.job = self.write("job.yaml", pathlib.Path(JOB).read_text("utf-8")
                              + "\nstorage: {checkpoint: 1TB, checkpoint_interval: 10min, ingestion: 1GB}\n")

    def predict(self, *words, cluster=None, job=None):
        return run("predict", "--cluster", cluster or self.cluster, "--job", job or self.job,
                   "--order", self.order, *words)

    def predicted(self, *words, **files):
        result = self.predict("--json", *words, **files)
        self.assertEqual(result.returncode, 0, result.stderr)
        found = json.loads(result.stdout)
        self.assertEqual(schemas.mistakes(found, "prediction"), [])
        return found

    def test_storage_is_reported_on_its_own_network_and_changes_nothing_else(self):
        asked = self.predicted("--frontend", "--incast")
        bare = self.predicted()
        frontend = asked.pop("frontend")
        asked.pop("incast")
        for key in bare:
            if key != "provenance":
                self.assertEqual(asked[key], bare[key], key)
        self.assertEqual(set(asked), set(bare))
        self.assertEqual(frontend["checkpoint"]["bytes"], 10**12)
        self.assertEqual(frontend["checkpoint"]["interval_seconds"], 600)
        self.assertAlmostEqual(frontend["checkpoint"]["share_of_interval"],
                               frontend["checkpoint"]["seconds"] / 600)
        self.assertGreater(frontend["checkpoint"]["seconds"], frontend["ingestion"]["seconds"])
        self.assertIn("outward", frontend["checkpoint"]["binding"])
        self.assertIn("inward", frontend["ingestion"]["binding"])
        # No more than one NIC of 12.5 GB/s a server.
        servers = len(set(asked["servers"]))
        self.assertGreaterEqual(frontend["checkpoint"]["seconds"] * 1.000001,
                                10**12 / servers / 12.5e9)

    def test_text_names_both_and_slow_storage(self):
        result = self.predict("--frontend", "--incast")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("frontend       checkpoint: 1.00 TB in ", result.stdout)
        self.assertIn(" of the 600 s between two", result.stdout)
        self.assertIn("frontend       ingestion: 1.00 GB in ", result.stdout)
        self.assertIn("incast         phase ", result.stdout)
        slow = self.write("slow.yaml", pathlib.Path(JOB).read_text("utf-8")
                          + "\nstorage: {checkpoint: 1TB, bandwidth: 1GB/s}\n")
        self.assertEqual(self.predicted("--frontend", job=slow)["frontend"]["checkpoint"]["binding"], "storage")

    def test_a_cluster_without_a_frontend_and_wrong_keys_are_refused(self):
        result = self.predict("--frontend", cluster=CLUSTER)
        self.assertEqual(result.returncode, 2)
        self.assertIn("describes no frontend network", result.stderr)
        wrong = self.write("wrong.yaml", pathlib.Path(JOB).read_text("utf-8") + "\nstorage: {checkpoints: 1TB}\n")
        result = self.predict(job=wrong)  # is refused whether asked for or not
        self.assertEqual(result.returncode, 2)
        self.assertRegex(result.stderr, r"wrong\.yaml:\d+:\d+")


class Buffers(program.InFolder):
    """What a leaf's buffers hold: 16 NICs of 23 messages that must queue make 368 MB."""

    def setUp(self):
        super().setUp()
        self.job = self.write("job.yaml", INCAST_JOB)
        self.order = self.write("order", "s1\ns2\ns3\ns4\n")

    def predict(self, tier, *words):
        cluster = self.write("cluster.yaml", INCAST_CLUSTER % tier)
        return run("predict", "--cluster", cluster, "--job", self.job, "--order", self.order, *words)

    def predicted(self, tier, *words):
        result = self.predict(tier, "--json", *words)
        self.assertEqual(result.returncode, 0, result.stderr)
        found = json.loads(result.stdout)
        self.assertEqual(schemas.mistakes(found, "prediction"), [])
        return found

    def test_without_the_keys_nothing_is_said(self):
        for words in [[], ["--incast"]]:
            bare = self.predict("", *words)
            self.assertEqual(bare.returncode, 0, bare.stderr)
            self.assertNotIn("buffer", bare.stdout)
        phase, = self.predicted("", "--incast")["incast"]
        self.assertEqual(set(phase), {"phase", "receivers"})

    def test_leaves_that_overflow_are_named_with_a_window_that_fits(self):
        phase, = self.predicted("buffer: 367MB", "--incast")["incast"]
        self.assertEqual(phase["fitting_window_bytes"], 367_000_000 // (16 * 24))
        self.assertEqual([overflow["queue"] for overflow in phase["overflows"]], ["a/r1/RTSW-1", "a/r2/RTSW-1"])
        self.assertEqual(phase["overflows"][1], {"queue": "a/r2/RTSW-1", "bytes_queued": 368_000_000,
                                                 "buffer_bytes": 367_000_000, "receivers": list(range(16, 32))})
        fits, = self.predicted("buffer: 367MB", "--incast", "--admission-window", "955729B")["incast"]
        self.assertEqual((fits["overflows"], fits["fitting_window_bytes"]), ([], None))
        more, = self.predicted("buffer: 367MB", "--incast", "--admission-window", "955730B")["incast"]
        self.assertEqual(len(more["overflows"]), 2)
        roomy, = self.predicted("buffer: 368MB", "--incast")["incast"]
        self.assertEqual(roomy["overflows"], [])

    def test_text_names_the_port_that_overflows_most_and_the_window(self):
        result = self.predict("port_buffer: 12MB", "--incast")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("buffer         phase experts: queues to 32 receivers may overflow; at most 23.0 MB at a/r1/RTSW-1, "
                      "port to NIC 0 of s1, which holds 12.0 MB; a window of 500kB fits\n", result.stdout)
        self.assertIn("buffer-overflow: experts: queues to 32 receivers", result.stdout)
        fits = self.predict("port_buffer: 12MB", "--incast", "--admission-window", "500kB")
        self.assertIn("buffer         no leaf overflows\n", fits.stdout)
        none = self.predict("port_buffer: 23B", "--incast")
        self.assertIn("; no window fits\n", none.stdout)

    def test_a_finding_warns_where_no_admission_is_asked_for(self):
        rules = [finding["rule"] for finding in self.predicted("buffer: 64MB")["findings"]]
        self.assertEqual(rules, ["buffer-overflow"])
        for tier, words in [("buffer: 64MB", ["--admission-window", "1GiB"]), ("buffer: 368MB", []), ("", [])]:
            self.assertEqual(self.predicted(tier, *words)["findings"], [])

    def test_the_figures_are_those_without_the_keys(self):
        bare, said = self.predicted(""), self.predicted("buffer: 64MB, port_buffer: 1MB")
        for key in bare:
            if key not in ("provenance", "findings"):
                self.assertEqual(said[key], bare[key], key)

    def test_wrong_sizes_are_refused_where_they_stand(self):
        for tier, says in [("buffer: 64", "expected a size with its unit"),
                           ("buffer: 0MB", "expected more than nothing"),
                           ("buffer: 2PiB", "at most 1 PiB"),
                           ("buffer: 1MB, port_buffer: 2MB", "more than the 1MB of the whole switch"),
                           ("bufer: 1MB", 'did you mean "buffer"?')]:
            result = self.predict(tier)
            self.assertEqual(result.returncode, 2, tier)
            self.assertRegex(result.stderr, r"cluster\.yaml:3:\d+: ", tier)
            self.assertIn(says, result.stderr)


class Controller(program.InFolder):
    """Two racks of two servers behind four spines: 16 NICs send from either rack to the other."""

    CLUSTER = """
format: cluster/v1
backend: {tiers: {zone: {switches: 16}, rack: {uplinks: 16, uplink_bandwidth: 400Gbps}}}
domains: [{zone: a, rack: "r[1-2]", servers: 2, server_name: "s{number}"}]
"""
    STATE = """
format: state/v1
health: {links: [{between: [a/r1/RTSW-1, a/CTSW-3], remaining: down}]}
"""

    def setUp(self):
        super().setUp()
        self.files = ["--cluster", self.write("cluster.yaml", self.CLUSTER), "--job",
                      self.write("job.yaml", "gpus: 32\ncollectives: [{kind: all-reduce, ranks: 0-31, bytes: 1GB}]\n"),
                      "--order", self.write("order", "s1\ns3\ns2\ns4\n")]
        self.state = ["--state", self.write("state.yaml", self.STATE)]

    def predicted(self, *words):
        result = run("predict", *self.files, "--json", *words)
        self.assertEqual(result.returncode, 0, result.stderr)
        found = json.loads(result.stdout)
        self.assertEqual(schemas.mistakes(found, "prediction"), [])
        return found

    def test_is_spoken_of_with_its_routing_only(self):
        self.assertNotIn("controller", self.predicted("--routing", "e-ecmp"))
        self.assertNotIn("controller", run("predict", *self.files).stdout)

    def test_rules_and_what_goes_on_without_them(self):
        found = self.predicted("--routing", "te", "--queue-pairs", "4")
        controller = found["controller"]
        # A ring of four servers in turn from rack to rack: 32 flows past a leaf, a spine and a leaf.
        self.assertEqual(controller["rules"], 32 * 3)
        self.assertEqual((controller["fullest_switch"], controller["fullest_switch_rules"]), ("a/r1/RTSW-1", 32))
        self.assertEqual(controller["period_seconds"], 30)
        hashed = self.predicted("--routing", "e-ecmp", "--queue-pairs", "4")["metrics"]["communication_seconds"]
        ruled = found["metrics"]["communication_seconds"]
        first = controller["before_first_run"]
        self.assertAlmostEqual(first["communication_seconds"], hashed)
        self.assertAlmostEqual(first["most_lost_seconds"], 30 * (1 - ruled / hashed))
        self.assertEqual(controller["after_failures"], {"communication_seconds": None, "most_lost_seconds": None})

    def test_failures_cost_more_before_the_next_run(self):
        found = self.predicted("--routing", "te", *self.state, "--te-period", "10s")
        after = found["controller"]["after_failures"]
        self.assertEqual(found["controller"]["period_seconds"], 10)
        # The flow whose way is broken shares a cable with another one, and so do two in the end anyway.
        self.assertGreaterEqual(after["communication_seconds"], found["metrics"]["communication_seconds"])
        self.assertLess(after["most_lost_seconds"], 10)
        text = run("predict", *self.files, *self.state, "--routing", "te", "--te-period", "500ms").stdout
        self.assertIn("controller     96 rules, at most 32 in one switch (a/r1/RTSW-1)\n", text)
        self.assertIn("until its first run for the job, 500 ms at most: ", text)
        self.assertIn("after the failures until its next run, 500 ms at most: ", text)

    def test_wrong_periods_are_refused(self):
        for period in ["0s", "-1s", "often", "30", "1e300s", "86401s"]:
            result = run("predict", *self.files, "--routing", "te", "--te-period=" + period)
            self.assertEqual(result.returncode, 2, period)
            self.assertIn("--te-period", result.stderr)

    def test_a_period_without_a_controller_is_refused(self):
        for routing in [[], ["--routing", "e-ecmp"], ["--routing", "pinned"]]:
            result = run("predict", *self.files, *routing, "--te-period", "10s")
            self.assertEqual((result.returncode, result.stdout), (2, ""))
            self.assertIn("--te-period", result.stderr)
            self.assertIn("--routing te", result.stderr)


if __name__ == "__main__":
    program.main()
