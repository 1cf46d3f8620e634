"""Two jobs on one link between zones: how much each slows the other, predicted and measured, and
avoided by a placement that knows of the other job.

Four zones of one rack of 4 hosts, each with a single cable up to the ATSW. The first job runs on two
hosts of zones 1 and 2; of every zone two hosts are free or held by others, so the second job, of 4
ranks, needs two zones as well.
"""
import json
import pathlib
import subprocess
import time
from dataclasses import dataclass
from statistics import mean

import mpi
from layout import Layout
from namespaces import Fabric
from orders import ZONECUT
from workloads import Phase, Workload

FIRST = ["h01", "h02", "h05", "h06"]
OTHERS = ["h11", "h12", "h15", "h16"]   # held by a job that sends nothing
ALONE, BESIDE = 4, 10                   # repetitions
ENDLESS = 1000                          # repetitions of the first job, which is ended before


def four_zones():
    return Layout("four zones", [[4]] * 4, zone_switches=1, zone_uplinks=1, top_switches=1)


def jobs():
    """Pairs (first job, second job)."""
    ring = Phase("ring", "allreduce", 4, 1, 2_400_000)
    exchange = Phase("exchange", "alltoall", 4, 1, 3_200_000)
    pairs = [(ring, ring), (ring, exchange), (exchange, ring), (exchange, exchange)]
    return [(Workload("first", (a,), 4), Workload("second", (b,), 4)) for a, b in pairs]


class Files:
    """What zonecut is told: the cluster, the two jobs, and who holds what."""

    def __init__(self, layout, first, second):
        self.at = pathlib.Path("/run/tmp/beside")
        self.at.mkdir(exist_ok=True)
        texts = {"cluster.yaml": layout.cluster_file(), "first.yaml": first.job_file(),
                 "second.yaml": second.job_file(),
                 "held.yaml": self._state(""), "known.yaml": self._state("    traffic: {job: first.yaml}\n")}
        for name, text in texts.items():
            (self.at / name).write_text(text, encoding="ascii")

    @staticmethod
    def _state(traffic):
        return (f"format: state/v1\njobs:\n  - name: first\n    servers: [{', '.join(FIRST)}]\n{traffic}"
                f"  - name: others\n    servers: [{', '.join(OTHERS)}]\n")

    def zonecut(self, command, *words):
        given = [command, "--cluster", self.at / "cluster.yaml", "--job", self.at / "second.yaml", *words]
        return subprocess.run([ZONECUT, *given], stdout=subprocess.PIPE, text=True, check=True).stdout

    def place(self, state):
        hosts = self.zonecut("place", "--state", self.at / state, "--format", "hostfile")
        return [line.split()[0] for line in hosts.splitlines()]

    def predict(self, order):
        hosts = self.at / "order"
        hosts.write_text("\n".join(order) + "\n", encoding="ascii")
        return json.loads(self.zonecut("predict", "--state", self.at / "known.yaml", "--order", hosts, "--json"))


@dataclass
class Pair:
    """Two jobs at once: for each (predicted alone, predicted beside, measured alone, measured beside)."""
    names: tuple
    placement: str
    hosts: list
    first: tuple
    second: tuple


def alone(order, workload):
    _, times = mpi.measure(order, workload.phases, ALONE)
    return sum(map(mean, times))


def together(first, second, order):
    """Mean seconds of an iteration of both, the first one's counted while the second one runs."""
    with mpi.Launch(FIRST, first.phases, ENDLESS, "order-1") as one, \
            mpi.Launch(order, second.phases, BESIDE, "order-2") as two:
        one.go()
        while not one.took:     # it is under way
            time.sleep(0.01)
        begin = time.monotonic()
        two.go()
        if not two.finish():
            raise RuntimeError(two.complaint())
        end = two.took[-1][0]
        during = [seconds for at, _, seconds in one.took if begin + seconds < at <= end]
        return mean(during), mean(seconds for _, _, seconds in two.took)


def measure_pairs():
    layout, pairs = four_zones(), []
    mpi.name_hosts(layout)
    with Fabric(layout):
        for first, second in jobs():
            files = Files(layout, first, second)
            first_alone = alone(FIRST, first)
            for placement, state in (("unaware", "held.yaml"), ("aware", "known.yaml")):
                order = files.place(state)
                predicted, second_alone = files.predict(order), alone(order, second)
                metrics, disturbed = predicted["metrics"], predicted["disturbed"][0]
                measured = together(first, second, order)
                pairs.append(Pair(
                    (first.phases[0].name, second.phases[0].name), placement, order,
                    (disturbed["alone_seconds"], disturbed["beside_seconds"], first_alone, measured[0]),
                    (metrics["undisturbed_seconds"], metrics["communication_seconds"], second_alone, measured[1])))
                print(pairs[-1], flush=True)
    return pairs


def pairs_table(pairs):
    """Markdown."""
    lines = ["| first job | second job | placement | first: measured | predicted | measured / that "
             "| second: measured | predicted | measured / that |", "|---|---|---|---|---|---|---|---|---|"]
    for pair in pairs:
        cells = []
        for lone, beside, seen_lone, seen in (pair.first, pair.second):
            cells += [f"{seen:.2f} s ({seen_lone:.2f} alone)", f"{beside:.2f} s ({lone:.2f})", f"{seen / beside:.2f}"]
        lines.append(f"| {pair.names[0]} | {pair.names[1]} | {pair.placement}: {' '.join(pair.hosts)} | "
                     + " | ".join(cells) + " |")
    return "\n".join(lines)
