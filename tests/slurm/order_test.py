"""Ranks on real daemons: each where zonecut intends it, and nowhere else than the user says."""
import pathlib
import time
import unittest

import layouts
from cluster import Cluster, until
from jobs import (PROGRAM, SHOW, command, crossings, ended, intended, order, plugstack, salloc, sbatch, tasks)

RUN = pathlib.Path("/run/tmp")
LAYOUT = layouts.interleaved()
CLUSTER = Cluster(32, LAYOUT.conf)


def setUpModule():
    CLUSTER.__enter__()
    unittest.addModuleCleanup(CLUSTER.__exit__)


class OnACluster(unittest.TestCase):
    layout, cluster = LAYOUT, CLUSTER
    conf = CLUSTER.run / "topology.conf"

    def setUp(self):
        self.cluster.plugstack(plugstack())

    def use(self, layout):
        """Another topology than Slurm's own."""
        path = RUN / "other-topology.conf"
        path.write_text(layout.conf)
        self.cluster.plugstack(plugstack(f"topology={path}"))
        return path


class Order(OnACluster):
    def test_a_ring_crosses_as_few_racks_and_zones_as_it_can(self):
        text = salloc("-N20 -w n[01-20]", f"srun --zonecut=off {SHOW} > off; srun {SHOW} > on")
        self.assertNotIn("zonecut", text.stderr)
        before, after = order((RUN / "off").read_text()), order((RUN / "on").read_text())
        self.assertEqual(before, [layouts.server(n) for n in range(1, 21)])
        self.assertEqual((crossings(before, self.layout.racks), crossings(before, self.layout.zones)), (20, 8))
        self.assertEqual((crossings(after, self.layout.racks), crossings(after, self.layout.zones)), (5, 2))
        self.assertEqual(after, intended(self.conf, "n[01-20]", 20, "--rank0", "n01", "--hold-rank0"))

    def test_zones_that_alternate_are_crossed_twice_only(self):
        layout = layouts.alternating()
        self.use(layout)
        salloc("-N28 -w n[01-28]", f"srun --zonecut=off {SHOW} > off; srun {SHOW} > on")
        before, after = order((RUN / "off").read_text()), order((RUN / "on").read_text())
        self.assertEqual((crossings(before, layout.racks), crossings(before, layout.zones)), (7, 6))
        self.assertEqual((crossings(after, layout.racks), crossings(after, layout.zones)), (7, 2))

    def test_a_pipeline_on_uneven_zones_is_cut_less_than_by_sorting_zones(self):
        conf = self.use(layouts.uneven())
        job = "tp=8,pp=8,gpus=256,gbs=4096,model=llama3-8b"
        shown = salloc(f"-N32 --gpus-per-node=8 --zonecut-job={job}", f"srun {SHOW}")
        after = order(shown.stdout)
        command(PROGRAM, "topology", "import", "--from", "slurm-conf", conf, "-o", "cluster.yaml")

        def cut(servers):
            (RUN / "hosts").write_text("\n".join(servers) + "\n")
            done = command(PROGRAM, "predict", "--cluster", "cluster.yaml", "--job", job, "--order", "hosts")
            return next(line for line in done.stdout.splitlines() if "between zones" in line)
        sorted_by_zone = [layouts.server(n) for n in range(1, 33)]
        self.assertIn("GB", cut(after))
        self.assertLess(self._bytes(cut(after)), self._bytes(cut(sorted_by_zone)))

    @staticmethod
    def _bytes(line):
        number, unit = line.split()[2:4]
        return float(number) * {"B": 1, "kB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12}[unit]

    def test_servers_that_stand_in_order_are_left_as_they_are(self):
        shown = salloc("-N12 -w n[21-32]", f"srun -v {SHOW}")
        self.assertEqual(order(shown.stdout), [layouts.server(n) for n in range(21, 33)])
        self.assertIn("zonecut: the order of ranks is left as it is: nothing is to be gained", shown.stderr)

    def test_rank_zero_goes_where_the_script_says_though_nothing_else_is_gained(self):
        shown = salloc("-N12 -w n[21-32]", f"export MASTER_ADDR=n25\nsrun {SHOW}")
        self.assertEqual(order(shown.stdout)[0], "n25")
        self.assertEqual((crossings(order(shown.stdout), self.layout.racks),
                          crossings(order(shown.stdout), self.layout.zones)), (3, 0))

    def test_several_tasks_on_a_server_stay_together(self):
        wanted = [name for name in intended(self.conf, "n[01-08]", 32, "--rank0", "n01", "--hold-rank0",
                                            "--job", "tp=4,pp=4", "--gpus-per-server", "4") for _ in range(4)]
        for options in ["--ntasks-per-node=4", "-n32", "-n32 -N8", "-n32 --gpus=32",
                        "-n32 --exact --gpus-per-task=1", "--ntasks-per-node=4 -c2 --exact"]:
            with self.subTest(options):
                shown = salloc("-N8 -w n[01-08] -c2 --ntasks-per-node=4 --gpus-per-node=4 --zonecut-job=tp=4,pp=4",
                               f"srun {options} {SHOW}")
                self.assertEqual(order(shown.stdout), wanted)
        shown = salloc("-N20 -w n[01-20] --ntasks-per-node=8 --gpus-per-node=8", f"srun {SHOW}")
        self.assertEqual(order(shown.stdout)[::8], intended(self.conf, "n[01-20]", 160, "--rank0", "n01",
                                                            "--hold-rank0"))

    def test_part_of_an_allocation_takes_servers_that_stand_together(self):
        shown = salloc("-N20 -w n[01-20]", f"srun -N8 {SHOW}")
        after = order(shown.stdout)
        self.assertEqual(after, intended(self.conf, "n[01-20]", 8, "--nodes", "8", "--rank0", "n01",
                                         "--hold-rank0"))
        self.assertEqual((crossings(after, self.layout.racks), crossings(after, self.layout.zones)), (2, 0))
        shown = salloc("-N20 -w n[01-20]", f"srun -n16 -N4 --overcommit {SHOW}")
        self.assertEqual(order(shown.stdout), [name for name in ["n01", "n06", "n11", "n16"] for _ in range(4)])

    def test_part_of_an_allocation_is_left_to_slurm_where_servers_may_differ(self):
        command("scontrol", "update", "NodeName=n[11-20]", "AvailableFeatures=big", "ActiveFeatures=big")
        self.addCleanup(command, "scontrol", "update", "NodeName=n[11-20]", "AvailableFeatures=", "ActiveFeatures=")
        shown = salloc("-N20 -w n[01-20]", f"srun -v -N4 -C big {SHOW}")
        self.assertIn("--constraint may fit only some of the servers", shown.stderr)
        self.assertEqual(order(shown.stdout), [layouts.server(n) for n in range(11, 15)])
        # GPUs of the whole job, which Slurm deals out unevenly.
        shown = salloc("-N4 -w n01,n02,n06,n11 --gpus=26", f"srun -v -N2 --gpus=16 --gpus-per-node=8 {SHOW}")
        self.assertIn("may fit only some of the servers", shown.stderr)
        self.assertEqual(len(order(shown.stdout)), 2)

    def test_part_of_an_allocation_is_ordered_where_servers_are_alike(self):
        wanted = intended(self.conf, "n[01-20]", 8, "--nodes", "8", "--rank0", "n01", "--hold-rank0")
        for job, step in [("--gpus-per-node=8", ""), ("--gpus-per-node=8", "--gpus-per-task=1"),
                          ("--gpus-per-node=8", "--gpus-per-node=4"), ("--mem=500", ""),
                          ("--mem=500", "--mem=100"), ("--mem-per-cpu=10 -c2", "--mem-per-cpu=5")]:
            with self.subTest(job=job, step=step):
                shown = salloc(f"-N20 -w n[01-20] {job}", f"srun -N8 {step} {SHOW}")
                self.assertEqual(order(shown.stdout), wanted)

    def test_a_launcher_on_each_server_finds_its_place_in_slurm_nodeid(self):
        shown = salloc("-N20 -w n[01-20] --gpus-per-node=8", f"srun {SHOW}")
        self.assertEqual([row[2] for row in tasks(shown.stdout)], list(range(20)))
        shown = salloc("-N20 -w n[01-20] --ntasks-per-node=2", f"srun {SHOW}")
        place = {name: i for i, name in enumerate(f"n{n:02}" for n in range(1, 21))}
        self.assertEqual([row[2] for row in tasks(shown.stdout)], [place[row[1]] for row in tasks(shown.stdout)])


class Settings(OnACluster):
    JOB = "tp=8,pp=4"

    def test_a_plain_srun_has_what_its_sbatch_was_given(self):
        job = sbatch(f"-N20 -w n[01-20] --zonecut-job={self.JOB}", f"srun {SHOW}")
        ended(self.cluster, job)
        wanted = intended(self.conf, "n[01-20]", 20, "--rank0", "n01", "--hold-rank0", "--job", self.JOB)
        self.assertEqual(order((RUN / f"batch-{job}").read_text()), wanted)
        self.assertNotEqual(wanted, intended(self.conf, "n[01-20]", 20, "--rank0", "n01", "--hold-rank0"))

    def test_an_option_is_over_the_environment_and_that_over_the_site(self):
        listed = [layouts.server(n) for n in range(1, 21)]
        cases = [("default=off", {}, "", False), ("default=off", {"SLURM_ZONECUT": "on"}, "", True),
                 ("default=off", {}, "--zonecut", True), ("default=on", {"SLURM_ZONECUT": "off"}, "", False),
                 ("", {"SLURM_ZONECUT": "off"}, "--zonecut=order", True), ("", {}, "--zonecut=off", False)]
        for site, environment, option, ordered in cases:
            with self.subTest(site=site, environment=environment, option=option):
                self.cluster.plugstack(plugstack(site))
                shown = salloc("-N20 -w n[01-20]", f"srun {option} {SHOW}", **environment)
                self.assertEqual(order(shown.stdout) != listed, ordered)

    def test_the_job_may_come_from_the_site_the_environment_or_a_file(self):
        wanted = intended(self.conf, "n[01-20]", 20, "--rank0", "n01", "--hold-rank0", "--job", self.JOB)
        self.cluster.plugstack(plugstack(f"job={self.JOB}"))
        self.assertEqual(order(salloc("-N20 -w n[01-20]", f"srun {SHOW}").stdout), wanted)
        self.cluster.plugstack(plugstack())
        shown = salloc("-N20 -w n[01-20]", f"srun {SHOW}", SLURM_ZONECUT_JOB=self.JOB)
        self.assertEqual(order(shown.stdout), wanted)
        (RUN / "job.yaml").write_text("parallelism: {tp: 8, pp: 4}\n")
        shown = salloc("-N20 -w n[01-20]", f"srun --zonecut-job={RUN}/job.yaml {SHOW}")
        self.assertEqual(order(shown.stdout), wanted)

    def test_a_job_file_is_found_from_any_folder(self):
        wanted = intended(self.conf, "n[01-20]", 20, "--rank0", "n01", "--hold-rank0", "--job", self.JOB)
        (RUN / "job.yaml").write_text("parallelism: {tp: 8, pp: 4}\n")
        (RUN / "elsewhere").mkdir(exist_ok=True)
        (RUN / "elsewhere/job.yaml").write_text("parallelism: {tp: 8}\n")
        text = f"cd elsewhere; srun {SHOW}; srun --zonecut-job=job.yaml {SHOW} > {RUN}/own"
        for method in ["options", "hostfile"]:
            for options, environment in [("--zonecut-job=job.yaml", {}), ("", {"SLURM_ZONECUT_JOB": "job.yaml"})]:
                with self.subTest(method=method, options=options):
                    self.cluster.plugstack(plugstack(f"method={method}"))
                    job = sbatch(f"-N20 -w n[01-20] {options}", text, "file", **environment)
                    ended(self.cluster, job)
                    self.assertEqual(order((RUN / f"file-{job}").read_text()), wanted)
                    self.assertNotEqual(order((RUN / "own").read_text()), wanted)

    def test_the_choice_of_the_user_wins(self):
        listed = [layouts.server(n) for n in range(1, 9)]
        (RUN / "hostfile").write_text("\n".join(reversed(listed)) + "\n")
        cases = {"-w n[01-08]": listed, "-m block": listed, "-m cyclic": listed, "-N4 -r 3": listed[3:7],
                 "-N4 -x n01": listed[1:5], f"-N4 -F {RUN}/names": listed[1:5],
                 "-m arbitrary -w " + ",".join(reversed(listed)): list(reversed(listed))}
        (RUN / "names").write_text("n02\nn03\nn04\nn05\n")
        for options, wanted in cases.items():
            with self.subTest(options):
                shown = salloc("-N8 -w n[01-08]", f"srun -v {options} {SHOW}")
                self.assertIn("zonecut: the order of ranks is left as it is: --", shown.stderr)
                self.assertEqual(order(shown.stdout), wanted)
        shown = salloc("-N8 -w n[01-08]", f"SLURM_HOSTFILE={RUN}/hostfile srun {SHOW}")
        self.assertEqual(order(shown.stdout), list(reversed(listed)))
        shown = salloc("-N8 -w n[01-08] -m block", f"srun -v {SHOW}")
        self.assertIn("--distribution is given", shown.stderr)

    def test_a_job_that_is_tried_only_is_not_tried_on_the_servers_of_this_one(self):
        for method in ["options", "hostfile"]:
            with self.subTest(method):
                self.cluster.plugstack(plugstack(f"method={method}"))
                shown = salloc("-N8 -w n[01-08] --exclusive", f"srun -v --test-only {SHOW}")
                told = next(line for line in shown.stderr.splitlines() if "to start at" in line)
                self.assertNotIn("n[01-08]", told)

    def test_nonsense_is_refused_when_it_is_typed(self):
        with self.assertRaisesRegex(AssertionError, 'found "sideways", expected on, off, order or place'):
            salloc("-N2 --zonecut=sideways", "true")
        self.cluster.plugstack(plugstack("defualt=off"))
        shown = salloc("-N20 -w n[01-20]", f"srun -v {SHOW}")
        self.assertIn('plugstack.conf: "defualt=off" is none of', shown.stderr)

    def test_without_the_options_of_srun_a_host_file_does_it(self):
        self.cluster.plugstack(plugstack("method=hostfile"))
        wanted = intended(self.conf, "n[01-20]", 20, "--rank0", "n01", "--hold-rank0")
        shown = salloc("-N20 -w n[01-20]", f"srun -v {SHOW}; srun -v -N4 {SHOW} > part 2> part.err")
        self.assertEqual(order(shown.stdout), wanted)
        self.assertEqual(order((RUN / "part").read_text()), [layouts.server(n) for n in range(1, 5)])
        self.assertIn("its command line may say a layout", (RUN / "part.err").read_text())
        shown = salloc("-N20 -w n[01-20] --ntasks-per-node=8", f"srun {SHOW}")
        self.assertEqual(len(order(shown.stdout)), 160)

    def test_a_host_file_follows_what_sbatch_was_given(self):
        self.cluster.plugstack(plugstack("method=hostfile"))
        first = ["--rank0", "n01", "--hold-rank0"]
        job = sbatch(f"-N20 -w n[01-20] --zonecut-job={self.JOB}",
                     f"srun {SHOW}; srun -v --zonecut-job=tp=4 {SHOW} > own 2> own.err; srun --zonecut=off -v {SHOW} "
                     "> off 2> off.err", "inherit")
        ended(self.cluster, job)
        wanted = intended(self.conf, "n[01-20]", 20, *first, "--job", self.JOB)
        self.assertEqual(order((RUN / f"inherit-{job}").read_text()), wanted)
        self.assertNotEqual(wanted, intended(self.conf, "n[01-20]", 20, *first))
        listed = [layouts.server(n) for n in range(1, 21)]
        for name, lines in [("own", 1), ("off", 0)]:
            self.assertEqual(order((RUN / name).read_text()), listed)
            said = (RUN / f"{name}.err").read_text()
            self.assertEqual(said.count("its command line gives --zonecut, which a host file comes too early for"), lines)

    def test_a_host_file_leaves_nothing_behind_however_srun_ends(self):
        self.cluster.plugstack(plugstack("method=hostfile"))
        (RUN / "files").mkdir(exist_ok=True)
        shown = salloc("-N20 -w n[01-20]", f"srun -v {SHOW} 2> said; srun --mem=nonsense {SHOW} || true",
                       TMPDIR=RUN / "files")
        self.assertNotEqual(order(shown.stdout), [layouts.server(n) for n in range(1, 21)])
        self.assertIn("the ranks are in order over 20 servers", (RUN / "said").read_text())
        self.assertIn("Invalid --mem", shown.stderr)
        self.assertEqual([path.name for path in [*(RUN / "files").iterdir(), *RUN.iterdir()]
                          if path.name.startswith("zonecut-hosts")], [])


class Jobs(OnACluster):
    def test_steps_at_once_take_different_servers_and_do_not_wait(self):
        # Each waits for all others to have started: one after the other they would never end.
        names = ["one", "two", "three", "four", "five"]
        wait = f"for i in $(seq 600); do [ $(ls {' '.join(names)} 2> none | wc -l) = 5 ] && exit; sleep 0.05; done; exit 1"
        steps = "".join(f"srun -N4 bash -c 'echo at $SLURM_PROCID $SLURMD_NODENAME $SLURM_NODEID - ; touch {name}; "
                        f"{wait}' > {name}.out & " for name in names)
        salloc("-N20 -w n[01-20]", f"rm -f {' '.join(names)}\n{steps}" + "".join(f"wait %{i}; " for i in range(1, 6)))
        servers = [order((RUN / f"{name}.out").read_text()) for name in names]
        self.assertEqual({name for step in servers for name in step}, {layouts.server(n) for n in range(1, 21)})
        # Five racks of four, and each step has one to itself.
        self.assertEqual([crossings(step, self.layout.racks) for step in servers], [0] * 5)

    def test_a_step_that_waits_for_servers_does_not_keep_others_from_being_ordered(self):
        text = f"""
            until_there() {{ for i in $(seq 600); do "$@" && return; sleep 0.05; done; exit 1; }}
            srun -N10 bash -c 'touch started; for i in $(seq 600); do [ -e over ] && exit; sleep 0.05; done; exit 1' &
            until_there test -e started
            srun -v -N16 {SHOW} > late 2> late.err &
            until_there grep -q 'fewer servers are free than it needs' late.err
            srun -v -N4 {SHOW} > between 2> between.err
            touch over; wait %1; wait %2"""
        (RUN / "over").unlink(missing_ok=True)
        salloc("-N20 -w n[01-20]", text)
        self.assertIn("the ranks are in order over 4 servers", (RUN / "between.err").read_text())
        self.assertEqual(len(order((RUN / "between").read_text())), 4)
        self.assertEqual(len(order((RUN / "late").read_text())), 16)

    def test_every_element_of_an_array_is_ordered_on_its_own_servers(self):
        job = sbatch("-N10 --array=1-3 --exclusive", f"echo list $SLURM_JOB_NODELIST; srun {SHOW}", "array")
        for element in "123":
            until(lambda e=element: self.cluster.state(f"{job}_{e}").get("JobState") == "COMPLETED", "the array")
            text = (RUN / f"array-{job}_{element}").read_text()
            listed = next(line.split()[1] for line in text.splitlines() if line.startswith("list "))
            first = command("scontrol", "show", "hostnames", listed).stdout.split()[0]
            self.assertEqual(order(text), intended(self.conf, listed, 10, "--rank0", first, "--hold-rank0"))

    def test_a_job_that_is_queued_again_is_ordered_again(self):
        job = sbatch("-N20 -w n[01-20] --requeue --open-mode=append",
                     f"srun {SHOW} > run-$SLURM_RESTART_COUNT\n"
                     "[ -n \"$SLURM_RESTART_COUNT\" ] || { scontrol requeue $SLURM_JOB_ID; sleep 60; }", "again")
        until(lambda: (RUN / "run-").exists(), "the first run")
        until(lambda: self.cluster.state(job).get("JobState") == "PENDING", "the job to be queued again")
        self.cluster.wait_idle()
        # A job that was queued again waits for two minutes unless its begin is set; and slurmd takes a start
        # within the second of the cancellation for the cancelled one.
        time.sleep(1.1)
        command("scontrol", "update", f"JobId={job}", "StartTime=now")
        ended(self.cluster, job)
        wanted = intended(self.conf, "n[01-20]", 20, "--rank0", "n01", "--hold-rank0")
        self.assertEqual(order((RUN / "run-").read_text()), wanted)
        self.assertEqual(order((RUN / "run-1").read_text()), wanted)

    def test_heterogeneous_jobs_and_steps_are_left_as_they_are(self):
        shown = command("salloc", "-Q", "-N4", ":", "-N4", "srun", "-v", "--het-group=0,1", *["bash", "-c", "true"])
        self.assertIn("left as it is: it is heterogeneous", shown.stderr)
        shown = salloc("-N8", f"srun -v -N4 {SHOW} : -N4 {SHOW}")
        self.assertEqual(len(tasks(shown.stdout)), 8)
        self.assertIn("left as it is: it is heterogeneous", shown.stderr)

    def test_a_step_on_one_server_asks_nobody(self):
        self.cluster.plugstack(plugstack(program="/nowhere"))
        shown = salloc("-N4", f"srun -v -N1 -n1 {SHOW}")
        self.assertNotIn("zonecut", shown.stderr)

    def test_outside_an_allocation_it_is_said_what_to_use(self):
        shown = command("srun", "-v", "-N4", "true")
        self.assertIn("srun is not inside an allocation; use sbatch or salloc", shown.stderr)

    def test_programs_of_one_step_go_with_their_ranks(self):
        (RUN / "programs").write_text(f"0-9 {SHOW}\n10-19 {SHOW}\n")
        shown = salloc("-N20 -w n[01-20]", f"srun --multi-prog {RUN}/programs")
        self.assertEqual(order(shown.stdout), intended(self.conf, "n[01-20]", 20, "--rank0", "n01", "--hold-rank0"))


if __name__ == "__main__":
    unittest.main(verbosity=1)
