#!/usr/bin/env python3
"""Partitions a graph with a partitioner that comes as a Python module, and prints the part of every vertex, a line a seed.

usage: partition_by_module.py mtkahypar|kahip GRAPH SEEDS SIZE...

GRAPH is in METIS's format; there are as many parts as SIZEs, the most vertices of each. Mt-KaHyPar runs with its preset
"quality", KaHIP with "strong" and no imbalance; KaHIP takes parts of one size only. One thread. Exit code 3: the module
is not installed, or cannot do what is asked.
"""
import importlib
import sys

NOT_TO_BE_HAD = 3


def by_mtkahypar(module, path, seeds, sizes):
    begin = module.initialize(1, False)
    for seed in range(seeds):
        module.set_seed(seed)
        context = begin.context_from_preset(module.PresetType.QUALITY)
        context.logging = False
        context.set_partitioning_parameters(len(sizes), 0.0, module.Objective.CUT)
        context.set_individual_target_block_weights(sizes)
        yield begin.graph_from_file(path, context, module.FileFormat.METIS).partition(context).get_partition()


def by_kahip(module, path, seeds, sizes):
    if len(set(sizes)) > 1:
        sys.exit(NOT_TO_BE_HAD)
    with open(path) as graph:
        vertices = int(graph.readline().split()[0])
        rows = [[int(word) for word in graph.readline().split()] for _ in range(vertices)]
    first = [0]
    for row in rows:
        first.append(first[-1] + len(row) // 2)
    neighbours = [vertex - 1 for row in rows for vertex in row[::2]]
    weights = [weight for row in rows for weight in row[1::2]]
    for seed in range(seeds):
        yield module.kaffpa([1] * vertices, first, weights, neighbours, len(sizes), 0.0, True, seed, module.STRONG)[1]


PEERS = {"mtkahypar": by_mtkahypar, "kahip": by_kahip}


def main():
    if len(sys.argv) < 5 or sys.argv[1] not in PEERS:
        sys.exit(__doc__)
    name, path, seeds, *sizes = sys.argv[1:]
    try:
        module = importlib.import_module(name)
    except ImportError:
        sys.exit(NOT_TO_BE_HAD)
    for parts in PEERS[name](module, path, int(seeds), [int(size) for size in sizes]):
        print(*parts)


if __name__ == "__main__":
    main()
