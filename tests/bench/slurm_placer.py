#!/usr/bin/env python3
"""What placing does to a queue: the same jobs on 256 servers with Slurm's own choice and with the placer's.

usage: ZONECUT=FILE ZONECUT_SPANK=FILE tests/slurm/run ../bench/slurm_placer.py [JOBS]
First one job at a time that no zone holds, on a cluster half of whose servers others have: what it sends between zones.
Then 200 jobs unless given, all submitted at once, which fill the cluster several times over: how long the queue took,
how long jobs waited, over how many zones they stand, and what they send between zones in all. Bytes are those of an
iteration, with ranks as Slurm numbers them, and in the best order on the servers.
ZONECUT names the program, ZONECUT_SPANK the plugin.
"""
import json
import pathlib
import random
import statistics
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "slurm"))
import layouts  # noqa: E402
from cluster import Cluster, until  # noqa: E402
from jobs import PROGRAM, command, plugstack, queue_of, records, sbatch  # noqa: E402

SEED, ROUNDS = 2, 8
CASES = {"Slurm's choice": "--zonecut=off", "the placer's": "--zonecut=place"}


def seconds(record, begin, end):
    """Between two of scontrol's times."""
    from_text = [time.mktime(time.strptime(record[key], "%Y-%m-%dT%H:%M:%S")) for key in (begin, end)]
    return from_text[1] - from_text[0]


def job_text(nodes):
    """Pipelines of four where that comes out even, else data parallelism alone."""
    return "tp=8,pp=4,gbs=1536,model=llama3-70b" if nodes % 8 == 4 or nodes % 16 == 0 else "tp=8,zero=3,model=llama3-70b"


def run(count, option):
    """The records of the jobs and how long all took."""
    begin = time.monotonic()
    numbers = [int(sbatch(f"-N{nodes} -t 1 --gpus-per-node=8 {option} --zonecut-job={job_text(nodes)}",
                          f"sleep {length}")) for nodes, length in queue_of(count, SEED)]
    until(lambda: not command("squeue", "-h").stdout, "the queue to be empty", seconds=600)
    took = time.monotonic() - begin
    known = records()
    return [known[number] for number in numbers], took


def sent(servers, topology):
    """Terabytes between zones: as Slurm numbers the ranks, and in the best order."""
    answer = json.loads(command(PROGRAM, "slurm-order", "--topology", topology, "--on", ",".join(servers), "--tasks",
                                len(servers), "--job", job_text(len(servers)), "--json").stdout)
    return [answer[key]["cross_zone_bytes"] / 1e12 for key in ("before", "metrics")]


def begun(option, nodes):
    """The servers of a job of so many nodes once it runs; it is gone afterwards."""
    job = sbatch(f"-N{nodes} -t 1 --gpus-per-node=8 {option} --zonecut-job={job_text(nodes)}", "sleep 100")
    until(lambda: records()[int(job)]["JobState"] == "RUNNING", "the job to run")
    servers = records()[int(job)]["servers"]
    command("scancel", job)
    return servers


def large_jobs(topology, names):
    """Jobs of 96 servers on what random others leave of 256."""
    chance = random.Random(SEED)
    sums = {name: [0, 0] for name in CASES}
    for _ in range(ROUNDS):
        others = sbatch(f"-N128 -w {','.join(sorted(chance.sample(names, 128)))} --gpus-per-node=8", "sleep 1000")
        until(lambda: records()[int(others)]["JobState"] == "RUNNING", "the others to run")
        for name, option in CASES.items():
            sums[name] = [a + b for a, b in zip(sums[name], sent(begun(option, 96), topology))]
            until(lambda: "COMPLETING" not in command("squeue", "-h", "-o", "%T").stdout, "the job to be gone")
        command("scancel", others)
        until(lambda: not command("squeue", "-h").stdout, "the queue to be empty")
    print(f"a job of 96 servers on the half that random others leave, mean of {ROUNDS}")
    for name, (listed, best) in sums.items():
        print(f"  {name:14} {listed / ROUNDS:.3f} TB between zones as numbered by Slurm, {best / ROUNDS:.3f} TB in the best order",
              flush=True)


def queue(count, layout, topology):
    print(f"{count} jobs at once on 256 servers in zones of 96, 88 and 72")
    for name, option in CASES.items():
        jobs, took = run(count, option)
        zones = [len({layout.zones[server] for server in job["servers"]}) for job in jobs]
        waits = [seconds(job, "SubmitTime", "StartTime") for job in jobs]
        listed, best = [sum(column) for column in zip(*[sent(job["servers"], topology) for job in jobs])]
        print(f"  {name:14} {took:5.1f} s in all, waited {statistics.mean(waits):4.1f} s (longest {max(waits):2.0f});"
              f" in one zone {zones.count(1)}, two {zones.count(2)}, three {zones.count(3)};"
              f" {listed:.2f} TB between zones as numbered by Slurm, {best:.2f} TB in the best order", flush=True)


def main():
    layout = layouts.large()
    with Cluster(256, layout.conf) as cluster:
        cluster.plugstack(plugstack())
        topology = cluster.run / "topology.conf"
        with subprocess.Popen([PROGRAM, "slurm-placer", "--interval", "0.2", "--patience", "1"], stderr=subprocess.DEVNULL) as placer:
            try:
                large_jobs(topology, cluster.names)
                queue(int(sys.argv[1]) if len(sys.argv) > 1 else 200, layout, topology)
            finally:
                placer.terminate()


main()
