"""Workloads as phases of collectives, what they send, and how long that takes on known paths.

The rules for time were each found by measuring without them; see docs/testbed.md.
"""
from dataclasses import dataclass

from layout import STEP_SECONDS, WIRE


@dataclass(frozen=True)
class Phase:
    """Groups of `size` ranks, `stride` apart; kinds as in testbed.c."""
    name: str
    kind: str
    size: int
    stride: int
    bytes: int
    times: int = 1

    def words(self):
        return f"{self.kind}:{self.size}:{self.stride}:{self.bytes}:{self.times}"

    def groups(self, ranks):
        block = self.size * self.stride
        return [[start + offset + i * self.stride for i in range(self.size)]
                for start in range(0, ranks, block) for offset in range(self.stride)]

    def steps(self, ranks):
        """Flows (from, to, bytes) that are under way together; one step follows the other."""
        n, groups = self.size, self.groups(ranks)
        if self.kind == "back":
            groups = [group[::-1] for group in groups]
        if self.kind == "allreduce":
            return [[(g[i], g[(i + 1) % n], 2 * (n - 1) * self.bytes / n) for g in groups for i in range(n)]]
        if self.kind == "stripes":
            return [[(g[i], g[(i + 1) % n], self.bytes) for g in groups for i in range(n)]]
        if self.kind == "alltoall":
            return [[(g[i], g[(i + s) % n], self.bytes / n) for g in groups for i in range(n)] for s in range(1, n)]
        return [[(g[i], g[i + 1], self.bytes) for g in groups] for i in range(n - 1)]

    def seconds(self, ranks, busiest):
        """busiest(flows): seconds that the busiest link needs for these flows."""
        steps = self.steps(ranks)
        if self.kind in ("chain", "back"):
            together = [flow for step in steps for flow in step]
            moves = self.times - 1
            return moves * busiest(together) + sum(map(busiest, steps)) + (moves + len(steps)) * STEP_SECONDS
        count = 2 * (self.size - 1) if self.kind == "allreduce" else len(steps)
        return sum(map(busiest, steps)) + count * STEP_SECONDS

    def collectives(self, ranks):
        """The same as entries of a job file: docs/formats/job.md."""
        if self.kind == "stripes":
            return [f"{{name: {self.name}, kind: send-receive, ranks: [{a}, {b}], bytes: {self.bytes}B}}"
                    for step in self.steps(ranks) for a, b, _ in step]
        kind = {"allreduce": "all-reduce, algorithm: ring", "alltoall": "all-to-all, algorithm: pairwise",
                "chain": f"pipeline, times: {self.times}", "back": f"pipeline, times: {self.times}"}[self.kind]
        groups = self.groups(ranks)
        if self.kind == "back":
            groups = [group[::-1] for group in groups]
        return [f"{{name: {self.name}, kind: {kind}, ranks: {group}, bytes: {self.bytes}B}}" for group in groups]


@dataclass(frozen=True)
class Workload:
    name: str
    phases: tuple
    ranks: int = 16

    def job_file(self):
        entries = "\n".join(f"  - {entry}" for phase in self.phases for entry in phase.collectives(self.ranks))
        return f"format: job/v1\nname: {self.name}\ngpus: {self.ranks}\ncollectives:\n{entries}\n"

    def pairs(self, order):
        """(host, host, is a stripe) of all flows."""
        return {(order[a], order[b], phase.kind == "stripes")
                for phase in self.phases for step in phase.steps(self.ranks) for a, b, _ in step}

    def loads(self, order, paths, steps, stripes):
        """(namespace, device) -> payload bytes of these steps."""
        loads = {}
        for step in steps:
            for a, b, size in step:
                ways = paths[order[a], order[b], stripes]
                for way in ways:
                    for end in way:
                        loads[end] = loads.get(end, 0) + size / len(ways)
        return loads

    def exact(self, order, paths, rates):
        """Seconds of each phase when every flow takes the path that the kernel gave it."""
        def seconds(phase):
            def busiest(flows):
                loads = self.loads(order, paths, [flows], phase.kind == "stripes")
                return max(size * WIRE * 8 / (rates[end] * 1e6) for end, size in loads.items())
            return phase.seconds(self.ranks, busiest)
        return [seconds(phase) for phase in self.phases]


def workloads(scale=1.0):
    """The four; sizes such that each takes about a second at 50 Mbit/s and scale 1."""
    def size(kilobytes):
        return int(kilobytes * scale) * 1000 // 64 * 64
    pipeline = (4, 4)
    return [
        Workload("ring-heavy", (Phase("ring", "allreduce", 16, 1, size(4000)),
                                Phase("shards", "allreduce", 4, 4, size(600)))),
        Workload("pipeline-heavy", (Phase("forward", "chain", *pipeline, size(160), 16),
                                    Phase("backward", "back", *pipeline, size(160), 16),
                                    Phase("gradients", "allreduce", 4, 1, size(800)))),
        Workload("all-to-all-heavy", (Phase("experts", "alltoall", 8, 1, size(4800)),
                                      Phase("gradients", "allreduce", 16, 1, size(800)))),
        Workload("mixed", (Phase("forward", "chain", 2, 8, size(160), 8),
                           Phase("experts", "alltoall", 4, 1, size(2400)),
                           Phase("backward", "back", 2, 8, size(160), 8),
                           Phase("gradients", "allreduce", 8, 1, size(1600)))),
    ]
