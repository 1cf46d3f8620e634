"""zonecut asks a Slurm that runs: its topology, and how good the placement of a job is."""
import json
import os
import pathlib
import subprocess
import unittest

import layouts
import schemas
from cluster import Cluster, until
from jobs import PROGRAM, command, plugstack, sbatch

RUN = pathlib.Path("/run/tmp")
LAYOUT = layouts.interleaved()
# Two nodes without GPUs, where nothing runs.
CPU_NODES = "SwitchName=cpu Nodes=c[1-2]\n"
CLUSTER = Cluster(32, LAYOUT.conf.replace("za,zb,zc", "za,zb,zc,cpu") + CPU_NODES,
                  "NodeName=c[1-2] NodeHostname=testhost NodeAddr=127.0.0.1 Port=[27091-27092] CPUs=64 State=DOWN")
JOB = "tp=8,pp=4"
ASKS = PROGRAM.parent.parent / "libexec" / "zonecut" / "zonecut-slurm"
# Every task leaves a mark, so that a step is known to run on all its servers.
LONG = f"srun {{}} bash -c 'touch {RUN}/task-$SLURM_JOB_ID-$SLURM_PROCID; exec sleep 1000'"


def setUpModule():
    CLUSTER.__enter__()
    unittest.addModuleCleanup(CLUSTER.__exit__)


def refused(*words):
    return subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True, timeout=60, check=False)


