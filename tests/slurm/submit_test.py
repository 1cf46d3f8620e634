"""The job_submit plugin in a real slurmctld: what it refuses, marks and leaves, and how it is installed."""
import os
import pathlib
import re
import subprocess
import time
import unittest

from cluster import Cluster, until
from jobs import PROGRAM, command, ended, plugstack, script, with_version

RUN = pathlib.Path("/run/tmp")
PLUGIN = pathlib.Path(os.environ["ZONECUT_JOB_SUBMIT"]).resolve()
DOCUMENT = pathlib.Path(__file__).resolve().parents[2] / "docs" / "slurm-admin.md"
# Where Slurm's own plugins are: its library lies with them.
OWN = pathlib.Path(re.search(r"=> (\S+)/libslurmfull\.so", command("ldd", "/usr/sbin/slurmctld").stdout)[1])
ENABLED = "JobSubmitPlugins=zonecut\n"
CLUSTER = Cluster(4, more=f"PluginDir={OWN}:{PLUGIN.parent}\n{ENABLED}")
NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
LEASE = 30  # seconds
EARLIEST = range(LEASE - 2, LEASE + 1)  # after its submission, which Slurm dates a moment after the plugin
SIZES = "-N2 --gpus-per-node=8"
MARKED = "zonecut-place zonecut-lease"


def setUpModule():
    CLUSTER.__enter__()
    unittest.addModuleCleanup(CLUSTER.__exit__)
    CLUSTER.plugstack(plugstack())
    RUN.chmod(0o1777)


def run(*words):
    return subprocess.run([*map(str, words)], capture_output=True, text=True, timeout=60, check=False)


class Submitted(unittest.TestCase):
    def submit(self, options, *more, user=()):
        """A job that does nothing; its number. It is gone after the test."""
        done = command(*user, "sbatch", "--parsable", "-o", "/dev/null", *options.split(), *more,
                       *([] if ":" in options else ["--wrap", "true"]))
        job = done.stdout.strip()
        self.addCleanup(run, "scancel", job)
        return job

    def lines(self, job):
        """What scontrol says of a job, a line each. Comments hold blanks."""
        return [line.strip() for line in command("scontrol", "show", "job", job).stdout.splitlines()]

    def admin_comment(self, job):
        """Without the time of a lease."""
        lines = (line.partition("=")[2] for line in self.lines(job) if line.startswith("AdminComment="))
        return next((re.sub(r"zonecut-lease=\d+", "zonecut-lease", line) for line in lines), None)

    def wait(self, job, key="StartTime"):
        """Seconds from its submission to its begin."""
        state = CLUSTER.state(job)
        times = [time.mktime(time.strptime(state[name], "%Y-%m-%dT%H:%M:%S")) for name in [key, "SubmitTime"]]
        return times[0] - times[1]

    def check_deferred(self, job):
        state = CLUSTER.state(job)
        self.assertEqual((state["JobState"], state["Reason"]), ("PENDING", "BeginTime"))
        self.assertIn(self.wait(job, "EligibleTime"), EARLIEST)
        self.assertNotEqual(state["Priority"], "0", "held")

    def begin(self, job):
        """As a placer does, which lets jobs begin at once."""
        command("scontrol", "update", f"JobId={job}", "StartTime=now")


class Changes(Submitted):
    def test_a_change_that_a_plugin_refuses_is_refused(self):
        """To zonecut-slurm, and not taken for a slurmctld that is gone."""
        job = self.submit(f"-H {SIZES} --zonecut-job=tp=1", "--comment=zonecut-job=tp=0 zonecut-lease=1")
        changed = run(PROGRAM.parents[1] / "libexec/zonecut/zonecut-slurm", "change", job, "lease=")
        self.assertEqual(changed.returncode, 3, changed.stderr)


