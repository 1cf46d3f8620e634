#!/usr/bin/env python3
"""How often counters name the bad place, and how often another one: hot_spots.py ZONECUT

Tables of 128 NICs (two zones, four racks each, two servers each), 200 columns of each kind of
noise, as they are and with one NIC, server, rack or zone in which every reading grew by ten times
the mean more.
"""
import json
import math
import random
import subprocess
import sys
import tempfile
from pathlib import Path

ZONES, RACKS, SERVERS, NICS = 2, 4, 2, 8
COLUMNS = 200
FACTOR = 10
PLACES = [(z, r, s, n) for z in range(ZONES) for r in range(RACKS) for s in range(SERVERS)
          for n in range(NICS)]
CLUSTER = f"""format: cluster/v1
domains:
  - {{zone: "z[0-{ZONES - 1}]", rack: "r[0-{RACKS - 1}]", servers: {SERVERS}}}
"""


def server_name(place):
    return f"z{place[0]}-r{place[1]}-s{place[2] + 1}"


def poisson(draw, mean):
    if mean > 50:
        return max(0, round(draw.gauss(mean, math.sqrt(mean))))
    count, product, least = -1, 1.0, math.exp(-mean)
    while product > least:
        product *= draw.random()
        count += 1
    return count


def shared(draw, depth):
    """Poisson around a mean of its own for every place of this depth, log-normal of sigma 1."""
    means = {}
    return {place: poisson(draw, means.setdefault(place[:depth], draw.lognormvariate(6, 1)))
            for place in PLACES}


NOISES = {
    "Poisson, 0.01 in the mean": lambda draw: {p: poisson(draw, 0.01) for p in PLACES},
    "Poisson, 5 in the mean": lambda draw: {p: poisson(draw, 5) for p in PLACES},
    "NICs differ, log-normal of σ 1": lambda draw: shared(draw, 4),
    "whole servers differ so": lambda draw: shared(draw, 3),
    "whole racks differ so": lambda draw: shared(draw, 2),
    "NICs differ by a power law, α 1.5":
        lambda draw: {p: int(100 * (draw.paretovariate(1.5) - 1)) for p in PLACES},
    "one NIC in three counts 50": lambda draw: {p: poisson(draw, 50) * (draw.random() < 1 / 3)
                                                for p in PLACES},
    "one NIC in twenty counts, log-normal of σ 1.5":
        lambda draw: {p: int(draw.lognormvariate(4, 1.5)) * (draw.random() < 0.05) for p in PLACES},
}
BAD = ["nothing", "NIC", "server", "rack", "zone"]


def with_fault(draw, noise, bad):
    """The counts, and what should be named."""
    counts = noise(draw)
    if bad == "nothing":
        return counts, None
    chosen = draw.choice(PLACES)
    depth = 5 - BAD.index(bad)
    more = FACTOR * max(1.0, sum(counts.values()) / len(counts))
    for place in PLACES:
        if place[:depth] == chosen[:depth]:
            counts[place] += poisson(draw, more)
    domain = "/".join(f"{letter}{i}" for letter, i in zip("zr", chosen[:min(depth, 2)]))
    return counts, {"NIC": (None, server_name(chosen), chosen[3]),
                    "server": (None, server_name(chosen), None)}.get(bad, (domain, None, None))


def named(zonecut, folder, tables):
    """For each table the places that are named."""
    lines = ["server,nic," + ",".join(f"c{i}" for i in range(len(tables)))]
    for place in PLACES:
        lines.append(f"{server_name(place)},{place[3]}," +
                     ",".join(str(table[place]) for table in tables))
    (folder / "counters.csv").write_text("\n".join(lines) + "\n")
    found = subprocess.run(
        [zonecut, "attribute", "--cluster", folder / "cluster.yaml", "--job",
         f"tp=8,dp={len(PLACES) // NICS},model=llama3-8b", "--order", folder / "hosts", "--measured",
         "1s", "--effort", "fast", "--counters", folder / "counters.csv", "--json"],
        capture_output=True, text=True, check=True)
    hot = {finding["counter"]: finding["hot"] for finding in json.loads(found.stdout)["counters"]}
    return [[(spot["domain"], spot["server"], spot["nic"]) for spot in hot.get(f"c{i}", [])]
            for i in range(len(tables))]


def main():
    draw = random.Random(1)
    print("| noise | " + " | ".join(BAD) + " |\n|---|" + "---|" * len(BAD))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "cluster.yaml").write_text(CLUSTER)
        (folder / "hosts").write_text("".join(f"{server_name(p)}\n" for p in PLACES if p[3] == 0))
        for kind, noise in NOISES.items():
            cells = []
            for bad in BAD:
                tables, truths = zip(*(with_fault(draw, noise, bad) for _ in range(COLUMNS)))
                places = named(sys.argv[1], folder, tables)
                right = sum(truth in spots for truth, spots in zip(truths, places))
                wrong = sum(any(spot != truth for spot in spots)
                            for truth, spots in zip(truths, places))
                cells.append(f"{100 * wrong / COLUMNS:.0f} %" if bad == "nothing" else
                             f"{100 * right / COLUMNS:.0f} % ({100 * wrong / COLUMNS:.0f} %)")
            print(f"| {kind} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