class Live(unittest.TestCase):
    def setUp(self):
        CLUSTER.plugstack(plugstack())

    def start(self, options, srun=""):
        """A job whose one long step runs."""
        job = sbatch(f"{options} --gpus-per-node=8", LONG.format(srun))
        self.addCleanup(self.stop, job)
        until(lambda: CLUSTER.step(f"{job}.0").get("Tasks") == str(len([*RUN.glob(f"task-{job}-*")])),
              "all tasks of the step to run", CLUSTER.logs)
        return job

    def stop(self, job):
        command("scancel", job)
        CLUSTER.wait_gone("-j", job)

    def report(self, job, *words):
        return json.loads(command(PROGRAM, "report", "--from-slurm", job, "--json", "-", "--effort", "fast",
                                  *words).stdout)

    @staticmethod
    def compared(report):
        return {baseline["name"]: baseline for baseline in report["baselines"]}

    def test_the_topology_is_that_of_topology_conf(self):
        done = command(PROGRAM, "topology", "import", "--from", "slurm-live", "-o", RUN / "live.yaml")
        self.assertIn("zonecut: left out 2 of 34 nodes, which have no GPUs: c1, c2\n", done.stderr)
        (RUN / "topology.conf").write_text(LAYOUT.conf)
        command(PROGRAM, "topology", "import", "--from", "slurm-conf", RUN / "topology.conf", "-o", RUN / "conf.yaml")
        self.assertEqual((RUN / "live.yaml").read_text(), (RUN / "conf.yaml").read_text())
        done = command(PROGRAM, "topology", "import", "--from", "slurm-live", "--gpus-per-server", "4",
                       "-o", RUN / "four.yaml")
        self.assertNotIn("left out", done.stderr)
        self.assertIn("136 GPUs", command(PROGRAM, "topology", "validate", RUN / "four.yaml").stdout)

    def test_a_saved_dump_of_the_nodes_tells_what_slurm_live_does(self):
        self.start("-N4 -w n[05-08]")
        self.start("-N1 -w n09")
        for state, node in [("drain", "n10"), ("fail", "n11"), ("down", "n12")]:
            command("scontrol", "update", f"NodeName={node}", f"State={state}", "Reason=a test State=IDLE Gres=gpu:1")
            self.addCleanup(command, "scontrol", "update", f"NodeName={node}", "State=resume")
        (RUN / "topology.txt").write_text(command("scontrol", "show", "topology").stdout)
        command(PROGRAM, "topology", "import", "--from", "slurm-live", "-o", RUN / "live.yaml", "--state-output", RUN / "live")
        for name, words in {"lines": [], "one": ["-o"], "detail": ["-d"], "one-detail": ["-d", "-o"]}.items():
            (RUN / "nodes.txt").write_text(command("scontrol", *words, "show", "node").stdout)
            done = command(PROGRAM, "topology", "import", "--from", "slurm-nodes", RUN / "nodes.txt", "--topology",
                           RUN / "topology.txt", "-o", RUN / "nodes.yaml", "--state-output", RUN / "state")
            self.assertIn("left out 2 of 34 nodes, which have no GPUs: c1, c2\n", done.stderr)
            self.assertEqual((RUN / "nodes.yaml").read_text(), (RUN / "live.yaml").read_text())
            shown, live = (command(PROGRAM, "topology", "show", RUN / "live.yaml", "--state", RUN / state).stdout
                           for state in ["state", "live"])
            self.assertEqual(shown.split("running jobs")[0], live.split("running jobs")[0], name)
            health = [(RUN / state).read_text().split("health:")[1] for state in ["state", "live"]]
            self.assertEqual(health[0], health[1], name)
            self.assertIn("down: n12\n", health[0])

    def test_a_job_that_slurm_ordered_could_be_better(self):
        job = self.start(f"-N20 -w n[01-20] --zonecut-job={JOB}", "--zonecut=off")
        report = self.report(job)
        runs, reordered = (self.compared(report)[name]["metrics"] for name in ["as-it-runs", "reordered"])
        self.assertGreater(runs["cross_zone_bytes"], 2 * reordered["cross_zone_bytes"])
        self.assertLessEqual(report["placement"]["metrics"]["communication_seconds"],
                             reordered["communication_seconds"])

    def test_a_step_on_part_of_the_servers_tells_no_order(self):
        job = self.start(f"-N20 -w n[01-20] --zonecut-job={JOB}", "-N8")
        runs = self.compared(self.report(job))["as-it-runs"]
        self.assertEqual(runs["summary"], "unknown: its largest step runs on 8 of 20 servers")
        self.assertNotIn("metrics", runs)

    def test_between_steps_the_order_is_that_of_slurm(self):
        job = sbatch(f"-N20 -w n[01-20] --gpus-per-node=8 --zonecut-job={JOB}", "sleep 1000")
        self.addCleanup(self.stop, job)
        until(lambda: CLUSTER.state(job).get("JobState") == "RUNNING", "the job to run", CLUSTER.logs)
        runs = self.compared(self.report(job))["as-it-runs"]
        self.assertEqual(runs["summary"], "no step runs: as Slurm would number it")
        self.assertGreater(runs["metrics"]["cross_zone_bytes"], 0)

    def test_a_job_whose_own_server_drains_is_reported_though_the_cluster_is_full(self):
        job = self.start(f"-N20 -w n[01-20] --zonecut-job={JOB}")
        self.start("-N12 -w n[21-32]")
        command("scontrol", "update", "NodeName=n05", "State=drain", "Reason=test")
        self.addCleanup(command, "scontrol", "update", "NodeName=n05", "State=resume")
        report = self.report(job)
        self.assertEqual(len(report["placement"]["servers"]), 20)
        self.assertIsNotNone(self.compared(report)["reordered"]["metrics"])

    def test_a_comment_of_a_stranger_opens_no_file(self):
        secret = RUN / "secret.yaml"
        secret.write_text("password: hunter2\n")
        job = self.start(f"-N8 --zonecut=off --comment=zonecut-job={secret}")
        done = refused("report", "--from-slurm", job)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertNotIn("hunter2", done.stderr)
        self.assertIn(f"comment of job {job}", done.stderr)

    def test_a_job_that_zonecut_ordered_is_as_good_as_its_servers_allow(self):
        job = self.start(f"-N20 -w n[01-20] --zonecut-job={JOB}")
        runs, reordered = (self.compared(self.report(job))[name]["metrics"] for name in ["as-it-runs", "reordered"])
        for figure in ["communication_seconds", "cross_zone_bytes", "cost"]:
            self.assertEqual(runs[figure], reordered[figure])

    def test_what_others_hold_is_not_given_out(self):
        self.start("-N16 -w n[17-32]")
        job = self.start(f"-N8 -w n[01-08] --zonecut-job={JOB}")
        command("scontrol", "update", "NodeName=n09", "State=drain", "Reason=test")
        self.addCleanup(command, "scontrol", "update", "NodeName=n09", "State=resume")
        used = set(self.report(job)["placement"]["servers"])
        self.assertEqual(len(used), 8)
        self.assertLessEqual(used, {layouts.server(n) for n in range(1, 17) if n != 9})

    def test_a_pending_job_is_placed_on_what_is_free(self):
        self.start("-N16 -w n[17-32]")
        job = sbatch(f"-N20 --gpus-per-node=8 --zonecut-job={JOB}", "true")
        self.addCleanup(self.stop, job)
        done = refused("report", "--from-slurm", job)
        self.assertEqual(done.returncode, 3, done.stderr)
        command("scontrol", "update", f"JobId={job}", "NumNodes=8", "StartTime=now+1hour")
        report = self.report(job)
        self.assertNotIn("as-it-runs", self.compared(report))

    def test_the_job_may_be_said_by_hand_and_must_be_said(self):
        job = self.start("-N8")
        done = refused("report", "--from-slurm", job)
        self.assertEqual(done.returncode, 2)
        self.assertIn(f"job {job} does not say what it sends (give --job", done.stderr)
        self.assertIn("as-it-runs", self.compared(self.report(job, "--job", "tp=8,pp=2")))
        shown = command("squeue", "-h", "-j", job, "-o", "%k").stdout.strip()
        self.assertEqual(shown, "(null)")

    def test_a_comment_of_the_user_stays(self):
        job = self.start(f"-N2 --comment=mine --zonecut-job={JOB}")
        self.assertEqual(command("squeue", "-h", "-j", job, "-o", "%k").stdout.strip(), "mine")

    def test_what_is_wrong_is_said(self):
        done = refused("report", "--from-slurm", "4711", "--job", JOB)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("--from-slurm: no job 4711 runs or is pending", done.stderr)
        self.assertEqual(refused("report", "--from-slurm", "4711", "--state", "x").returncode, 2)
        self.assertEqual(refused("topology", "import", "--from", "slurm-live", "file").returncode, 2)
        done = refused("topology", "import", "--from", "slurm-live", "--zone-level", "planet")
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, '^zonecut: --zone-level: there is no level "planet" \\(the levels are .*zone, rack\\)$')

    def told(self, *words):
        """What zonecut-slurm tells, as its schema says."""
        answer = json.loads(command(ASKS, *words).stdout)
        self.assertEqual(schemas.mistakes(answer, "slurm"), [])
        return answer

    def test_all_that_zonecut_slurm_tells_follows_its_schema(self):
        runs = self.start(f"-N20 -w n[01-20] --zonecut-job={JOB}")
        command("scontrol", "update", "NodeName=n32", "State=drain", "Reason=test")
        self.addCleanup(command, "scontrol", "update", "NodeName=n32", "State=resume")
        command("scontrol", "create", "reservation", "ReservationName=kept", "StartTime=now+1hour", "Duration=60",
                "Nodes=n31", "Users=root")
        self.addCleanup(command, "scontrol", "delete", "ReservationName=kept")
        waiting = [sbatch(f"-N16 -t 5 --gpus-per-node=8 {options}", "true", name) for name, options in
                   [("placed", "--comment=zonecut-place -x n01 --contiguous"), ("plain", ""), ("array", "--array=1-3"),
                    ("held", "--hold")]]
        for job in waiting:
            self.addCleanup(self.stop, job)
        snapshot = self.told()
        self.assertNotIn("order", snapshot)
        self.assertIn("SwitchName=", snapshot["topology"])
        self.assertEqual({node["name"]: node["health"] for node in snapshot["nodes"]}["n32"], "drained")
        self.assertEqual([each["name"] for each in snapshot["reservations"]], ["kept"])
        jobs = {job["name"]: job for job in snapshot["jobs"]}
        self.assertEqual(jobs[runs]["state"], "running")
        self.assertEqual(jobs[runs]["gpus"]["n20"], list(range(8)))
        self.assertEqual(jobs[waiting[0]]["excluded_nodes"], ["n01"])
        self.assertEqual(jobs[waiting[0]]["wish"], "asks for switches or neighbours itself")
        self.assertEqual(jobs[waiting[3]]["reason"], "held")
        self.assertEqual(len(self.told(runs)["order"]), 20)
        self.assertEqual(self.told(waiting[1])["order"], [])
        queue = self.told("queue", "0")
        self.assertNotIn("topology", queue)
        self.assertEqual(len(queue["jobs"]), len(snapshot["jobs"]))
        until(lambda: set(self.told("queue", self.told("queue", "0")["changes"])) == {"schema", "time"},
              "nothing to have changed", CLUSTER.logs)

    def test_a_configuration_that_is_missing_or_wrong(self):
        (RUN / "wrong.conf").write_text("nonsense\n")
        for conf, says in [("/nowhere/slurm.conf", "SLURM_CONF names /nowhere/slurm.conf, which cannot be read: No such file"),
                           (RUN / "wrong.conf", "not found or wrong here; scontrol ping says more")]:
            with self.subTest(conf):
                done = subprocess.run([PROGRAM, "topology", "import", "--from", "slurm-live"], capture_output=True,
                                      text=True, timeout=20, check=False, env={**os.environ, "SLURM_CONF": str(conf)})
                self.assertEqual((done.returncode, done.stdout), (4, ""))
                self.assertIn(says, done.stderr)

    def test_a_controller_that_does_not_answer(self):
        conf = RUN / "slurm.conf"
        conf.write_text((CLUSTER.run / "slurm.conf").read_text().replace("SlurmctldPort=6817", "SlurmctldPort=6899"))
        done = subprocess.run([PROGRAM, "topology", "import", "--from", "slurm-live"], capture_output=True, text=True,
                              timeout=60, check=False, env={**os.environ, "SLURM_CONF": str(conf)})
        self.assertEqual((done.returncode, done.stdout), (4, ""))
        self.assertIn("slurmctld: slurm_load_topo: Unable to contact slurm controller", done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=1)