class Placement(Submitted):
    def test_a_job_to_be_placed_is_marked_and_waits_for_the_placer(self):
        job = self.submit(SIZES, "--comment=ticket-17 zonecut-place zonecut-job=tp=8,pp=2 zonecut-order=n[02,01]")
        self.assertEqual(self.admin_comment(job), f"{MARKED} zonecut-job=tp=8,pp=2")
        self.check_deferred(job)
        self.begin(job)
        ended(CLUSTER, job)

    def test_without_a_placer_it_begins_by_itself(self):
        job = self.submit(SIZES, "--comment=zonecut-place")
        self.check_deferred(job)
        until(lambda: CLUSTER.state(job)["JobState"] == "COMPLETED", "the job to end", CLUSTER.logs, seconds=4 * LEASE)
        self.assertGreaterEqual(self.wait(job), EARLIEST[0])

    def test_what_it_sends_may_be_an_option(self):
        job = self.submit(f"{SIZES} --comment=zonecut-place --zonecut-job=tp=4,pp=4")
        self.assertEqual(self.admin_comment(job), f"{MARKED} zonecut-job=tp=4,pp=4")
        self.check_deferred(job)

    def test_every_job_of_an_array_is_marked(self):
        job = self.submit(f"{SIZES} --array=1-2 --comment=zonecut-place")
        self.begin(f"{job}_1")
        ended(CLUSTER, f"{job}_1")
        for element in ["1", "2"]:
            self.assertEqual(self.admin_comment(f"{job}_{element}"), MARKED)
        self.check_deferred(f"{job}_2")

    def test_salloc_waits_and_srun_that_will_not_wait_does_not(self):
        text = script("scontrol show job $SLURM_JOB_ID", "show.sh")
        pending = ["squeue", "-h", "-t", "PD", "-n", "waits", "-o", "%A"]
        with subprocess.Popen(["salloc", "-Q", "-Jwaits", *SIZES.split(), "--comment=zonecut-place", text],
                              stdout=subprocess.PIPE, text=True) as waiting:
            until(lambda: command(*pending).stdout, "the job to be pending", CLUSTER.logs)
            job = command(*pending).stdout.strip()
            self.check_deferred(job)
            self.begin(job)
            self.assertIn("AdminComment=zonecut-place", waiting.communicate(timeout=60)[0])
        self.assertEqual(waiting.returncode, 0)
        shown = command("srun", "-N1", "--immediate", "--comment=zonecut-place", "scontrol", "show", "job")
        self.assertIn("AdminComment=zonecut-place", shown.stdout)
        shown = command("salloc", "--immediate=5", *SIZES.split(), "--zonecut=place", "scontrol", "show", "job")
        self.assertIn("AdminComment=zonecut-place", shown.stdout)

    def test_what_the_user_says_stays(self):
        job = self.submit(f"{SIZES} --begin=now+1hour --comment=zonecut-place")
        self.assertEqual(self.admin_comment(job), "zonecut-place")
        self.assertGreater(self.wait(job), 3000)
        job = self.submit(f"{SIZES} --deadline=now+1hour --time=1 --comment=zonecut-place")
        self.assertEqual(self.admin_comment(job), "zonecut-place")
        ended(CLUSTER, job)
        self.assertLess(self.wait(job), LEASE)
        job = self.submit(f"{SIZES} -w n[03-04] --comment=zonecut-place --zonecut-job=tp=8")
        self.assertEqual(self.admin_comment(job), "zonecut-job=tp=8")
        ended(CLUSTER, job)

    def test_heterogeneous_jobs_are_left_to_slurm(self):
        text = script("true", "two.sh")
        job = self.submit("-N1 --comment=zonecut-place : -N1 --comment=zonecut-place", text)
        self.assertNotIn("AdminComment", "".join(self.lines(job)))
        until(lambda: run("squeue", "-h", "-j", job).stdout == "", "the job to end", CLUSTER.logs, seconds=LEASE - 5)

    def test_ranks_may_be_spread_over_all_components_of_a_heterogeneous_job(self):
        text = script("true", "two.sh")
        self.submit("-N2 --gpus-per-node=8 --zonecut-job=tp=8,pp=4 : -N2 --gpus-per-node=8", text)
        self.submit("-N1 --gpus-per-node=8 --comment=zonecut-job=tp=8,pp=2 : -N1 --gpus-per-node=8", text)

    def test_plain_jobs_are_left_as_they_are(self):
        for options in [SIZES, f"{SIZES} --comment=zonecut-placed", f"{SIZES} --zonecut=off",
                        f"{SIZES} --zonecut-job=/data/job.yaml"]:
            with self.subTest(options):
                job = self.submit(options)
                self.assertIsNone(self.admin_comment(job))
                ended(CLUSTER, job)
                self.assertLess(self.wait(job), LEASE)


