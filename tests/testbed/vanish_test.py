#!/usr/bin/env python3
"""The testbed's runner is killed with kill -9 in the middle of a measurement: nothing is left.

Exit code 77 where the testbed itself would skip.
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
    """What the machine shows of itself: links, namespaces with names, mounts."""
    shown = [subprocess.run(words, capture_output=True, text=True, check=False).stdout
             for words in (["ip", "-br", "link"], ["ip", "netns", "list"])]
    mounts = pathlib.Path("/proc/self/mounts").read_text(encoding="utf-8")
    return [*shown, mounts, pathlib.Path("/etc/hosts").read_text(encoding="utf-8")]


def main():
    before = outside() if subprocess.run(["which", "ip"], capture_output=True, check=False).returncode == 0 else None
    with subprocess.Popen([HERE / "run", "--quick"], stdout=subprocess.DEVNULL) as runner:
        deadline = time.monotonic() + SECONDS
        ours = {}
        # mpirun, the daemons of 16 hosts and their ranks: then a collective is under way.
        while sum(name == "testbed" for _, name, _ in ours.values()) < 16:
            if runner.poll() is not None or time.monotonic() > deadline:
                print(f"no measurement started; the runner's exit code is {runner.poll()}")
                runner.kill()
                sys.exit(77 if runner.returncode == 77 else 1)
            time.sleep(0.1)
            ours = below(runner.pid)
        time.sleep(0.5)
        ours = below(runner.pid)
        runner.send_signal(signal.SIGKILL)
    killed = time.monotonic()
    left = left_of(ours)
    print(f"{len(ours)} processes under the runner, {len(left)} left {time.monotonic() - killed:.1f} s after kill -9")
    if left:
        sys.exit(f"left behind: {left}")
    if outside() != before:
        sys.exit("links, namespaces, mounts or /etc/hosts of the machine have changed")


if __name__ == "__main__":
    main()
