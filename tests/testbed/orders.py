"""Rank orders: zonecut's host file and what others do, and what zonecut predicts for each.

The others follow docs/baselines.md. One rank a host.
"""
import json
import os
import pathlib
import random
import subprocess

ZONECUT = os.environ.get("ZONECUT", "zonecut")


class Case:
    """A layout and a workload as files for zonecut."""

    def __init__(self, layout, workload, folder="/run/tmp"):
        self.layout, self.ranks, self.folder = layout, workload.ranks, pathlib.Path(folder)
        self.files = {"--cluster": f"{folder}/cluster.yaml", "--job": f"{folder}/job.yaml"}
        pathlib.Path(self.files["--cluster"]).write_text(layout.cluster_file(), encoding="ascii")
        pathlib.Path(self.files["--job"]).write_text(workload.job_file(), encoding="ascii")

    def zonecut(self, command, *words):
        given = [word for pair in self.files.items() for word in pair]
        return subprocess.run([ZONECUT, command, *given, *words], stdout=subprocess.PIPE, text=True, check=True).stdout

    def order(self, name):
        """Hosts in rank order."""
        layout, ranks = self.layout, self.ranks
        if name == "zonecut":
            hosts = self.zonecut("place", "--routing", "ecmp", "--format", "hostfile")
            return [line.split()[0] for line in hosts.splitlines()]
        if name == "framework":
            return sorted(self.order("zonecut"))
        if name == "random":
            return random.Random(7).sample(layout.hosts(), ranks)
        if name == "zone-sorted":
            zones = {zone: [h for r, hosts in layout.racks.items() if layout.zone_of[r] == zone for h in hosts]
                     for zone in layout.zone_names()}
            return tightest_first(zones.values(), ranks)
        if name == "Slurm":
            return sorted(tightest_first(layout.racks.values(), ranks))
        raise KeyError(name)

    def predict(self, order, *words):
        """zonecut's own prediction for an order: its JSON."""
        hosts = self.folder / "predicted"
        hosts.write_text("\n".join(order) + "\n", encoding="ascii")
        return json.loads(self.zonecut("predict", "--order", str(hosts), "--json", *words))

    def expected(self, order, *words):
        """Seconds of an iteration as zonecut expects them."""
        return self.predict(order, *(words or ("--routing", "ecmp")))["metrics"]["communication_seconds"]


def tightest_first(blocks, wanted):
    """Block after block: the tightest that holds all the rest, else the largest."""
    blocks, taken = [list(block) for block in blocks], []
    while len(taken) < wanted:
        rest = wanted - len(taken)
        holding = [block for block in blocks if len(block) >= rest]
        block = min(holding, key=len) if holding else max(blocks, key=len)
        blocks.remove(block)
        taken += block[:rest]
    return taken


ORDERS = ["zonecut", "zone-sorted", "Slurm", "framework", "random"]
