"""The check that tests/run makes: a few orders, workloads and routes, with generous limits."""
import time

import mpi
import story
from kept import Kept
from layout import even
from measuring import measure
from namespaces import Fabric
from workloads import workloads

LIMIT = 0.25        # of a measured time against the exact prediction
APART = 0.20        # runs whose predictions differ by more must be measured in that order
STRAY = 0.05        # of a link's bytes against the paths that the kernel named
ATTEMPTS = 3        # a machine under load may disturb a measurement
SECONDS = 26        # no further attempt after this


class Check:
    """Measures with further attempts, and collects what does not hold."""

    def __init__(self):
        self.begin, self.failures = time.monotonic(), []

    def elapsed(self):
        return time.monotonic() - self.begin

    def run(self, once):
        """The run that once() returns, or a later attempt's where that is too far off."""
        for attempt in range(1, ATTEMPTS + 1):
            run = once()
            print(run.line(), flush=True)
            if abs(run.ratio() - 1) <= LIMIT:
                break
            if attempt == ATTEMPTS or self.elapsed() > SECONDS:
                self.failures.append(f"{run.line()}: more than {LIMIT:.0%} off")
                break
            print(f"  more than {LIMIT:.0%} off: measured again, in case the machine was busy", flush=True)
        if run.stray > STRAY:
            self.failures.append(f"{run.line()}: not the paths that the kernel named")
        return run

    def ranking(self, runs):
        self.failures += [f"{a.line()} is not faster than {b.line()}" for a in runs for b in runs
                          if a.predicted() * (1 + APART) < b.predicted() and a.measured() >= b.measured()]


def check():
    """0 where all predictions hold; the exit code of a failure otherwise."""
    checked, layout = Check(), even()
    mpi.prepare(layout)
    with Fabric(layout) as fabric:
        for workload in workloads(scale=0.3):
            if workload.name in ("ring-heavy", "mixed"):
                checked.ranking([checked.run(lambda: measure(fabric, workload, order, repetitions=2))
                                 for order in ("zonecut", "random")])
    pinned = [step for step in story.steps() if step.name in story.PINNED]
    checked.ranking([checked.run(lambda: story.run_step(step, 1, Kept())[0]) for step in pinned])
    for failure in checked.failures:
        print(f"FAILED: {failure}")
    print(f"{checked.elapsed():.0f} s")
    return 1 if checked.failures else 0
