"""A queue of 200 jobs on 256 servers, whose placer is killed 50 times at random moments, whose slurmctld is started
again and of whose servers one is lost: every job runs, and none is stuck."""
import pathlib
import random
import subprocess
import time
import unittest

import layouts
from cluster import Cluster, until
from jobs import PROGRAM, command, plugstack, queue_of, records, sbatch

RUN = pathlib.Path("/run/tmp")
LAYOUT = layouts.large()
CLUSTER = Cluster(256, LAYOUT.conf, requeue_after=15)
JOBS, KILLS, SEED = 200, 50, 1
LOG = RUN / "placer.log"
DONE = "ran to its end"
LONGEST = 3  # seconds that a job takes, its launch included


def setUpModule():
    CLUSTER.__enter__()
    unittest.addModuleCleanup(CLUSTER.__exit__)


class Queue(unittest.TestCase):
    def test_every_job_runs(self):
        CLUSTER.plugstack(plugstack())
        chance = random.Random(SEED)
        asked = set()
        for number, (nodes, seconds) in enumerate(queue_of(JOBS, SEED)):
            text = f"sleep {seconds}\necho {DONE}"
            if number % 5 == 4:  # one in five lets Slurm choose
                sbatch(f"-N{nodes} -t 2 --gpus-per-node=8", text, f"job{number}")
            else:
                asked.add(int(sbatch(f"-N{nodes} -t 2 --gpus-per-node=8 --zonecut=place --zonecut-job=tp=8,zero=3",
                                     text, f"job{number}")))
        self.torment(chance)
        with LOG.open("a") as log, subprocess.Popen([PROGRAM, "slurm-placer", "--interval", "0.2"], stderr=log) as last:
            try:
                until(lambda: not command("squeue", "-h").stdout, "every job to end", self.explain, seconds=180)
            finally:
                last.terminate()
        self.check(asked)

    @staticmethod
    def explain():
        return "".join([command("sinfo").stdout, command("squeue", "-o", "%i %T %D %r %N | %n").stdout,
                        LOG.read_text()[-3000:], CLUSTER.logs()])

    def torment(self, chance):
        for kill in range(KILLS):
            with LOG.open("a") as log, subprocess.Popen([PROGRAM, "slurm-placer", "--interval", "0.05"],
                                                        stderr=log) as placer:
                time.sleep(chance.uniform(0, 0.5))
                placer.kill()
            if kill == 20:
                away = time.time()
                CLUSTER.stop_controller()
                CLUSTER.start_controller()
                self.away = (away - LONGEST, time.time() + 1)
            if kill == 30:
                CLUSTER.kill("n100")
                command("scontrol", "update", "NodeName=n100", "State=down", "Reason=test")

    def was_away(self, job):
        """Whether slurmctld stopped and started while the job ran, or was to."""
        started = time.mktime(time.strptime(job["StartTime"], "%Y-%m-%dT%H:%M:%S"))
        return self.away[0] - 1 <= started <= self.away[1]

    @staticmethod
    def ran(number):
        return any(DONE in path.read_text() for path in RUN.glob(f"job*-{number}"))

    def check(self, asked):
        jobs = records()
        self.assertEqual(len(jobs), JOBS)
        # What was begun or ended just when slurmctld stopped, slurmctld may not know of: it then waits for its limit.
        odd = {number: (job["JobState"], job["StartTime"], self.ran(number)) for number, job in jobs.items()
               if not (job["JobState"] == "COMPLETED" and self.ran(number))
               and not (job["JobState"] == "TIMEOUT" and self.was_away(job))}
        # One that the lost server ran, or that slurmctld had no time to launch, waits and runs anew.
        self.assertEqual(odd, {}, self.away)
        placed = [number for number in asked if jobs[number]["order"]]
        for number in placed:
            self.assertEqual(sorted(jobs[number]["order"]), sorted(jobs[number]["servers"]), number)
        self.assertGreater(len(placed), 0.9 * len(asked))
        self.assertEqual([number for number in jobs if number not in asked and jobs[number]["order"]], [])
        zones = [len({LAYOUT.zones[name] for name in jobs[number]["servers"]}) for number in placed]
        print(f"{len(placed)} of {len(asked)} jobs placed; {zones.count(1)} in one zone, {zones.count(2)} in two, "
              f"{zones.count(3)} in three; {sum(job['Restarts'] != '0' for job in jobs.values())} began anew")


if __name__ == "__main__":
    unittest.main(verbosity=1)
