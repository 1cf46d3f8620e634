"""examples/07-kubernetes: pods of one gang agree, and what they say they send fits their GPUs."""
import json
import os
import subprocess
import tempfile
import unittest

import deployment
from deployment import SOURCE, documents

EXAMPLES = SOURCE / "examples" / "07-kubernetes"
CLUSTER = """format: cluster/v1
levels: [zone, rack]
domains:
  - {zone: a, rack: "r[1-4]", servers: 2}
  - {zone: b, rack: "r[1-4]", servers: 2}
"""


def job(spec):
    return spec["parallelism"], spec["completions"], spec["template"]


def gang(one):
    """(pods of the gang, template of each) by what the object says."""
    spec = one["spec"]
    if one["kind"] == "Job":
        together, pods, template = job(spec)
        assert together == pods
        return pods, [template]
    if one["kind"] == "JobSet":
        replicated, = spec["replicatedJobs"]
        together, pods, template = job(replicated["template"]["spec"])
        assert together == pods
        return replicated["replicas"] * pods, [template]
    if one["kind"] == "PyTorchJob":
        roles = spec["pytorchReplicaSpecs"].values()
        return sum(role["replicas"] for role in roles), [role["template"] for role in roles]
    assert one["kind"] == "LeaderWorkerSet"
    return spec["leaderWorkerTemplate"]["size"], [spec["leaderWorkerTemplate"]["workerTemplate"]]


class Examples(unittest.TestCase):
    def gangs(self):
        for path in sorted(EXAMPLES.glob("*.yaml")):
            one = documents(path)[-1]
            pods, templates = gang(one)
            yield path.name, one, pods, templates

    def test_there_is_one_for_each_kind(self):
        kinds = {one["kind"] for _, one, _, _ in self.gangs()}
        self.assertEqual(kinds, {"Job", "JobSet", "PyTorchJob", "LeaderWorkerSet"})

    def test_pods_of_a_gang_agree_and_one_thing_holds_them_for_zonecut(self):
        for name, _, _, templates in self.gangs():
            for template in templates:
                self.assertEqual(template["metadata"], templates[0]["metadata"], name)
                spec = template["spec"]
                gates = spec.get("schedulingGates", [])
                if gates:
                    self.assertEqual(gates, [{"name": "zonecut.dev/placement"}])
                    self.assertNotIn("schedulerName", spec)
                else:
                    self.assertEqual(spec["schedulerName"], "zonecut", name)

    def test_what_they_send_fits_their_gpus(self):
        with tempfile.TemporaryDirectory() as folder:
            cluster = os.path.join(folder, "cluster.yaml")
            with open(cluster, "w", encoding="utf-8") as file:
                file.write(CLUSTER)
            for name, _, pods, templates in self.gangs():
                limits = templates[0]["spec"]["containers"][0]["resources"]["limits"]
                gpus = pods * limits["nvidia.com/gpu"]
                words = templates[0]["metadata"]["annotations"]["zonecut.dev/job"]
                result = subprocess.run(
                    [deployment.program(), "place", "--cluster", cluster, "--job",
                     f"{words},gpus={gpus}", "--format", "json"], capture_output=True, text=True,
                    check=False)
                self.assertEqual(result.returncode, 0, (name, result.stderr))
                self.assertIn("zonecut.placement/v1", json.loads(result.stdout)["schema"])


if __name__ == "__main__":
    deployment.main()
