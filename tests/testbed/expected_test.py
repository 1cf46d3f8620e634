"""zonecut's expected values beside hashed.py, an independent model of random hashing: all orders of
both layouts, and a ring in one zone with few connections. Needs no namespaces.

usage: expected_test.py [DRAWS]; 400 draws without. ZONECUT names the program.
"""
import sys
import tempfile
from statistics import mean

import hashed
import story
from layout import WIRE, even, uneven
from orders import ORDERS, Case
from workloads import Phase, Workload, workloads

APART = 0.05  # at most, of any one; the error of a mean of 400 draws is up to 1.3 % of it
APART_IN_THE_MEAN = 0.015


def compared(name, case, workload, hosts, *routing):
    """(name, seconds that zonecut expects, those of random hashing)."""
    ours = case.expected(hosts, "--routing", *routing) * WIRE
    theirs, _, _ = hashed.expected(case.layout, workload, hosts)
    print(f"{name:60} {ours:7.3f} s  {theirs:7.3f} s  {ours / theirs:.3f}", flush=True)
    return name, ours, theirs


def orders_compared(folder):
    for layout in (even(), uneven()):
        for workload in workloads():
            case = Case(layout, workload, folder)
            for order in ORDERS:
                yield compared(f"{layout.name}, {workload.name}, {order}", case, workload, case.order(order), "ecmp")


def rings_compared(folder):
    for step in story.steps():
        if "ecmp" in step.scheme:
            workload = Workload("ring", (Phase("ring", "stripes", 16, 1, story.BYTES, step.connections),))
            routing = [step.scheme, *(["--queue-pairs", str(step.connections)] if step.scheme == "e-ecmp" else [])]
            yield compared(step.name, Case(step.layout, workload, folder), workload, step.hosts, *routing)


def main():
    hashed.DRAWS = int(sys.argv[1]) if len(sys.argv) > 1 else 400
    print(f"{'':60} {'zonecut':>9}  {'random':>9}  ratio")
    with tempfile.TemporaryDirectory() as folder:
        found = [*orders_compared(folder), *rings_compared(folder)]
    ratios = [ours / theirs for _, ours, theirs in found]
    off = mean(abs(ratio - 1) for ratio in ratios)
    print(f"ratios {min(ratios):.3f} to {max(ratios):.3f}, {off:.2%} off in the mean")
    assert all(abs(ratio - 1) <= APART for ratio in ratios)
    assert off <= APART_IN_THE_MEAN


main()
