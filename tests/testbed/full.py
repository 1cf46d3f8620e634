"""Measures everything and writes the tables of docs/testbed.md."""
import os
import pathlib

import beside
import mpi
import story
import tables
from layout import even, uneven
from measuring import measure
from namespaces import Fabric
from orders import ORDERS
from workloads import workloads

DOCUMENT = pathlib.Path(__file__).resolve().parents[2] / "docs" / "testbed.md"


def measure_orders(launches, kept):
    """Every layout, workload and order, so many launches each."""
    runs = []
    for layout in (even(), uneven()):
        mpi.name_hosts(layout)
        with Fabric(layout) as fabric:
            for workload in workloads():
                for order in ORDERS:
                    for launch in range(launches):
                        runs.append(kept.get((layout.name, workload.name, order, launch),
                                             lambda: measure(fabric, workload, order, draw=True)))
                        print(runs[-1].line(), flush=True)
    return runs


def write(launches, kept):
    def load(when):
        return kept.get(f"load {when}", lambda: os.getloadavg()[0])

    busy = [load("at the beginning")]
    mpi.prepare(even())
    runs = measure_orders(launches, kept)
    busy.append(load("after the orders"))
    told = story.tell(2 * launches, kept)
    pairs = kept.get("pairs", beside.measure_pairs)
    busy.append(load("at the end"))
    how = (f"Measured by `tests/testbed/run --launches {launches}` on {os.cpu_count()} cores, Linux "
           f"{os.uname().release.split('-')[0]}, {launches} launches of each order and {2 * launches} of each routing "
           f"step, each time the median of three repetitions; the machine's load average was "
           f"{', '.join(f'{b:.1f}' for b in busy)} at the beginning, after the orders and at the end.")
    tables.replace(DOCUMENT, {"how": how, "accuracy": tables.accuracy(runs, [r for _, all_ in told for r in all_]),
                              "times": tables.times(runs), "speed-up": tables.speed_up(runs),
                              "routing": story.story_table(told), "two jobs": beside.pairs_table(pairs)})
    return 0
