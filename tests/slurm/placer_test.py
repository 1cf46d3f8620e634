"""The placer on a real queue: jobs that asked for it get the servers that suit them, and no job is ever stuck."""
import datetime
import pathlib
import re
import shutil
import signal
import subprocess
import unittest

import layouts
from cluster import Cluster, until
from jobs import PROGRAM, SHOW, command, crossings, ended, host_names, order, plugstack, salloc, sbatch

HERE = pathlib.Path(__file__).resolve().parent
RUN = pathlib.Path("/run/tmp")
LAYOUT = layouts.interleaved()
CLUSTER = Cluster(32, LAYOUT.conf)
JOB = "tp=8,pp=4"
PLACE = f"--gpus-per-node=8 --zonecut=place --zonecut-job={JOB}"
LOG = RUN / "placer.log"


def setUpModule():
    CLUSTER.__enter__()
    unittest.addModuleCleanup(CLUSTER.__exit__)


class Placer(unittest.TestCase):
    options = ()

    def setUp(self):
        CLUSTER.plugstack(plugstack())
        self.addCleanup(self.empty)
        self.placer = None
        self.start()

    def start(self, *options, program=PROGRAM):
        LOG.touch()
        said = LOG.read_text().count("watches the queue")
        with LOG.open("a") as log:
            self.placer = subprocess.Popen([program, "slurm-placer", "--interval", "0.1", *options], stderr=log)
        self.addCleanup(self.end, self.placer)
        until(lambda: LOG.read_text().count("watches the queue") > said, "the placer to watch", LOG.read_text)

    @staticmethod
    def end(placer, number=signal.SIGKILL):
        if placer.poll() is None:
            placer.send_signal(number)
        return placer.wait(30)

    @staticmethod
    def empty():
        command("scancel", "--state=PENDING")
        command("scancel", "--state=RUNNING")
        CLUSTER.wait_gone()
        CLUSTER.wait_idle()

    @staticmethod
    def state(job, key):
        return CLUSTER.state(job).get(key, "")

    def pinned(self, job):
        """The servers a pending job is pinned to."""
        return host_names(self.state(job, "ReqNodeList"))

    def wait_pinned(self, job, claim=lambda servers: servers):
        until(lambda: claim(self.pinned(job)), f"job {job} to be pinned", LOG.read_text)
        return self.pinned(job)

    def published(self, job):
        shown = command("scontrol", "-o", "show", "job", job).stdout
        return host_names(re.search(r"AdminComment=\S*zonecut-order=(\S+)", shown)[1])

    def running(self, job):
        until(lambda: self.state(job, "JobState") == "RUNNING", f"job {job} to run",
              lambda: LOG.read_text() + CLUSTER.logs())
        return host_names(self.state(job, "NodeList"))


