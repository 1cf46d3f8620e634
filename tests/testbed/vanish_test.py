#!/usr/bin/env python3
"""The testbed's runner is killed with kill -9 in the middle of a measurement: nothing is left."""
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(HERE.parent / "support"))
import vanishing  # noqa: E402


def outside():
    """What the machine shows of itself: links, namespaces with names, mounts."""
    shown = [subprocess.run(words, capture_output=True, text=True, check=False).stdout
             for words in (["ip", "-br", "link"], ["ip", "netns", "list"]) if shutil.which("ip")]
    return shown + [pathlib.Path(name).read_text(encoding="utf-8") for name in ("/proc/self/mounts", "/etc/hosts")]


if __name__ == "__main__":
    # mpirun, the daemons of 16 hosts and their ranks: then a collective is under way.
    vanishing.check([HERE / "run", "--quick"], "testbed", 16, outside)