class Refusal(Submitted):
    def check_refused(self, message, *options):
        for program in [["sbatch", "-o/dev/null", "--wrap=true"], ["salloc"], ["srun"]]:
            with self.subTest(program[0]):
                done = run(*program[:1], *options, *(program[1:] or ["true"]))
                self.assertEqual(done.returncode, 1)
                self.assertIn(f"{program[0]}: error: zonecut-job: {message}", done.stderr)
        self.assertNotIn("PENDING", command("squeue", "-h", "-n", "refused", "-o", "%T").stdout)

    def test_sizes_that_are_none(self):
        number = 'found "tp=eight", expected a whole number from 1 to 4194304\n'
        self.check_refused(number, "-Jrefused", "--zonecut-job=tp=eight")
        self.check_refused(number, "-Jrefused", "--comment=a zonecut-job=tp=eight b")

    def test_a_file_where_the_placer_is_to_read_it(self):
        self.check_refused('found "/data/job.yaml", but a file cannot be read by the placer: give sizes or a preset\n',
                           "-Jrefused", "--comment=zonecut-place", "--zonecut-job=/data/job.yaml")

    def test_more_gpus_than_are_asked_for(self):
        message = "tp=8,pp=3 needs 24 GPUs at least, but 2 nodes with 8 GPUs each are asked for\n"
        self.check_refused(message, "-Jrefused", "-N2", "--gpus-per-node=8", "--zonecut-job=tp=8,pp=3")
        self.check_refused(message, "-Jrefused", "-N2", "--gres=gpu:8", "--zonecut-job=tp=8,pp=3")
        for options in ["-N2-3 --gpus-per-node=8", "-N3 --gpus-per-node=8", "-N2 --gpus=16", "-n16"]:
            with self.subTest(options):
                self.submit(f"{options} --zonecut-job=tp=8,pp=3")

    def test_a_changed_comment(self):
        job = self.submit(f"{SIZES} --begin=now+1hour --comment=mine")
        done = run("scontrol", "update", f"JobId={job}", "Comment=zonecut-job=tp=0")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("Comment=mine", self.lines(job))
        command("scontrol", "update", f"JobId={job}", "Comment=zonecut-job=tp=2")
        self.assertIn("Comment=zonecut-job=tp=2", self.lines(job))
        self.assertIsNone(self.admin_comment(job))


class Trust(Submitted):
    def test_only_administrators_write_the_administrators_comment(self):
        job = self.submit(f"{SIZES} --comment=zonecut-place", user=NOBODY)
        forged = run(*NOBODY, "scontrol", "update", f"JobId={job}", "AdminComment=zonecut-order=n[02,01]")
        self.assertNotEqual(forged.returncode, 0)
        self.assertEqual(self.admin_comment(job), MARKED)
        planned = "zonecut-place zonecut-order=n[02,01]"
        command("scontrol", "update", f"JobId={job}", f"AdminComment={planned}")
        self.assertEqual(self.admin_comment(job), planned)
        command(*NOBODY, "scontrol", "update", f"JobId={job}", "Comment=none")
        self.assertEqual(self.admin_comment(job), planned)

    def test_the_plugin_shows_only_what_slurm_looks_up(self):
        shown = command("nm", "-D", "--defined-only", PLUGIN).stdout
        self.assertEqual({line.split()[-1] for line in shown.splitlines()},
                         {"plugin_name", "plugin_type", "plugin_version", "init", "fini", "job_submit", "job_modify"})
        self.assertNotIn("slurm", command("ldd", PLUGIN).stdout)