class Placing(Placer):
    def test_a_job_gets_servers_that_stand_together_and_its_ranks_in_order(self):
        # No zone has 12 free servers, two together have.
        self.running(sbatch("-N9 --gpus-per-node=8 -w n[01-03,05,10,25-26,29-30]", "sleep 1000", "other"))
        job = sbatch(f"-N12 {PLACE}", f"srun -v {SHOW}")
        ended(CLUSTER, job)
        text = (RUN / f"batch-{job}").read_text()
        servers = order(text)
        self.assertIn("as the placer has planned", text)
        self.assertEqual(servers, self.published(job))
        self.assertEqual(servers[0], min(servers))
        self.assertEqual(len({LAYOUT.zones[name] for name in servers}), 2)
        self.assertEqual(crossings(servers, LAYOUT.zones), 2)

    def test_a_job_that_waits_is_placed_on_what_comes_free(self):
        first = sbatch("-N16 -t 100 --gpus-per-node=8 -w n[01-16]", "sleep 1000", "first")
        second = sbatch("-N16 -t 10 --gpus-per-node=8 -w n[17-32]", "sleep 1000", "second")
        self.running(first), self.running(second)
        job = sbatch(f"-N12 -t 1 {PLACE}", "sleep 1000")
        # By their limits the second ends first.
        self.assertLess(set(self.wait_pinned(job)), set(host_names("n[17-32]")))
        self.assertIn(self.state(job, "Reason"), {"Resources", "None", "Priority"})
        command("scancel", first)  # but it is the first that does
        self.assertLess(set(self.running(job)), set(host_names("n[01-16]")))

    def test_a_server_that_fails_between_plan_and_start_is_replaced(self):
        other = sbatch("-N24 --gpus-per-node=8 -w n[01-24]", "sleep 1000", "other")
        self.running(other)
        job = sbatch(f"-N16 {PLACE}", "sleep 1000")
        servers = self.wait_pinned(job)
        lost = next(name for name in servers if name > "n24")
        CLUSTER.kill(lost)
        command("scontrol", "update", f"NodeName={lost}", "State=down", "Reason=test")
        self.addCleanup(self.repair, lost)
        self.wait_pinned(job, lambda now: now and lost not in now)
        command("scancel", other)
        self.assertNotIn(lost, self.running(job))

    @staticmethod
    def repair(name):
        """A server that was lost and set down takes jobs again."""
        CLUSTER.start_server(name)

        def is_idle():
            shown = command("sinfo", "-h", "-n", name, "-o", "%t").stdout.strip()
            if shown.startswith("down"):
                subprocess.run(["scontrol", "update", f"NodeName={name}", "State=resume"], capture_output=True,
                               check=False)
            return shown == "idle"
        until(is_idle, f"{name} to be idle", CLUSTER.logs)

    def test_servers_of_the_users_own_choice_and_a_begin_stay(self):
        chosen = sbatch(f"-N4 -w n[03-06] {PLACE}", "sleep 1000")
        self.assertEqual(self.running(chosen), host_names("n[03-06]"))
        later = sbatch(f"-N4 --begin=now+1hour {PLACE}", "true")
        self.wait_pinned(later)  # for when its time comes
        until(lambda: self.state(later, "Reason") == "BeginTime", "the reason to be told")
        held = sbatch(f"-N4 --hold {PLACE}", "sleep 1000")
        self.wait_pinned(held)
        until(lambda: self.state(held, "Reason") == "JobHeldUser", "the reason to be told")
        command("scontrol", "release", held)
        self.running(held)
        repinned = sbatch(f"-N4 --hold {PLACE}", "true")
        self.wait_pinned(repinned)
        command("scontrol", "update", f"JobId={repinned}", "NodeList=n[07-10]")
        until(lambda: "zonecut-order" not in command("scontrol", "-o", "show", "job", repinned).stdout,
              "the order to be taken back", LOG.read_text)
        self.assertEqual(self.pinned(repinned), host_names("n[07-10]"))

    def test_jobs_that_do_not_ask_and_small_ones_are_let_alone(self):
        plain = sbatch("-N4", "sleep 1000")
        self.running(plain)
        small = sbatch(f"-N1 {PLACE}", "sleep 1000")
        self.running(small)
        shown = command("scontrol", "-o", "show", "job", plain).stdout + command(
            "scontrol", "-o", "show", "job", small).stdout
        self.assertNotIn("zonecut-place", shown)
        self.assertNotIn("zonecut-order", shown)
        both = subprocess.Popen(["salloc", "-Q", *PLACE.split(), "-N2", ":", "-N2", "true"])
        self.assertEqual(both.wait(60), 0)

    def test_a_comment_of_the_user_is_kept(self):
        job = sbatch(f"-N4 --comment=mine {PLACE}", "sleep 1000")
        self.running(job)
        shown = command("squeue", "-h", "-j", job, "-o", "%k").stdout.strip()
        self.assertEqual(shown, f"mine zonecut-place zonecut-job={JOB}")

    def test_every_task_of_an_array_and_salloc_are_placed(self):
        job = sbatch(f"-N8 --array=0-2 {PLACE}", f"srun {SHOW}", "array")
        for task in "012":
            until(lambda t=task: self.state(f"{job}_{t}", "JobState") == "COMPLETED", "the array", LOG.read_text)
            servers = order((RUN / f"array-{job}_{task}").read_text())
            self.assertEqual(crossings(servers, LAYOUT.zones), 0)
            self.assertEqual(servers, self.published(f"{job}_{task}"))
        servers = order(salloc(f"-N8 {PLACE}", f"srun {SHOW}").stdout)
        self.assertEqual(crossings(servers, LAYOUT.zones), 0)

    def test_a_job_nobody_can_judge_is_left_to_slurm(self):
        job = sbatch("-N4 --gpus-per-node=8 --zonecut=place --zonecut-job=tp=8,pp=3", "sleep 1000")
        self.running(job)
        until(lambda: "no multiple of tp*cp*pp = 24" in LOG.read_text(), "the reason to be said")
        job = sbatch(f"-N4 {PLACE} --switches=1", "sleep 1000")
        self.running(job)

    def test_what_slurm_does_not_start_on_free_servers_is_left_to_it(self):
        self.end(self.placer, signal.SIGTERM)
        self.start("--unpin-after", "3")
        # A node's owner is nothing that the placer knows of.
        self.running(sbatch("-N32 --exclusive=user", "sleep 1000"))
        stranger = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
        RUN.chmod(0o1777)
        done = command(*stranger, "sbatch", "--parsable", "-o", "/dev/null", "-N4", "--zonecut=place", "--wrap",
                       "sleep 1000")
        job = done.stdout.strip()
        self.wait_pinned(job)
        until(lambda: not self.pinned(job), "the job to be unpinned", LOG.read_text)
        self.assertRegex(LOG.read_text(), rf"job {job}: left to Slurm: it was not started on free servers for [34] s")

    def test_what_is_not_judged_is_left_to_slurm(self):
        for options, reason in {"--sockets-per-node=1": "asks for sockets",
                                "--gres=gpu:8 --contiguous": "asks for switches or neighbours itself"}.items():
            with self.subTest(options):
                job = sbatch(f"-N2 --zonecut=place {options}", "true")
                until(lambda j=job, r=reason: re.search(rf"job {j}: left to Slurm: {r}", LOG.read_text()),
                      "the reason", LOG.read_text)
                ended(CLUSTER, job)

    def test_a_server_that_can_never_take_the_job_is_not_chosen(self):
        for name, feature in [("n03", "fast"), ("n04", "fast"), ("n05", "slow")]:
            command("scontrol", "update", f"NodeName={name}", f"AvailableFeatures={feature}")
            self.addCleanup(command, "scontrol", "update", f"NodeName={name}", "AvailableFeatures=", "ActiveFeatures=")
        job = sbatch(f"-N2 -C fast {PLACE.replace('pp=4', 'pp=2')}", "sleep 1000")
        self.assertEqual(self.running(job), host_names("n[03-04]"))
        job = sbatch(f"-N2 -x n[06-32] -C slow {PLACE.replace('pp=4', 'pp=2')} --hold", "true")
        until(lambda: f"job {job}: left to Slurm: needs 2 servers, and 1 may take it" in LOG.read_text(), "the reason")

    def test_a_job_that_waits_for_another_is_pinned_but_keeps_nothing(self):
        first = sbatch(f"-N4 {PLACE} --dependency=singleton --job-name=one", "sleep 1000")
        self.running(first)
        second = sbatch(f"-N28 {PLACE} --dependency=singleton --job-name=one", "sleep 1000")
        self.wait_pinned(second)
        until(lambda: self.state(second, "Reason") == "Dependency", "the reason to be told")
        self.running(sbatch(f"-N28 {PLACE}", "sleep 1000"))


