"""What predict says beside the figures of an order: how senders meet, and the frontend network."""
import json
import pathlib
import sys

import program
from program import SMALL_CASE, SMALL_JOB, SOURCE, run

sys.path.insert(0, str(SOURCE / "tests" / "scheduler" / "report"))
from check_samples import Schemas  # noqa: E402

CLUSTER, JOB = SMALL_CASE[1], SMALL_CASE[3]
FRONTEND = """
frontend:
  nic_bandwidth: 100Gbps
  oversubscription: 4:1
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
        schemas = Schemas(SOURCE / "docs" / "schema")
        name = "prediction-v1.json"
        self.assertEqual(list(schemas.mistakes(found, schemas.files[name], name)), [])
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


if __name__ == "__main__":
    program.main()
