"""What ECMP does on average: the rules of workloads.py over many random hash functions.

Between the two predictions: like zonecut's expected value it knows no connection, and like the one
on the kernel's paths it goes through steps and hops one after the other.
"""
import functools
import random
from statistics import mean

from routing import Routes

DRAWS = 200


class Hashing:
    """Random paths in a layout; every connection chooses anew at every switch."""

    def __init__(self, layout):
        self.layout, self.routes = layout, Routes(layout)
        self.chance = random.Random(1)

    @functools.lru_cache(maxsize=None)
    def ways(self, switch, rack):
        """(device, next switch) of all ways out of a switch towards a rack."""
        ends = [(cable.low, cable.high) if up else (cable.high, cable.low)
                for cable, up in self.routes.ways(switch, rack)]
        return [(here[1], there[0]) for here, there in ends]

    def path(self, source, destination):
        layout, rack = self.layout, self.layout.rack_of[destination]
        path, at = [(source, "be0")], layout.leaf(layout.rack_of[source])
        while at != layout.leaf(rack):
            device, following = self.chance.choice(self.ways(at, rack))
            path.append((at, device))
            at = following
        down = next(c for c in layout.downlinks(at) if c.low[0] == destination)
        return [*path, (at, down.high[1])]


KNOWN = {}


def expected(layout, workload, hosts):
    """(mean, low, high) seconds: one launch in ten is below low, one above high."""
    key = layout.name, layout.rack_uplinks, workload, tuple(hosts)
    if key not in KNOWN:
        hashing, rates, drawn = Hashing(layout), layout.rates(), []
        count = max(phase.times if phase.kind == "stripes" else 1 for phase in workload.phases)
        for _ in range(DRAWS):
            paths = {pair: [hashing.path(*pair[:2]) for _ in range(count)] for pair in sorted(workload.pairs(hosts))}
            drawn.append(sum(workload.exact(hosts, paths, rates)))
        drawn.sort()
        KNOWN[key] = mean(drawn), drawn[DRAWS // 10], drawn[DRAWS * 9 // 10]
    return KNOWN[key]