class Strangers(Placer):
    """What users write, and what they change meanwhile."""

    def test_a_comment_that_is_no_text_is_kept_to_the_byte(self):
        job = subprocess.run(
            [b"sbatch", b"--parsable", b"-o", b"/dev/null", b"-N2", b"--comment=caf\xe9 mine", b"--zonecut=place",
             b"--wrap", b"sleep 1000"], capture_output=True, check=True).stdout.decode().strip()
        self.running(job)
        shown = subprocess.run(["squeue", "-h", "-j", job, "-o", "%k"], capture_output=True, check=True).stdout
        self.assertEqual(shown.strip(), b"caf\xe9 mine zonecut-place")

    def test_a_begin_of_the_users_own_is_not_taken_for_the_lease(self):
        self.end(self.placer, signal.SIGTERM)
        job = sbatch(f"-N4 {PLACE}", "true")
        command("scontrol", "update", f"JobId={job}", "StartTime=now+2hours")
        self.start()
        self.wait_pinned(job)
        until(lambda: self.state(job, "Reason") == "BeginTime", "the reason to be told")

    def test_what_was_changed_since_the_look_stays(self):
        self.end(self.placer, signal.SIGTERM)
        job = sbatch(f"-N4 --hold {PLACE}", "true")
        change = [PROGRAM.parents[1] / "libexec/zonecut/zonecut-slurm", "change", job]

        def changed(*words):
            return subprocess.run([*change, *words], capture_output=True, text=True, check=False)
        self.assertEqual(changed("was-nodes=", "nodes=n[01-04]", "order=n[04,03,02,01]", "lease=").returncode, 0)
        self.assertEqual(self.pinned(job), host_names("n[01-04]"))
        self.assertEqual(self.published(job), ["n04", "n03", "n02", "n01"])
        done = changed("was-nodes=", "nodes=n[05-08]")
        self.assertEqual((done.returncode, done.stderr), (5, "its required nodes have been changed\n"))
        self.assertEqual(changed("was-begin=1", "begin=2").returncode, 5)
        self.assertEqual(changed("was-nodes=n[01-04]", "nodes=nowhere").returncode, 3)
        self.assertEqual(changed("magic=1").returncode, 2)
        command("scancel", job)
        self.assertEqual(changed("nodes=").returncode, 5)

    def test_jobs_that_cannot_be_planned_do_not_keep_others_waiting(self):
        self.running(sbatch("-N32 --gpus-per-node=8", "sleep 1000"))
        sbatch("-N2 --array=1-60 --comment=zonecut-place --zonecut-job=gpus=64", "true", "many")
        job = sbatch(f"-N4 {PLACE}", "sleep 1000")
        self.wait_pinned(job)

    def test_a_job_that_cannot_be_changed_does_not_keep_others_waiting(self):
        self.end(self.placer, signal.SIGTERM)
        self.running(sbatch("-N32 --gpus-per-node=8", "sleep 1000"))
        stuck = sbatch(f"-N4 {PLACE}", "true", "stuck")
        job = sbatch(f"-N4 {PLACE}", "true")
        # An installation whose changes of the one job fail, as if slurmctld were gone.
        for folder in ["bin", "libexec/zonecut"]:
            (RUN / "other" / folder).mkdir(parents=True, exist_ok=True)
        shutil.copy(PROGRAM, RUN / "other/bin/zonecut")
        real = PROGRAM.parents[1] / "libexec/zonecut/zonecut-slurm"
        fails = RUN / "other/libexec/zonecut/zonecut-slurm"
        fails.write_text(f"#!/bin/sh\n[ \"$1 $2\" != \"change {stuck}\" ] || exit 4\nexec {real} \"$@\"\n")
        fails.chmod(0o755)
        self.start(program=RUN / "other/bin/zonecut")
        self.wait_pinned(job)
        self.assertIn(f"job {stuck}: cannot be changed: zonecut-slurm: ended with exit code 4", LOG.read_text())

    @unittest.skipUnless(shutil.which("cc"), "no cc")
    def test_lists_of_nodes_that_are_longer_than_any_job_needs(self):
        command("cc", "-o", RUN / "require_nodes", HERE / "require_nodes.c", "-lslurm")
        RUN.chmod(0o1777)
        self.running(sbatch("-N32 --gpus-per-node=8", "sleep 1000"))
        job = sbatch(f"-N4 {PLACE}", "true")
        self.wait_pinned(job)
        self.end(self.placer)
        stranger = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]

        def named(count, *options):
            done = command(*stranger, "sbatch", "--parsable", "-o", "/dev/null", "-N2", "-H",
                           "--comment=zonecut-place", *options, "--wrap", "true")
            command(*stranger, RUN / "require_nodes", done.stdout.strip(), "n01", count)
            return done.stdout.strip()
        long = named(50000)  # 200 kB, and an argument may have 128
        arrays = [named(16000, "--array=1-1000") for _ in range(5)]  # 320 MB, if each task had its own
        self.start()
        reason = "left to Slurm: names too many nodes"
        until(lambda: f"job {arrays[-1]}_1000: {reason}" in LOG.read_text(), "the reason", LOG.read_text)
        self.assertIn(f"job {long}: {reason}", LOG.read_text())
        self.assertEqual(self.end(self.placer, signal.SIGTERM), 0)
        self.assertEqual(self.pinned(job), [])

    def test_a_lease_that_is_none_is_let_alone(self):
        array = sbatch("-N1 --array=1-100 --begin=now+1hour --comment=zonecut-lease=1", "true", "forged")
        self.running(sbatch(f"-N4 {PLACE}", "sleep 1000"))
        self.assertEqual(command("squeue", "-h", "-j", array, "-o", "%K %k").stdout, "1-100 zonecut-lease=1\n")

    def test_many_leases_do_not_keep_others_waiting(self):
        self.end(self.placer)
        array = sbatch("-N1 --array=1-1000 --begin=now+1hour", "true", "many")
        begin = datetime.datetime.fromisoformat(self.state(array, "EligibleTime"))
        command("scontrol", "update", f"JobId={array}", f"Comment=zonecut-lease={int(begin.timestamp())}")
        self.start()
        left = f"job {array}_"
        until(lambda: left in LOG.read_text(), "the first to be left")
        job = sbatch(f"-N4 --hold {PLACE}", "sleep 1000")
        until(lambda: f"job {job}: pinned to" in LOG.read_text(), "the job to be pinned")
        self.assertLess(LOG.read_text().count(left), 1000)

    def test_a_pin_is_known_though_the_cluster_has_lost_the_server(self):
        self.running(sbatch("-N32 --gpus-per-node=8", "sleep 1000"))
        job = sbatch(f"-N4 {PLACE}", "sleep 1000")
        lost = self.wait_pinned(job)[0]
        self.end(self.placer)
        (RUN / "less.conf").write_text(re.sub(rf"\b{lost},|,{lost}\b", "", LAYOUT.conf))
        command(PROGRAM, "topology", "import", "--from", "slurm-conf", RUN / "less.conf", "-o", RUN / "less.yaml")
        self.start("--cluster", str(RUN / "less.yaml"))
        self.wait_pinned(job, lambda servers: servers and lost not in servers)

    def test_several_partitions_are_slurms_to_choose_from(self):
        command("scontrol", "create", "PartitionName=other", "Nodes=ALL", "State=UP")
        self.addCleanup(command, "scontrol", "delete", "PartitionName=other")
        self.addCleanup(self.empty)
        job = sbatch(f"-N4 -p main,other {PLACE}", "sleep 1000")
        self.running(job)
        self.assertIn(f"job {job}: left to Slurm: names several partitions", LOG.read_text())


