#!/usr/bin/env python3
"""How long `zonecut whatif --each` takes on a cluster full of jobs whose traffic is known: the table of docs/what-if.md.

usage: what_if_each.py ZONECUT [OPTIONS OF WHATIF]
"""
import json
import pathlib
import random
import subprocess
import sys
import tempfile
import time

WORKS = [("tp=8,dp={},model=llama3-8b", 1), ("tp=8,pp=2,dp={},micro_batches=8,model=llama3-70b", 2),
         ("tp=8,pp=4,dp={},micro_batches=8,model=llama3-70b", 4)]


def write_world(folder, zones, racks, servers, jobs):
    """Jobs of 1 to 24 servers, three in ten of them on servers drawn from the whole cluster."""
    draw = random.Random(1)
    rows = "".join(f'  - {{zone: z{z}, rack: "r[1-{racks}]", servers: {servers}}}\n' for z in range(zones))
    (folder / "cluster.yaml").write_text("format: cluster/v1\nname: busy\nlevels: [zone, rack]\n"
                                         f"backend: {{oversubscription: 7:1}}\ndomains:\n{rows}")
    free = [f"z{z}-r{r}-s{s}" for z in range(zones) for r in range(1, racks + 1) for s in range(1, servers + 1)]
    lines = []
    for job in range(jobs):
        work, stages = draw.choice(WORKS)
        replicas = draw.randint(1, 6)
        count = stages * replicas
        if draw.random() < 0.3:
            chosen = draw.sample(free, count)
        else:
            first = draw.randrange(len(free) - count + 1)
            chosen = free[first:first + count]
        taken = set(chosen)
        free = [server for server in free if server not in taken]
        lines.append(f'  - {{name: j{job}, servers: "{",".join(chosen)}", '
                     f'traffic: {{job: "{work.format(replicas)}", iteration: 9s}}}}\n')
    (folder / "state.yaml").write_text("format: state/v1\njobs:\n" + "".join(lines))


def main():
    zonecut, options = sys.argv[1], sys.argv[2:]
    print(f"{'GPUs':>6} {'jobs':>5} {'kind':>7} {'questions':>9} {'seconds':>8} {'ms each':>8}")
    for zones, racks, servers, jobs in [(8, 32, 8, 184), (8, 252, 2, 400)]:
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            write_world(folder, zones, racks, servers, jobs)
            for kind in ["CTSW", "rack", "server", "job"]:
                command = [zonecut, "whatif", "--cluster", folder / "cluster.yaml", "--state", folder / "state.yaml",
                           "--each", kind, "--json", *options]
                start = time.monotonic()
                done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
                seconds = time.monotonic() - start
                questions = len(json.loads(done.stdout)["answers"])
                print(f"{8 * zones * racks * servers:>6} {jobs:>5} {kind:>7} {questions:>9} {seconds:>8.1f} "
                      f"{1000 * seconds / questions:>8.1f}", flush=True)


if __name__ == "__main__":
    main()