class Install(Submitted):
    """Each test leaves slurmctld as it was."""
    conf = CLUSTER.run / "slurm.conf"

    def setUp(self):
        text = self.conf.read_text()
        self.addCleanup(self.restart, text)

    def configure(self, text):
        """slurm.conf from now on; whoever reads it meanwhile reads it whole."""
        fresh = self.conf.with_suffix(".new")
        fresh.write_text(text)
        fresh.rename(self.conf)

    def restart(self, text):
        """slurmctld anew with another slurm.conf."""
        if "slurmctld" in CLUSTER.pids:
            CLUSTER.stop_controller()
        self.configure(text)
        CLUSTER.start_controller()
        CLUSTER.wait_idle()

    def check_works(self):
        self.assertEqual(self.admin_comment(self.submit(f"{SIZES} --comment=zonecut-place")), MARKED)

    def test_a_link_beside_slurms_own_plugins_as_documented(self):
        aside, links = RUN / "own-plugins", RUN / "links"
        for folder in [aside, links]:
            folder.mkdir()
        command("mount", "--bind", OWN, aside)
        for path in aside.iterdir():
            (links / path.name).symlink_to(path)
        command("mount", "--bind", links, OWN)
        self.addCleanup(command, "umount", OWN)
        text = self.conf.read_text().replace(f"PluginDir={OWN}:{PLUGIN.parent}\n", "")
        self.restart(text.replace(ENABLED, ""))
        installed = "/usr/libexec/zonecut/job_submit_zonecut.so"
        lines = re.findall(rf"^   ((?:grep|ln) .*{installed}.*)$", DOCUMENT.read_text(), re.MULTILINE)
        said = command("bash", "-ec", "\n".join(lines).replace(installed, str(PLUGIN))).stdout
        built, runs = re.findall(r"\d+\.\d+\.\d+", said)
        self.assertEqual(built, runs)
        self.assertEqual((links / PLUGIN.name).resolve(), PLUGIN)
        self.configure(text)
        command("scontrol", "reconfigure")
        self.check_works()

    def test_it_is_switched_on_and_off_while_slurmctld_runs(self):
        text = self.conf.read_text()
        self.configure(text.replace(ENABLED, ""))
        command("scontrol", "reconfigure")
        job = self.submit(f"{SIZES} --comment=zonecut-place")
        self.assertIsNone(self.admin_comment(job))
        ended(CLUSTER, job)
        self.configure(text)
        command("scontrol", "reconfigure")
        self.check_works()

    def test_slurmctld_does_not_start_with_a_plugin_of_another_version(self):
        own = command("slurmctld", "-V").stdout
        major, minor, micro = map(int, re.search(r"(\d+)\.(\d+)\.(\d+)", own).groups())
        other = with_version(PLUGIN, major << 16 | minor << 8 | (micro + 1))
        text = self.conf.read_text().replace(str(PLUGIN.parent), str(other.parent))
        with self.subTest("a running slurmctld refuses every job"):
            self.configure(text.replace(ENABLED, ""))
            command("scontrol", "reconfigure")
            self.configure(text)
            command("scontrol", "reconfigure")
            done = run("sbatch", "-o/dev/null", "--wrap=true")
            self.assertEqual(done.returncode, 1)
            self.assertIn("Batch job submission failed", done.stderr)
        self.configure(text.replace(ENABLED, ""))
        command("scontrol", "reconfigure")
        queued = self.submit(f"{SIZES} -J stays --begin=now+1hour")
        self.configure(text)
        CLUSTER.stop_controller()
        run("slurmctld")
        log = CLUSTER.run / "slurmctld.log"
        until(lambda: "fatal: failed to initialize job_submit plugin" in log.read_text(), "slurmctld to give up")
        self.assertIn(f"Incompatible Slurm plugin {other} version ({major}.{minor:02}.{micro + 1})", log.read_text())
        self.configure(text.replace(ENABLED, ""))
        CLUSTER.start_controller()
        ended(CLUSTER, self.submit(SIZES))
        self.assertEqual((CLUSTER.state(queued)["JobState"], CLUSTER.state(queued)["JobName"]), ("PENDING", "stays"))

    def test_a_folder_that_is_missing_breaks_every_command(self):
        self.configure(self.conf.read_text().replace(str(PLUGIN.parent), "/nowhere"))
        done = run("sinfo")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("PluginDir: /nowhere: No such file or directory", done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=1)
