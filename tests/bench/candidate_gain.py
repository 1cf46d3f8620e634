#!/usr/bin/env python3
"""What three kinds of candidates of `zonecut place` take off the communication time of the best of all others: `minimum
cut, building first`, `busiest zone eased` (or building) and `busiest zone eased beside other jobs`; those swapped for
time from them included. The table of docs/candidates.md.

usage: candidate_gain.py ZONECUT [--seeds 16] [--effort balanced]

Zones: 4 zones of 3 to 9 servers at 7:1, jobs of 16 servers. Beside a job: one to three servers more of two of these
zones exchange all they have, all the time. Buildings: 3 of 4 zones, or 4 of 6, of 3 to 9 racks of 4
servers, jobs of 96 and 192 servers. A job that a draw has no room for is not counted.
"""
import argparse
import concurrent.futures
import json
import pathlib
import random
import subprocess
import sys
import tempfile

NO_PLACEMENT = 3  # exit code
KINDS = {
    "building first": lambda name: "building first" in name,
    "eased": lambda name: "eased" in name and "beside" not in name,
    "eased beside other jobs": lambda name: "beside other jobs" in name,
}


def cluster(levels, ratios, domains):
    tiers = "".join(f"    {level}: {{oversubscription: {ratio}}}\n" for level, ratio in ratios.items())
    head = f"format: cluster/v1\nname: drawn\nlevels: [{levels}]\nbackend:\n  tiers:\n"
    return f"{head}{tiers}domains:\n{''.join(domains)}"


def zones(draw):
    return {"cluster": cluster("zone, rack", {"zone": 7}, [
        f'  - {{zone: z{z}, rack: r1, servers: "z{z}s[1-{draw.randint(3, 9)}]"}}\n' for z in range(4)])}


def beside_a_job(draw):
    two, count = draw.sample(range(4), 2), draw.randint(1, 3)
    names = [f"z{z}s[1-{draw.randint(3, 9)}]" + (f",z{z}t[1-{count}]" if z in two else "") for z in range(4)]
    return {
        "cluster": cluster("zone, rack", {"zone": 7}, [
            f'  - {{zone: z{z}, rack: r1, servers: "{servers}"}}\n' for z, servers in enumerate(names)]),
        "state": "format: state/v1\njobs:\n  - {name: other, servers: \""
                 + ",".join(f"z{z}t[1-{count}]" for z in two) + "\", traffic: {job: other.yaml}}\n",
        "other": f"format: job/v1\nname: other\ngpus: {16 * count}\n"
                 f"collectives:\n  - {{kind: all-to-all, ranks: 0-{16 * count - 1}, bytes: 1GiB}}\n",
    }


def buildings(count, zones_each, building_ratio, zone_ratio):
    """A function that draws such a cluster."""
    return lambda draw: {"cluster": cluster("building, zone, rack", {"building": building_ratio, "zone": zone_ratio}, [
        f'  - {{building: b{b}, zone: b{b}z{z}, rack: "r[1-{draw.randint(3, 9)}]", servers: 4}}\n'
        for b in range(count) for z in range(zones_each)])}


def training(model, gpus, parallelism):
    return f"format: job/v1\nname: job\ngpus: {gpus}\nmodel: {model}\nparallelism: {{{parallelism}}}\n"


def recommendation(gpus, embedding):
    return f"format: job/v1\nname: job\ngpus: {gpus}\nrecommendation: {{embedding: {embedding}, dense: 64MiB}}\n"


SMALL = {
    "8B, pipelines of 4": training("llama3-8b", 128, "tp: 8, pp: 4, dp: 4"),
    "8B, pipelines of 2": training("llama3-8b", 128, "tp: 8, pp: 2, dp: 8"),
    "8x22B, experts over 8": training("mixtral-8x22b", 128, "tp: 8, dp: 16, ep: 8"),
    "recommendation": recommendation(128, "256MiB"),
}
LARGE = {
    "405B, pipelines of 4": training("llama3-405b", 1536, "tp: 8, pp: 4, dp: 48"),
    "405B, pipelines of 16": training("llama3-405b", 1536, "tp: 8, pp: 16, dp: 12"),
    "405B, context of 4": training("llama3-405b", 1536, "tp: 8, cp: 4, pp: 4, dp: 12"),
    "DeepSeek V3, experts over 8": training("deepseek-v3", 768, "tp: 8, pp: 4, dp: 24, ep: 8"),
    "recommendation": recommendation(1536, "1GiB"),
}
CLUSTERS = {
    "zones": (zones, SMALL),
    "zones, beside a job": (beside_a_job, SMALL),
    "3 buildings at 7:1, zones at 2:1": (buildings(3, 4, 7, 2), LARGE),
    "3 buildings at 14:1, zones at 2:1": (buildings(3, 4, 14, 2), LARGE),
    "4 buildings at 7:1, zones at 7:1": (buildings(4, 6, 7, 7), LARGE),
}


def seconds_by_name(options, files, job):
    """Communication time of every candidate, or none where the job has no room."""
    words = ["place", "--cluster", files / "cluster.yaml", "--job", job, "--effort", options.effort, "--json"]
    if (files / "state.yaml").exists():
        words += ["--state", files / "state.yaml"]
    result = subprocess.run([options.zonecut, *words], capture_output=True, text=True, check=False)
    if result.returncode == NO_PLACEMENT:
        return None
    if result.returncode != 0:
        sys.exit(result.stderr or f"exit code {result.returncode}")
    return {each["name"]: each["communication_seconds"] for each in json.loads(result.stdout)["candidates"]}


def gains(found):
    """Of the candidates of each kind, in percent of the best that is of no kind."""
    def least(is_counted):
        return min((seconds for name, seconds in found.items() if is_counted(name)), default=float("inf"))

    others = least(lambda name: not any(is_of(name) for is_of in KINDS.values()))
    return [max(0, 100 * (1 - least(is_of) / others)) for is_of in KINDS.values()]


def cell(percents):
    gained = [percent for percent in percents if percent >= 0.05]
    if not gained:
        return "-"
    return f"{len(gained)}: {sum(gained) / len(gained):.1f} %, {max(gained):.1f} % at most"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("zonecut")
    parser.add_argument("--seeds", type=int, default=16)
    parser.add_argument("--effort", default="balanced")
    options = parser.parse_args()
    print("| cluster | job | placed | " + " | ".join(KINDS) + " |\n|---|---|---|" + "---|" * len(KINDS))
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(2) as pool:
        for name, (drawn, jobs) in CLUSTERS.items():
            draws = [pathlib.Path(folder, name, str(seed)) for seed in range(options.seeds)]
            for seed, files in enumerate(draws):
                files.mkdir(parents=True)
                for title, text in drawn(random.Random(seed)).items():
                    (files / f"{title}.yaml").write_text(text, encoding="ascii")
            for title, text in jobs.items():
                job = pathlib.Path(folder, "job.yaml")
                job.write_text(text, encoding="ascii")
                found = [each for each in pool.map(lambda files: seconds_by_name(options, files, job), draws)
                         if each is not None]
                cells = [cell(column) for column in zip(*map(gains, found))] or ["-"] * len(KINDS)
                print(f"| {name} | {title} | {len(found)} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
