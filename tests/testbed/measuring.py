"""One measured run: an order and a workload on a fabric that stands, beside its predictions."""
from dataclasses import dataclass
from statistics import median

import mpi
from orders import Case
from paths import paths_of


@dataclass
class Run:
    layout: object
    workload: object
    order: str
    hosts: list
    exact: list       # seconds of each phase on the paths that the kernel gave
    expected: float   # seconds of all as zonecut expects them
    times: list       # of each phase, its measured repetitions

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
                f"zonecut expects {self.expected:.2f} s")


def measure(layout, workload, order, repetitions=3, routing=(), hosts=None):
    """order: a name of orders.ORDERS, or any label where hosts are given."""
    case = Case(layout, workload)
    hosts = hosts or case.order(order)
    paths, times = mpi.measure(hosts, workload.phases, repetitions,
                               lambda: paths_of(layout, workload.pairs(hosts)))
    exact = workload.exact(hosts, paths, layout.rates())
    return Run(layout, workload, order, hosts, exact, case.expected(hosts, *routing), times)
