#!/usr/bin/env python3
"""How far the least cut that `zonecut place` finds lies above its proven bound, for jobs as people
type them, on a cluster whose zones are unequally full: the figures of docs/mapping.md.

usage: place_gaps.py ZONECUT [--zones 8] [--seed 2] [--count 30] [--kind shared|whole|serving]
                     [--effort balanced]

Kinds: `shared`, stages that share servers (tp times dp is no multiple of 8); `whole`, stages of
whole servers; `serving`, prefill and decode.
"""
import argparse
import concurrent.futures
import json
import pathlib
import random
import subprocess
import sys
import tempfile

GPUS = 8
NO_PLACEMENT = 3  # exit code
SERVERS = (40, 300)

CLUSTER = """format: cluster/v1
name: unequal
levels: [zone, rack]
backend:
  nic_bandwidth: 400Gbps
  oversubscription: 7:1
  tiers:
    cluster: {{switch: ATSW, switches: 8}}
    zone: {{switch: CTSW, switches: 8, uplinks: 16}}
    rack: {{switch: RTSW, uplinks: 8}}
domains:
  - {{zone: "zone[01-{zones:02}]", rack: "rack[01-{racks:02}]", servers: 2}}
"""


def state(draw, zones, racks):
    lines = [f'  - {{name: other{z}, servers: "zone{z:02}-rack[01-{draw.randint(1, racks - racks // 4):02}]-s[1-2]"}}\n'
             for z in range(1, zones + 1)]
    return "format: state/v1\njobs:\n" + "".join(lines)


def draw_training(draw, shared):
    tp = draw.choice([1, 2, 2, 4, 4] if shared else [2, 4, 8, 8, 8])
    pp = draw.choice([2, 3, 4, 5, 8, 12, 16])
    cp = draw.choice([1, 1, 1, 2])
    dp = draw.randint(3, 200)
    if (tp * cp * dp % GPUS != 0) != shared:
        return None, 0
    algorithm = draw.choice(["ring", "ring", "tree"])
    return f"tp={tp},pp={pp},cp={cp},dp={dp},algorithm={algorithm}", tp * pp * cp * dp


def draw_serving(draw):
    prefill, decode = draw.randint(2, 40), draw.randint(2, 60)
    prefill_tp, decode_tp = draw.choice([8, 8, 16]), draw.choice([8, 16, 4])
    text = (f"model=llama3-70b,prefill_replicas={prefill},prefill_tp={prefill_tp},decode_replicas={decode},"
            f"decode_tp={decode_tp},requests_per_second=100")
    return text, prefill * prefill_tp + decode * decode_tp


def draw_jobs(draw, kind, count):
    jobs = []
    while len(jobs) < count:
        text, ranks = draw_serving(draw) if kind == "serving" else draw_training(draw, kind == "shared")
        if text and ranks % GPUS == 0 and SERVERS[0] <= ranks // GPUS <= SERVERS[1]:
            jobs.append(text)
    return jobs


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("zonecut")
    parser.add_argument("--zones", type=int, default=8)
    parser.add_argument("--seed", type=int, default=2)
    parser.add_argument("--count", type=int, default=30)
    parser.add_argument("--kind", choices=["shared", "whole", "serving"], default="shared")
    parser.add_argument("--effort", default="balanced")
    options = parser.parse_args()
    draw = random.Random(options.seed)
    racks = 256 // options.zones
    with tempfile.TemporaryDirectory() as folder:
        cluster = pathlib.Path(folder, "cluster.yaml")
        cluster.write_text(CLUSTER.format(zones=options.zones, racks=racks))
        running = pathlib.Path(folder, "state.yaml")
        running.write_text(state(draw, options.zones, racks))

        def placed(job):
            words = ["place", "--cluster", cluster, "--state", running, "--job", job, "--effort", options.effort]
            result = subprocess.run([options.zonecut, *words, "--json"], capture_output=True, text=True, check=False)
            if result.returncode not in (0, NO_PLACEMENT):
                sys.exit(f"{job}: {result.stderr or f'exit code {result.returncode}'}")
            return json.loads(result.stdout) if result.returncode == 0 else None

        gaps = []
        jobs = draw_jobs(draw, options.kind, options.count)
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            for job, placement in zip(jobs, pool.map(placed, jobs)):
                if placement is None:
                    print(f"{job:52} has no place")
                    continue
                least = min(each["cross_zone_bytes"] for each in placement["candidates"])
                bound = placement["metrics"]["lower_bound_bytes"]
                gap = 0 if least == bound else 100 * (least / bound - 1) if bound else float("inf")
                gaps.append(gap)
                print(f"{job:52} {gap:8.2f} %  {placement['metrics']['bound_method']}")
        if not gaps:
            sys.exit("no job has a place")
        print(f"{len(gaps)} jobs: {sum(gaps) / len(gaps):.2f} % on average, {max(gaps):.2f} % at most, "
              f"{sum(gap == 0 for gap in gaps)} proven")


if __name__ == "__main__":
    main()
