#!/usr/bin/env python3
"""Prints what zonecut and every baseline make of a real fabric with half of its servers taken.

usage: lingjun.py ZONECUT LINGJUN.csv [SEED…]

Each row is one job on one random half of the free servers. Cuts and seconds of the baselines are given as multiples of
zonecut's. The last line says how often zonecut was predicted to be slower than zone-sorted, or to cut more in the same time.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

JOBS = {
    "70B, PP 4 × DP 96": "tp=8,pp=4,dp=96,vpp=5,model=llama3-70b,gbs=1536",
    "70B, PP 8 × DP 32": "tp=8,pp=8,dp=32,vpp=2,model=llama3-70b,gbs=512",
    "405B, PP 16 × DP 24": "tp=8,pp=16,dp=24,vpp=7,model=llama3-405b,gbs=384",
    "405B, CP 4, PP 16 × DP 4": "tp=8,cp=4,pp=16,dp=4,seq=131072,model=llama3-405b,gbs=64",
    "70B, tp-pp-dp order": "tp=8,pp=4,dp=64,order=tp-cp-ep-pp-dp,vpp=5,model=llama3-70b,gbs=1024",
    "8B, DP 300": "tp=8,dp=300,model=llama3-8b,gbs=600",
    "MoE 8x22B, EP 8, PP 8": "tp=1,pp=8,dp=256,ep=8,model=mixtral-8x22b,gbs=2048",
    "MoE deepseek-v3, EP 64, PP 16": "tp=1,pp=16,dp=128,ep=64,model=deepseek-v3,gbs=1024",
}
TOLERANCE = 1.005


def report(zonecut, cluster, state, job):
    run = subprocess.run([zonecut, "report", "--cluster", cluster, "--state", state, "--job", job, "--json", "-"],
                         check=True, capture_output=True, text=True)
    return json.loads(run.stdout)


def ratio(theirs, ours):
    return "1.00" if theirs == ours else "∞" if ours == 0 else f"{theirs / ours:.2f}"


def main():
    zonecut, csv, *seeds = sys.argv[1:]
    worse = rows = 0
    with tempfile.TemporaryDirectory() as folder:
        cluster = pathlib.Path(folder) / "cluster.yaml"
        subprocess.run([zonecut, "topology", "import", "--from", "csv", "--server-column", "ip", "--level", "zone=PSW", "--level",
                        "rack=ASW", "--oversubscription", "3.5", csv, "-o", cluster], check=True, capture_output=True)
        header_done = False
        for seed in seeds or ["2023", "1", "2"]:
            state = pathlib.Path(folder) / "state.yaml"
            state.write_text("format: state/v1\njobs:\n"
                             f"  - {{name: others, random: {{servers: 50%, seed: {seed}}}}}\n")
            for name, text in JOBS.items():
                answer = report(zonecut, cluster, state, text)
                ours = answer["placement"]["metrics"]
                if not header_done:
                    names = [b["name"] for b in answer["baselines"]]
                    print("| job | seed | cut | gap | seconds | " + " | ".join(f"{n} cut / s" for n in names) + " |")
                    print("|---" * (5 + len(names)) + "|")
                    header_done = True
                gap = "-" if ours["gap"] is None else f"{100 * ours['gap']:.1f} %"
                cells = []
                for baseline in answer["baselines"]:
                    theirs = baseline.get("metrics")
                    if theirs is None:
                        cells.append("no room")
                        continue
                    cells.append(f"{ratio(theirs['cross_zone_bytes'], ours['cross_zone_bytes'])} / "
                                 f"{theirs['communication_seconds'] / ours['communication_seconds']:.2f}")
                    if baseline["name"] != "zone-sorted":
                        continue
                    rows += 1
                    slower = ours["communication_seconds"] > TOLERANCE * theirs["communication_seconds"]
                    same = ours["communication_seconds"] >= theirs["communication_seconds"] / TOLERANCE
                    worse += slower or (same and ours["cross_zone_bytes"] > theirs["cross_zone_bytes"])
                print(f"| {name} | {seed} | {ours['cross_zone_bytes'] / 1e12:.3f} TB | {gap} | "
                      f"{ours['communication_seconds']:.3f} | " + " | ".join(cells) + " |", flush=True)
    print(f"\nworse than zone-sorted: {worse} of {rows}")


if __name__ == "__main__":
    main()
