#!/usr/bin/env python3
"""A test on a cluster is killed with kill -9 while a step runs: nothing of the cluster is left."""
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(HERE.parent / "support"))
import vanishing  # noqa: E402


def outside():
    """What the machine shows of itself that a cluster could have touched."""
    names = ["/proc/self/mounts", "/etc/hosts", "/proc/sys/kernel/hostname"]
    return [pathlib.Path(name).read_text(encoding="utf-8") for name in names] + sorted(
        path.name for folder in ["/etc/slurm", "/run/slurm", "/run/munge", "/var/spool/slurmd"]
        for path in pathlib.Path(folder).glob("*"))


if __name__ == "__main__":
    # The step's tasks: then the whole cluster is at work.
    vanishing.check([HERE / "run", "stay.py"], "sleep", 8, outside)
