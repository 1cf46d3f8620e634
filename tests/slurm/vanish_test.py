#!/usr/bin/env python3
"""A test on a cluster is killed with kill -9 while a step runs: nothing of the cluster is left.

Exit code 77 where the cluster itself would skip.
"""
import pathlib
import signal
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(HERE.parent / "support"))
from processes import below, left_of  # noqa: E402

SECONDS = 60


def outside():
    """What the machine shows of itself that a cluster could have touched."""
    names = ["/proc/self/mounts", "/etc/hosts", "/proc/sys/kernel/hostname"]
    return [pathlib.Path(name).read_text(encoding="utf-8") for name in names] + sorted(
        path.name for folder in ["/etc/slurm", "/run/slurm", "/run/munge", "/var/spool/slurmd"]
        for path in pathlib.Path(folder).glob("*"))


def main():
    before, ours = outside(), {}
    with subprocess.Popen([HERE / "run", "stay.py"], stdout=subprocess.DEVNULL) as runner:
        deadline = time.monotonic() + SECONDS
        # The step's tasks: then the whole cluster is at work.
        while sum(name == "sleep" for _, name, _ in ours.values()) < 8:
            if runner.poll() is not None or time.monotonic() > deadline:
                print(f"no step started; the runner's exit code is {runner.poll()}")
                runner.kill()
                sys.exit(77 if runner.returncode == 77 else 1)
            time.sleep(0.1)
            ours = below(runner.pid)
        runner.send_signal(signal.SIGKILL)
    left = left_of(ours)
    print(f"{len(ours)} processes under the runner, {len(left)} left after kill -9")
    if left:
        sys.exit(f"left behind: {left}")
    if outside() != before:
        sys.exit("mounts, host name, /etc/hosts or Slurm's own folders of the machine have changed")


if __name__ == "__main__":
    main()