class Stopping(Placer):
    def test_without_a_placer_a_job_begins_when_its_lease_ends(self):
        self.end(self.placer)
        CLUSTER.plugstack(plugstack("lease=2"))
        job = sbatch(f"-N4 {PLACE}", "sleep 1000")
        self.assertEqual(self.state(job, "Reason"), "BeginTime")
        self.running(job)

    def test_a_placer_that_is_stopped_takes_its_pins_back(self):
        self.running(sbatch("-N32 --gpus-per-node=8", "sleep 1000"))
        job = sbatch(f"-N4 {PLACE}", "sleep 1000")
        self.wait_pinned(job)
        for number in [signal.SIGTERM, signal.SIGINT]:
            self.assertEqual(self.end(self.placer, number), 0)
            self.assertEqual(self.pinned(job), [])
            self.assertNotIn("zonecut-order", command("scontrol", "-o", "show", "job", job).stdout)
            self.start()
            self.wait_pinned(job)

    def test_after_kill_9_the_next_one_goes_on_or_takes_back(self):
        self.running(sbatch("-N32 --gpus-per-node=8", "sleep 1000"))
        job = sbatch(f"-N4 {PLACE}", "sleep 1000")
        servers = self.wait_pinned(job)
        self.end(self.placer)
        self.start()
        self.assertEqual(self.pinned(job), servers)
        self.end(self.placer)
        command(PROGRAM, "slurm-placer", "--release")
        self.assertEqual(self.pinned(job), [])

    def test_a_job_that_ran_keeps_its_pin_until_it_is_pending_again(self):
        job = sbatch(f"-N4 --requeue {PLACE}", "sleep 1000")
        self.running(job)
        self.assertEqual(self.end(self.placer, signal.SIGTERM), 0)
        servers = self.pinned(job)
        self.assertEqual(len(servers), 4)
        # What zonecut cannot do, as Slurm does not let it.
        refused = subprocess.run(["scontrol", "update", f"JobId={job}", "ReqNodeList="], capture_output=True,
                                 text=True, timeout=60, check=False)
        self.assertNotEqual(refused.returncode, 0)
        self.assertEqual(self.pinned(job), servers)
        command("scontrol", "requeue", job)
        until(lambda: self.state(job, "JobState") == "PENDING", f"job {job} to be pending")
        self.assertEqual(self.pinned(job), servers)
        command(PROGRAM, "slurm-placer", "--release")
        self.assertEqual(self.pinned(job), [])

    def test_one_placer_at_a_time(self):
        self.running(sbatch("-N32 --gpus-per-node=8", "sleep 1000"))
        job = sbatch(f"-N4 {PLACE}", "sleep 1000")
        servers = self.wait_pinned(job)
        for words in [[], ["--release"]]:  # the unit calls both, one after the other
            done = subprocess.run([PROGRAM, "slurm-placer", *words], capture_output=True, text=True, timeout=60,
                                  check=False)
            self.assertEqual(done.returncode, 4)
            self.assertIn("another placer runs on this host", done.stderr)
        self.assertNotIn(f"job {job}: pinned", LOG.read_text().partition(f"job {job}: pinned")[2])
        self.assertEqual(self.pinned(job), servers)

    def test_a_controller_that_is_restarted(self):
        self.running(sbatch("-N32 --gpus-per-node=8", "sleep 1000", "all"))
        CLUSTER.stop_controller()
        until(lambda: "Unable to contact slurm controller" in LOG.read_text(), "the placer to notice")
        CLUSTER.start_controller()
        job = sbatch(f"-N4 {PLACE}", "sleep 1000")
        self.wait_pinned(job)

    def test_looking_once_and_only_looking(self):
        self.end(self.placer, signal.SIGTERM)
        self.running(sbatch("-N32 --gpus-per-node=8", "sleep 1000"))
        job = sbatch(f"-N4 {PLACE}", "sleep 1000")
        shown = command(PROGRAM, "slurm-placer", "--once", "--dry-run").stdout
        self.assertRegex(shown, rf"^change {job} was-nodes= was-begin=\d+ nodes=\S+ begin=\d+ order=\S+ lease=\n$")
        self.assertEqual(self.pinned(job), [])
        command(PROGRAM, "slurm-placer", "--once")
        self.assertEqual(len(self.pinned(job)), 4)

    def test_wrong_options(self):
        self.end(self.placer, signal.SIGTERM)
        for words, code, expected in [(("--interval", "0"), 2, "--interval"), (("--once", "--release"), 2, "--once"),
                                      (("--cluster", "/nowhere"), 2, "/nowhere: cannot be opened")]:
            done = subprocess.run([PROGRAM, "slurm-placer", *words], capture_output=True, text=True, timeout=60,
                                  check=False)
            self.assertEqual((done.returncode, done.stdout), (code, ""), words)
            self.assertIn(expected, done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2, failfast=True)
