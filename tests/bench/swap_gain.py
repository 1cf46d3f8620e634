#!/usr/bin/env python3
"""What exchanging servers for time gains over the best other candidate of `zonecut place`: the table of
docs/prediction.md. 4 zones of 8 racks of 2 servers, jobs of 40 servers, zone uplinks at 7:1.

usage: swap_gain.py ZONECUT [OPTIONS OF PLACE]
"""
import json
import pathlib
import random
import subprocess
import sys
import tempfile

RANKS = 320
CLUSTER = """format: cluster/v1
name: gain
levels: [zone, rack]
gpus: 8
backend:
  nics_per_server: 8
  nic_bandwidth: 400Gbps
  scale_up_bandwidth: 450GB/s
  tiers:
    cluster: {switch: ATSW, switches: 8, latency: 15us}
    zone: {switch: CTSW, switches: 8, uplinks: 8, oversubscription: 7, latency: 7us}
    rack: {switch: RTSW, switches: 1, uplinks: 16, uplink_bandwidth: 400Gbps, oversubscription: cables, latency: 1us}
domains:
""" + "".join(f'  - {{zone: z{n // 8}, rack: r{n % 8}, servers: "s{2 * n},s{2 * n + 1}"}}\n' for n in range(32))


def training(model, parallelism):
    return f"format: job/v1\nname: job\ngpus: {RANKS}\nmodel: {model}\nbatch: {{global_batch: 320}}\nparallelism: {{{parallelism}}}\n"


def matrix(seed, density, hot):
    """A random matrix between servers; `hot` of them send four times as much."""
    draw = random.Random(seed)
    hosts = RANKS // 8
    lines = [f"  - [{8 * a}, {8 * b}, {int(2 ** draw.uniform(0, 8)) * (4 if a < hot else 1)}MB]"
             for a in range(hosts) for b in range(hosts) if a != b and draw.random() < density]
    return f"format: job/v1\nname: job\ngpus: {RANKS}\nmatrix:\n" + "\n".join(lines) + "\n"


JOBS = {
    "70B, pipelines of 4": training("llama3-70b", "tp: 8, pp: 4, dp: 10"),
    "70B, pipelines of 8": training("llama3-70b", "tp: 8, pp: 8, dp: 5"),
    "8x7B, experts over 8": training("mixtral-8x7b", "tp: 1, pp: 4, dp: 80, ep: 8"),
    "8x7B, stages of 80": training("mixtral-8x7b", "tp: 2, pp: 2, dp: 80, ep: 8"),
    "sparse matrix": matrix(1, 0.1, 0),
    "dense matrix": matrix(2, 0.4, 0),
    "matrix with hot senders": matrix(3, 0.15, 4),
}
TAKEN = ",".join(f"s{server}" for server in random.Random(3).sample(range(64), 20))
LOST = [(0, 1), (0, 2), (1, 3), (2, 2)]
STATES = {
    "whole": "",
    "half of a zone's CTSW lost": "health:\n  failed_switches: [z0/CTSW-1, z0/CTSW-2, z0/CTSW-3, z0/CTSW-4]\n",
    "uplinks of 4 racks lost": "health:\n  links:\n" + "".join(
        f"    - {{between: [z{z}/r{r}/RTSW-1, z{z}/CTSW-{c}], remaining: down}}\n" for z, r in LOST for c in range(1, 7)),
    "racks half taken": f'jobs:\n  - {{name: other, servers: "{TAKEN}"}}\n',
    "beside another job": 'jobs:\n  - {name: other, servers: "s[0-3],s[16-19]", traffic: {job: other.yaml}}\n',
}
OTHER = "format: job/v1\nname: other\ngpus: 64\ncollectives:\n  - {kind: all-to-all, ranks: \"0-63\", bytes: 4GiB}\n"


def candidates(zonecut, folder, *options):
    command = [zonecut, "place", "--cluster", f"{folder}/cluster.yaml", "--job", f"{folder}/job.yaml",
               "--state", f"{folder}/state.yaml", "--json", *options]
    answer = json.loads(subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout)
    return {c["name"]: c["communication_seconds"] for c in answer["candidates"]}


def cell(found):
    swapped = [seconds for name, seconds in found.items() if "swapped for time" in name]
    best = min(seconds for name, seconds in found.items() if "swapped for time" not in name)
    return f"{100 * (1 - min(swapped) / best):.1f} %" if swapped else "-"


def main():
    print("| job | " + " | ".join(STATES) + " |\n|---|" + "---|" * len(STATES))
    with tempfile.TemporaryDirectory() as folder:
        files = pathlib.Path(folder)
        (files / "cluster.yaml").write_text(CLUSTER, encoding="ascii")
        (files / "other.yaml").write_text(OTHER, encoding="ascii")
        for name, job in JOBS.items():
            (files / "job.yaml").write_text(job, encoding="ascii")
            cells = []
            for state in STATES.values():
                (files / "state.yaml").write_text("format: state/v1\n" + state, encoding="ascii")
                cells.append(cell(candidates(sys.argv[1], folder, *sys.argv[2:])))
            print(f"| {name} | " + " | ".join(cells) + " |", flush=True)


main()
