#!/usr/bin/env python3
"""Prints, beside the published figures, what `zonecut predict` says of Llama 3 405B on 16,384 GPUs.

usage: volumes.py ZONECUT

The job is TP 8, PP 16, DP 128 on zones of 384 servers at 7:1 (arXiv 2407.21783), in four orders: whole replicas in zones,
a random order, and pipelines cut at zone borders with V = 1 and V = 7 virtual stages. Everything is made here; the table
goes to standard output as Markdown. Traffic of tensor parallelism never leaves a server.
"""
import json
import pathlib
import random
import subprocess
import sys
import tempfile

ZONES, RACKS, STAGES, REPLICAS = 8, 192, 16, 128
CLUSTER = """format: cluster/v1
name: llama-3
levels: [zone, rack]
backend: {oversubscription: 7}
domains:
  - {zone: "zone[1-8]", rack: "rack[001-192]", servers: 2}
"""
JOB = """format: job/v1
model: llama3-405b
parallelism: {{tp: 8, pp: 16, dp: 128, virtual_stages: {virtual}}}
batch: {{sequence: 8192, global_batch: 2048}}
"""
NIC_BYTES_PER_SECOND = 50e9
UPLINK = 3072 * NIC_BYTES_PER_SECOND / 7


def servers():
    return [f"zone{z}-rack{r:03d}-s{s}" for z in range(1, ZONES + 1) for r in range(1, RACKS + 1) for s in (1, 2)]


def predict(zonecut, order, virtual):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder)
        (path / "cluster.yaml").write_text(CLUSTER)
        (path / "job.yaml").write_text(JOB.format(virtual=virtual))
        (path / "order").write_text("\n".join(order) + "\n")
        run = subprocess.run([zonecut, "predict", "--cluster", path / "cluster.yaml", "--job", path / "job.yaml",
                              "--order", path / "order", "--json"], check=True, capture_output=True, text=True)
    return json.loads(run.stdout)


def zone_to_zone(answer):
    """Bytes of the busiest border, one direction, all phases."""
    rows = answer["zone_matrix"]["bytes"]
    return max(count for i, row in enumerate(rows) for j, count in enumerate(row) if i != j)


def data_parallel_of_a_zone(answer):
    """Bytes of the data-parallel phase that the busiest zone sends: the phase's binding uplink."""
    binding = next(phase for phase in answer["phases"] if phase["name"] == "dp")["binding"]
    assert binding["link"].startswith("zone") and "ATSW" in binding["link"], binding
    return binding["bytes"]


def main():
    zonecut = sys.argv[1]
    names = servers()
    per_replica = STAGES
    # Vertex of replica d in stage p is d + 128 p; whole replicas fill zone after zone.
    replicas = [None] * (STAGES * REPLICAS)
    for d in range(REPLICAS):
        for p in range(STAGES):
            replicas[d + REPLICAS * p] = names[d * per_replica + p]
    shuffled = names[:5 * 384 + 128]
    random.Random(1).shuffle(shuffled)
    # Three stages of all replicas fill a zone of 384 servers: 16 stages in 6 zones, in rank order.
    stages = names[:STAGES * REPLICAS]
    border, zone = "zone to next zone, all phases", "zone to all others, dp phase"
    cases = [("whole replicas in zones", replicas, 7, border, zone_to_zone, 2.41, 0.11),
             ("random order", shuffled, 7, zone, data_parallel_of_a_zone, 47.0, 2.14),
             ("pipeline cut, V = 1", stages, 1, border, zone_to_zone, 0.55, None),
             ("pipeline cut, V = 7", stages, 7, border, zone_to_zone, 3.85, None)]
    print("| order | counted | TB | published | s on the uplink at 7:1 | published |")
    print("|---|---|---|---|---|---|")
    for name, order, virtual, counted, count, published, seconds in cases:
        sent = count(predict(zonecut, order, virtual))
        print(f"| {name} | {counted} | {sent / 1e12:.3f} | {published} | {sent / UPLINK:.3f} | {seconds or '-'} |")


if __name__ == "__main__":
    main()
