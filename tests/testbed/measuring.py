"""One measured run: an order and a workload on a fabric that stands, beside its predictions."""
from dataclasses import dataclass
from statistics import median

import hashed
import mpi
from layout import WIRE
from orders import Case
from paths import paths_of


@dataclass
class Run:
    layout: object
    workload: object
    order: str
    exact: list       # seconds of each phase on the paths that the kernel gave
    expected: float   # seconds of all as zonecut expects them
    drawn: tuple      # hashed.expected(), or None
    times: list       # of each phase, its measured repetitions
    stray: float      # largest error of the bytes foreseen on a link, as a share of the busiest link's

    def predicted(self):
        return sum(self.exact)

    def measured(self):
        return sum(map(median, self.times))

    def ratio(self):
        """Measured over exact."""
        return self.measured() / self.predicted()

    def phase_ratios(self):
        return [median(times) / exact for times, exact in zip(self.times, self.exact)]

    def line(self):
        return (f"{self.layout.name}, {self.workload.name}, {self.order}: measured {self.measured():.2f} s, "
                f"on its paths {self.predicted():.2f} s (ratio {self.ratio():.2f}), "
                f"zonecut expects {self.expected:.2f} s; bytes of a link within {self.stray:.1%}")


def measure(fabric, workload, order, repetitions=3, hosts=None, predict=(), draw=False):
    """order: a name of orders.ORDERS, or any label where hosts are given. predict: options for
    zonecut predict; plain ECMP without. draw: whether to expect by hashed.py, too."""
    layout = fabric.layout
    case = Case(layout, workload)
    hosts = hosts or case.order(order)

    def connected():
        return paths_of(layout, workload.pairs(hosts)), fabric.sent_bytes()

    (paths, before), times = mpi.measure(hosts, workload.phases, repetitions, connected)
    after = fabric.sent_bytes()
    foreseen = {}
    for phase in workload.phases:
        once = workload.loads(hosts, paths, phase.steps(workload.ranks), phase.kind == "stripes")
        for end, size in once.items():
            count = phase.times if phase.kind in ("chain", "back") else 1
            foreseen[end] = foreseen.get(end, 0) + size * count * repetitions * WIRE
    stray = max(abs(after[end] - before[end] - foreseen.get(end, 0)) for end in after) / max(foreseen.values())
    return Run(layout, workload, order, workload.exact(hosts, paths, layout.rates()),
               case.expected(hosts, *predict), hashed.expected(layout, workload, hosts) if draw else None, times, stray)
