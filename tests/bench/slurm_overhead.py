#!/usr/bin/env python3
"""What the Slurm plugin adds to an srun inside a real allocation: medians over sruns with and without it.

usage: ZONECUT=FILE ZONECUT_SPANK=FILE tests/slurm/run ../bench/slurm_overhead.py [SERVERS…]
32 and 256 servers unless given.
The sruns only test (--test-only): everything is done but the launch, whose noise on one host is larger than
what is measured.
ZONECUT names the program, ZONECUT_SPANK the plugin. The budget is 30 ms on 32 servers and 150 ms on 256.
"""
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "slurm"))
import layouts  # noqa: E402
from cluster import Cluster  # noqa: E402

PAIRS = 20
BUDGET = {32: 30, 256: 150}


def layout(servers):
    """Four zones of alike racks of eight, names going round the racks."""
    width, racks = max(2, len(str(servers))), servers // 8
    names = {f"r{i}": [f"n{n:0{width}}" for n in range(1, servers + 1) if n % racks == i] for i in range(racks)}
    zones = {f"z{i}": [f"r{n}" for n in range(racks) if n % 4 == i] for i in range(min(4, racks))}
    return layouts.Layout(zones, names)


def measure(words):
    """Seconds of a finished process, and those of them that it and its children computed."""
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    computed = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return time.perf_counter() - begin, computed


def inside(servers):
    """Runs inside the allocation: prints medians in milliseconds."""
    cases = {"plugin absent": [], "left alone (--zonecut=off)": ["--zonecut=off"],
             "a ring": ["--zonecut=on"], "tp=8,pp=4": ["--zonecut-job=tp=8,pp=4"]}
    lines = {name: [] for name in cases}
    loaded = pathlib.Path("/run/slurm/plugstack.conf").read_text()
    for _ in range(PAIRS):
        for name, options in cases.items():
            pathlib.Path("/run/slurm/plugstack.conf").write_text(loaded if options else "")
            lines[name].append(measure(["srun", "--test-only", *options, "true"]))
    print(f"{servers} servers, {PAIRS} sruns each, one task a server; load {os.getloadavg()[0]:.1f}")
    base = [statistics.median(column) * 1e3 for column in zip(*lines["plugin absent"])]
    for name, measured in lines.items():
        wall, computed = [statistics.median(column) * 1e3 for column in zip(*measured)]
        print(f"  {name:28} {wall:7.1f} ms   added {wall - base[0]:6.1f} ms (computing {computed - base[1]:6.1f} ms)"
              f"   budget {BUDGET.get(servers, '-')} ms")


def main():
    if len(sys.argv) == 3 and sys.argv[1] == "--inside":
        return inside(int(sys.argv[2]))
    missing = [name for name in ("ZONECUT", "ZONECUT_SPANK") if not os.path.isfile(os.environ.get(name, ""))]
    if missing:
        sys.exit(f"{', '.join(missing)}: no such file; name the built program and plugin\n\n{__doc__}")
    for servers in [int(word) for word in sys.argv[1:]] or [32, 256]:
        with Cluster(servers, layout(servers).conf) as cluster:
            cluster.plugstack(f"optional {os.environ['ZONECUT_SPANK']} program={os.environ['ZONECUT']} timeout=20000\n")
            subprocess.run(["salloc", "-Q", f"-N{servers}", sys.executable, "-B", __file__, "--inside", str(servers)],
                           check=True)
        subprocess.run(["umount", "/etc/hosts"], check=True)
        subprocess.run(["ip", "addr", "del", "10.255.0.1/32", "dev", "lo"], check=True)
        cluster.run.rename(f"/run/slurm-{servers}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
