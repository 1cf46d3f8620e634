"""Whatever is missing, late or wrong: the step runs as it would have without the plugin."""
import os
import pathlib
import re
import shutil
import subprocess
import unittest

import layouts
from cluster import Cluster
from jobs import PLUGIN, PROGRAM, SHOW, command, order, plugstack, salloc, script, with_version

RUN = pathlib.Path("/run/tmp")
LISTED = [layouts.server(n) for n in range(1, 9)]
CLUSTER = Cluster(32, layouts.interleaved().conf)


def setUpModule():
    CLUSTER.__enter__()
    unittest.addModuleCleanup(CLUSTER.__exit__)


class FailOpen(unittest.TestCase):
    def check(self, line, reason):
        """Ranks as listed, and one line at -v that says why."""
        CLUSTER.plugstack(line)
        shown = salloc("-N8 -w n[01-08]", f"srun -v {SHOW}")
        said = [text for text in shown.stderr.splitlines() if "zonecut" in text]
        self.assertEqual(order(shown.stdout), LISTED)
        self.assertEqual(len(said), 1, shown.stderr)
        self.assertIn(reason, said[0])

    def solver(self, text, *words):
        return plugstack("timeout=1000", *words, program=script(text, "solver"))

    def test_no_program(self):
        self.check(plugstack(program="/nowhere/zonecut"), "cannot be run: No such file or directory")
        (RUN / "plain").write_text("no program")
        self.check(plugstack(program=RUN / "plain"), "cannot be run: Permission denied")

    def test_a_program_of_slurms(self):
        (RUN / "order").unlink(missing_ok=True)
        (RUN / "order").symlink_to(shutil.which("srun"))
        for name in ["srun", "salloc", "sbatch", "scontrol"]:
            program = shutil.which(name)
            self.check(plugstack(program=program), f"program={program} is Slurm's {name}, expected zonecut")
        self.check(plugstack(program=RUN / "order"), f"program={RUN}/order is Slurm's srun, expected zonecut")
        self.check(plugstack("method=hostfile", program=shutil.which("srun")), "is Slurm's srun")

    def test_a_program_that_starts_srun_is_asked_once(self):
        for line in ['exec srun "$@"', 'exec srun --zonecut=on "$@"', "salloc -N1 -w n09 srun true >&2"]:
            with self.subTest(line):
                (RUN / "asked").unlink(missing_ok=True)
                self.check(self.solver(f"echo once >> {RUN}/asked; {line}", "default=on", "timeout=20000"), "left as it is")
                self.assertEqual((RUN / "asked").read_text(), "once\n")

    def test_nothing_is_said_without_v(self):
        CLUSTER.plugstack(plugstack(program="/nowhere/zonecut"))
        shown = salloc("-N8 -w n[01-08]", f"srun {SHOW}")
        self.assertEqual(order(shown.stdout), LISTED)
        self.assertNotIn("zonecut", shown.stderr)

    def test_a_program_that_fails(self):
        self.check(self.solver("echo out of luck >&2; exit 4"), "said: out of luck")
        self.check(self.solver("exit 70"), "ended with exit code 70")
        self.check(self.solver("kill -SEGV $$"), "was ended by signal 11")

    def test_a_program_that_hangs_is_killed_with_its_children(self):
        text = "echo $$ >> pids; sleep 1000 & echo $! >> pids; (trap '' TERM HUP; sleep 1000) & echo $! >> pids; wait"
        (RUN / "pids").unlink(missing_ok=True)
        self.check(self.solver(f"cd {RUN}; {text}"), "did not answer within 1000 ms")
        pids = (RUN / "pids").read_text().split()
        self.assertEqual(len(pids), 3)
        self.assertEqual([pid for pid in pids if self.runs(pid)], [])

    def test_a_program_that_hangs_in_a_job_of_its_own_leaves_neither_job_nor_processes(self):
        hang = script(f"trap 'exit' TERM; echo $$ >> {RUN}/pids; exec sleep 1000", "hang")
        for line in [f"salloc -w n09 {hang}", f"exec salloc -w n09 {hang} > /dev/null 2>&1", f"salloc -w n09 {hang} & wait",
                     f"salloc -w n09 srun {hang}", "salloc -w n01 --exclusive true"]:
            with self.subTest(line):
                (RUN / "pids").write_text("")
                self.check(self.solver(line), "did not answer within 1000 ms")
                CLUSTER.wait_gone()
                self.assertEqual([pid for pid in (RUN / "pids").read_text().split() if self.runs(pid)], [])

    @staticmethod
    def runs(pid):
        try:
            return pathlib.Path("/proc", pid, "stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
        except OSError:
            return False

    def test_a_step_that_is_interrupted_while_a_program_hangs(self):
        CLUSTER.plugstack(plugstack("timeout=60000", program=script(f"touch {RUN}/asked; sleep 1000", "solver")))
        shown = salloc("-N8 -w n[01-08]", """
            for signal in INT TERM; do
                rm -f asked
                srun -v sleep 30 &
                until [ -e asked ]; do sleep 0.02; done
                begin=$EPOCHSECONDS
                # More than once, as people do: srun takes two in one second as the wish to end.
                while kill -$signal $! 2> /dev/null; do sleep 0.3; done
                wait $! && echo ran || echo "ended after $((EPOCHSECONDS - begin)) s"
            done""")
        self.assertEqual([int(found) < 20 for found in re.findall(r"ended after (\d+) s", shown.stdout)], [True, True],
                         shown.stderr)
        self.assertEqual(shown.stderr.count("was not waited for: a signal came"), 2, shown.stderr)

    def test_a_program_that_leaves_a_child_with_its_output(self):
        self.check(self.solver("sleep 1000 & exit 0"), "did not answer within 1000 ms")

    def test_steps_at_once_on_parts_of_an_allocation_with_a_program_that_hangs(self):
        CLUSTER.plugstack(self.solver("sleep 1000"))
        names = ["one", "two", "three", "four", "five", "six"]
        steps = "".join(f"srun -v -N4 {SHOW} > {name}.out 2> {name}.err & " for name in names)
        salloc("-N16 -w n[01-16]", steps + "".join(f"wait %{i}; " for i in range(1, 1 + len(names))))
        said = []
        for name in names:
            self.assertEqual(len(set(order((RUN / f"{name}.out").read_text()))), 4)
            lines = [line for line in (RUN / f"{name}.err").read_text().splitlines() if "zonecut" in line]
            self.assertEqual(len(lines), 1, lines)
            self.assertRegex(lines[0], "the order of ranks is left as it is: .*(did not answer within 1000 ms|another step "
                             "of the job is being started|fewer servers are free than it needs|all the time there is)")
            said += lines
        self.assertTrue(any("did not answer within 1000 ms" in line for line in said), said)

    def test_another_user_who_takes_the_turn_of_the_steps(self):
        CLUSTER.plugstack(plugstack())
        RUN.chmod(0o1777)
        for then in ["taken.listen()", ""]:
            with self.subTest(then):
                (RUN / "taken").unlink(missing_ok=True)
                (RUN / "take.py").write_text("import os, socket, time\ntaken = socket.socket(socket.AF_UNIX)\n"
                                             "taken.bind('\\0zonecut/0/' + os.environ['SLURM_JOB_ID'])\n"
                                             f"{then}\nopen('taken', 'w').close()\ntime.sleep(60)\n")
                shown = salloc("-N8 -w n[01-08]", f"""
                    setpriv --reuid=65534 --regid=65534 --clear-groups python3 take.py &
                    until [ -e taken ]; do sleep 0.02; done
                    srun -v -N4 {SHOW}
                    kill %1""")
                self.assertIn("left as it is: another user holds the turn of its steps", shown.stderr)
                self.assertEqual(len(order(shown.stdout)), 4)

    def test_answers_that_are_none(self):
        good = "\n".join(["zonecut.slurm-order/v1", "changed=1", "tasks_per_node=1",
                          "nodelist=" + ",".join(reversed(LISTED)), "end"])
        answers = {"nothing": "", "noise": "$(head -c 3000 /dev/urandom | base64)", "no end": good[:-4],
                   "a stranger": good.replace("n08", "n32"), "a server twice": good.replace("n08", "n07"),
                   "one too few": good.replace("n08,", ""), "another version": good.replace("/v1", "/v2"),
                   "other tasks": good.replace("node=1", "node=2"), "a shell": good.replace("n08", "n08;reboot")}
        for name, text in answers.items():
            with self.subTest(name):
                (RUN / "answer").write_text(text)
                self.check(self.solver(f"cat {RUN}/answer"), "gave no usable answer")
        self.check(self.solver("yes"), "wrote more than 8388608 bytes")
        (RUN / "answer").write_text(good + "\n")
        CLUSTER.plugstack(self.solver(f"cat {RUN}/answer"))
        self.assertEqual(order(salloc("-N8 -w n[01-08]", f"srun {SHOW}").stdout), LISTED[::-1])

    def test_files_that_are_wrong(self):
        self.check(plugstack("cluster=/nowhere.yaml"), "/nowhere.yaml: cannot be opened")
        (RUN / "broken.yaml").write_text("format: cluster/v1\nlevels: [zone\n")
        self.check(plugstack(f"cluster={RUN}/broken.yaml"), "broken.yaml:")
        (RUN / "broken.conf").write_text("SwitchName=r1 Nodes=n[01-\n")
        self.check(plugstack(f"topology={RUN}/broken.conf"), "broken.conf:1:")
        (RUN / "others.conf").write_text("SwitchName=r1 Nodes=m[01-08]\n")
        self.check(plugstack(f"topology={RUN}/others.conf"), 'the cluster has no server "n01"')

    def test_a_job_that_does_not_fit(self):
        self.check(plugstack("job=tp=8,pp=3"), "no multiple of tp*cp*pp = 24")
        self.check(plugstack("job=tp=eight"), "eight")
        self.check(plugstack("job=tp=8,dp=1000"), "8000 ranks are 1000 on each of 8 servers, where there are 8 GPUs")
        self.check(plugstack("job=tp=4,dp=15"), "60 ranks do not spread evenly over 8 servers")

    def test_a_plugin_for_another_version(self):
        other = with_version(PLUGIN, 0x190B07)  # 25.11.7
        CLUSTER.plugstack(plugstack(plugin=other))
        shown = salloc("-N8 -w n[01-08]", f"srun {SHOW}")
        self.assertEqual(order(shown.stdout), LISTED)
        CLUSTER.plugstack(plugstack(plugin=other).replace("optional", "required"))
        failed = subprocess.run(["srun", "-N1", "true"], capture_output=True, text=True, timeout=60, check=False)
        self.assertNotEqual(failed.returncode, 0)

    def test_a_plugin_that_is_gone(self):
        CLUSTER.plugstack(plugstack(plugin="/nowhere/spank_zonecut.so"))
        self.assertEqual(order(salloc("-N8 -w n[01-08]", f"srun {SHOW}").stdout), LISTED)

    def test_a_cluster_without_topology(self):
        conf = CLUSTER.run / "topology.conf"
        text = conf.read_text()
        conf.rename(conf.with_suffix(".away"))
        try:
            self.check(plugstack(), "there is neither a cluster file nor a topology.conf")
        finally:
            conf.write_text(text)

    def test_the_plugin_shows_only_what_slurm_looks_up(self):
        shown = command("nm", "-D", "--defined-only", PLUGIN).stdout
        names = {line.split()[-1] for line in shown.splitlines()}
        self.assertLessEqual(names, {"plugin_name", "plugin_type", "plugin_version", "spank_plugin_version",
                                     "slurm_spank_init", "slurm_spank_init_post_opt", "slurm_spank_local_user_init",
                                     "slurm_spank_task_init"})
        needed = {line.split()[0] for line in command("ldd", PLUGIN).stdout.splitlines()}
        self.assertEqual({name for name in needed if any(word in name for word in
                                                         ["metis", "boost", "yaml", "sqlite", "fmt", "slurm"])}, set())
        self.assertTrue(os.access(PROGRAM, os.X_OK))


class Submitted(unittest.TestCase):
    """What Slurm takes without the plugin it takes with it."""

    def submit(self, options, **environment):
        """What sbatch says, and what scontrol then says of the job."""
        done = command("sbatch", "-v", "-H", "-N2", *options, "-o", "/dev/null", "--wrap", "true", **environment)
        job = re.search(r"job (\d+)", done.stdout)[1]
        self.addCleanup(command, "scancel", job)
        shown = command("scontrol", "show", "job", job).stdout
        return done.stderr, [line.strip() for line in shown.splitlines()]

    def test_a_comment_that_would_be_too_long_with_our_words(self):
        CLUSTER.plugstack(plugstack())
        own, said = "x" * 1015, "the comment would be too long for Slurm"
        stderr, shown = self.submit(["--zonecut=place", f"--comment={own}"])
        self.assertIn(f"its servers are left to Slurm: {said}", stderr)
        self.assertIn(f"Comment={own}", shown)
        stderr, shown = self.submit([], SLURM_ZONECUT_JOB=f"tp=1,{own}=1")
        self.assertIn(f"its comment does not say what it sends: {said}", stderr)
        self.assertFalse([line for line in shown if line.startswith("Comment=")])
        stderr, shown = self.submit(["--zonecut=place", f"--comment={own[:1010]}"])
        self.assertIn(f"Comment={own[:1010]} zonecut-place", shown)

    def test_a_folder_that_is_called_as_a_preset(self):
        CLUSTER.plugstack(plugstack())
        (RUN / "llama3-70b").mkdir(exist_ok=True)
        for mode in ["order", "place"]:
            with self.subTest(mode):
                shown = self.submit([f"--zonecut={mode}", "--zonecut-job=llama3-70b"])[1]
                comment = next(line for line in shown if line.startswith("Comment="))
                self.assertIn("zonecut-job=llama3-70b", comment)

    def test_words_that_the_user_writes_himself(self):
        CLUSTER.plugstack(plugstack())
        stderr, shown = self.submit(["--zonecut-job=tp=1", "--comment=zonecut-lease=1 mine zonecut-place"])
        self.assertNotIn("error", stderr)
        self.assertIn("Comment=mine zonecut-place zonecut-lease=1", shown)

    def test_a_job_that_must_not_wait(self):
        CLUSTER.plugstack(plugstack())
        for options in [["--immediate"], ["--immediate=5"], ["--deadline=now+100", "--time=1"]]:
            with self.subTest(options):
                shown = command("salloc", "-N2", "--zonecut=place", *options, "scontrol", "show", "job").stdout
                self.assertIn("Comment=zonecut-place", shown)


class AsWithoutIt(unittest.TestCase):
    """What Slurm runs without the plugin it runs with it."""

    def check(self, options, step, said, environment=(), before=""):
        """Each task where it runs without the plugin, and why it leaves the step. `before`: commands."""
        done = {mode: salloc(f"-N8 -w n[01-08] {options}", f"{before}\nsrun -v {step} {SHOW}", SLURM_ZONECUT=mode,
                             **dict(environment)) for mode in ["off", "on"]}
        self.assertIn(f"zonecut: the order of ranks is left as it is: {said}", done["on"].stderr)
        self.assertEqual(order(done["on"].stdout), order(done["off"].stdout))

    def test_srun_and_sbatch_within_a_task_of_an_ordered_step(self):
        job = script(f"srun {SHOW}", "job.sh")
        within = script(f"[ $SLURM_PROCID = 0 ] || exit 0\nsrun --overlap {SHOW}\nsbatch -QW -N8 -o {RUN}/job.out {job}\n"
                        "env | grep -E 'SLURM_(DISTRIBUTION|HOSTFILE|ZONECUT)' > left || true", "within.sh")
        for method in ["options", "hostfile"]:
            with self.subTest(method):
                CLUSTER.plugstack(plugstack(f"method={method}"))
                shown = salloc("-N8 -w n[01-08]", f"srun -v {within}")
                self.assertIn("the ranks are in order over 8 servers", shown.stderr)
                self.assertEqual(sorted(order(shown.stdout)), LISTED)
                self.assertEqual(len(order((RUN / "job.out").read_text())), 8)
                self.assertEqual((RUN / "left").read_text(), "")

    def test_a_number_of_tasks_that_slurm_finds_later(self):
        CLUSTER.plugstack(plugstack())
        said = "its number of tasks follows from others"
        for options, step in [("--exclusive", "-c16"), ("-c8", "-c4"), ("--exclusive", "--exact -c8"),
                              ("--exclusive --gpus-per-node=8", "--gpus=64 --ntasks-per-gpu=1"),
                              ("--exclusive --gpus=64", "-n32 --ntasks-per-gpu=1"),
                              ("--exclusive --gpus=64 --ntasks-per-gpu=1", "-n16")]:
            with self.subTest(options=options, step=step):
                self.check(options, step, said)
        for method in ["options", "hostfile"]:
            with self.subTest(method):
                CLUSTER.plugstack(plugstack(f"method={method}"))
                self.check("-c8", "", said, {"SRUN_CPUS_PER_TASK": "4"})

    def test_a_number_of_tasks_that_is_said_beside_cpus(self):
        CLUSTER.plugstack(plugstack())
        for options, step in [("--exclusive", "-n16 -c16"), ("--ntasks-per-node=2 -c8", "-c4"),
                              ("--exclusive --gpus=16", "-n16 --ntasks-per-gpu=1")]:
            with self.subTest(options=options, step=step):
                shown = salloc(f"-N8 -w n[01-08] {options}", f"srun {step} {SHOW}")
                self.assertEqual(len(order(shown.stdout)), 16)
                self.assertNotEqual(order(shown.stdout)[::2], LISTED)

    def test_a_job_that_has_lost_a_server_or_given_it_back(self):
        CLUSTER.plugstack(plugstack())
        said = "the job has other servers by now than SLURM_JOB_NODELIST says"
        # The servers are there again for the next job.
        lose = ("scontrol update NodeName=n03 State=down Reason=test; until scontrol show job $SLURM_JOB_ID | "
                "grep -q 'NumNodes=7'; do sleep 0.1; done; scontrol update NodeName=n03 State=resume")
        give_back = "scontrol update JobId=$SLURM_JOB_ID NumNodes=7 > /dev/null"
        for options, before, step in [("--no-kill", lose, "-N7"), ("--no-kill", lose, "-N4"), ("", give_back, "-N7"),
                                      ("", give_back, "-N4")]:
            with self.subTest(before=before, step=step):
                self.check(options, step, said, before=before)

    def test_a_job_whose_servers_have_unequal_shares(self):
        CLUSTER.plugstack(plugstack())
        cpus, gpus = "--overcommit on servers with unequal CPUs", "not every server has GPUs for an even share"
        for options, step, said in [("-n16 -c4 --gpus-per-task=1", "", gpus), ("-n16 -c4 --gpus=16", "--gpus-per-task=1", gpus),
                                    ("-c8 --gpus=24", "-n16 -c1 --gpus-per-task=1", gpus),
                                    ("-n16", "--overcommit", cpus), ("-n16", "--overcommit --exact", cpus)]:
            with self.subTest(options=options, step=step):
                self.check(options, step, said)

    def test_an_even_share_of_unequal_servers(self):
        CLUSTER.plugstack(plugstack())
        for options, step in [("-n16 -c4", ""), ("-n16 -c4 --gpus=16", ""), ("-n16 -c4 --gpus=16", "-n8 --gpus-per-task=1"),
                              ("-n16 -c4 --gpus-per-node=2", "--gpus-per-task=1"), ("-n64 --gpus-per-task=1", "")]:
            with self.subTest(options=options, step=step):
                shown = salloc(f"-N8 -w n[01-08] {options}", f"srun -v {step} {SHOW}")
                self.assertIn("the ranks are in order over 8 servers", shown.stderr)
                self.assertEqual(set(order(shown.stdout)), set(LISTED))


if __name__ == "__main__":
    unittest.main(verbosity=1)
