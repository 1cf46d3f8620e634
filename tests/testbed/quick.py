"""The check that tests/run makes: a few orders and workloads, generous limits."""
import time

import measuring
import mpi
from layout import even
from namespaces import Fabric
from workloads import workloads

LIMIT = 0.25        # of a measured time against the exact prediction
APART = 0.20        # orders whose predictions differ by more must be measured in that order
STRAY = 0.05        # of a link's bytes against the paths that the kernel named
ATTEMPTS = 3        # a machine under load may disturb a measurement
SECONDS = 32        # no further attempt after this


def off(run):
    return abs(run.ratio() - 1) > LIMIT


def check():
    """0 where all predictions hold; the exit code of a failure otherwise."""
    begin = time.monotonic()
    layout = even()
    mpi.prepare(layout)
    chosen = [w for w in workloads(scale=0.3) if w.name in ("ring-heavy", "mixed")]
    failures = []
    with Fabric(layout) as fabric:
        for workload in chosen:
            runs = []
            for name in ("zonecut", "random"):
                for attempt in range(1, ATTEMPTS + 1):
                    run = measuring.measure(fabric, workload, name, repetitions=2)
                    print(run.line(), flush=True)
                    if not off(run) or time.monotonic() - begin > SECONDS:
                        break
                    if attempt < ATTEMPTS:
                        print("  more than 25 % off: measured again, in case the machine was busy", flush=True)
                runs.append(run)
            failures += [f"{run.line()}: more than {LIMIT:.0%} off" for run in runs if off(run)]
            failures += [f"{run.line()}: not the paths that the kernel named" for run in runs if run.stray > STRAY]
            failures += [f"{a.line()} is not faster than {b.line()}" for a in runs for b in runs
                         if a.predicted() * (1 + APART) < b.predicted() and a.measured() >= b.measured()]
    for failure in failures:
        print(f"FAILED: {failure}")
    print(f"{time.monotonic() - begin:.0f} s")
    return 1 if failures else 0
