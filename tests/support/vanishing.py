"""A runner is killed with kill -9 in the middle of its work: whether anything of it is left."""
import signal
import subprocess
import sys
import time

from processes import below, left_of

SECONDS = 60


def check(command, name, count, outside):
    """Starts the command, waits for `count` processes of this name below it, kills it, and exits with what it finds.

    outside() tells what the machine shows of itself; it must be the same afterwards. Exit code 77 where the command
    itself skips.
    """
    before, ours = outside(), {}
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as runner:
        deadline = time.monotonic() + SECONDS
        while sum(each == name for _, each, _ in ours.values()) < count:
            if runner.poll() is not None or time.monotonic() > deadline:
                print(f"no {count} processes {name}; the runner's exit code is {runner.poll()}")
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
        sys.exit("the machine does not show what it showed before")
