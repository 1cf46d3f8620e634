#!/usr/bin/env python3
"""How far the cut that `zonecut map` finds lies above its proven bound, by family, for jobs that
generate_instances.py draws: the figures on drawn jobs in docs/mapping.md.

usage: map_gaps.py ZONECUT [--seeds 73,74,75,76] [--drawn 4 | --few N | --narrow N | --large N] [--kind uneq|eq|slack]
                   [--effort balanced] [--without-coordinates] [--above 4.3] [--jobs 2]

Prints a line for every job that lies further above its bound than --above percent, has no bound, or takes more
than a second with up to 4,096 vertices; then one for every family, and one for all of them without trees. Cuts and
bounds are the same every time, seconds are not: with --jobs 1 they are those of a core of its own.
"""
import argparse
import collections
import concurrent.futures
import json
import pathlib
import subprocess
import sys
import tempfile

GENERATE = pathlib.Path(__file__).with_name("generate_instances.py")
VERTICES_OF_A_SECOND = 4096
SHAPES = ["drawn", "few", "narrow", "large"]


def generate(options, seed, folder):
    """The graphs of the jobs of one seed."""
    words = [sys.executable, GENERATE, folder, "--seed", seed]
    for kind in SHAPES:
        if getattr(options, kind):
            words += [f"--{kind}", str(getattr(options, kind))]
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
    return sorted(folder.glob("*.graph"))


def mapped(options, graph):
    """What `zonecut map` says of a job, or none where it has no such tree."""
    tree = graph.with_suffix(f".{options.kind}.tree")
    if not tree.exists():
        return None
    words = ["map", "--graph", graph, "--tree", tree, "--effort", options.effort, "--json"]
    coordinates = graph.with_suffix(".coords")
    if coordinates.exists() and not options.without_coordinates:
        words += ["--coords", coordinates]
    result = subprocess.run([options.zonecut, *words], capture_output=True, text=True, check=False)
    if result.returncode != 0:
        sys.exit(f"{graph.parent.name}/{graph.stem}: {result.stderr or f'exit code {result.returncode}'}")
    return json.loads(result.stdout)


def gap_of(mapping):
    """In percent of the bound; infinite without one."""
    cut, bound = mapping["zone_cut"], mapping.get("lower_bound")
    if cut == bound:
        return 0
    return 100 * (cut / bound - 1) if bound else float("inf")


def vertices(graph):
    with graph.open() as lines:
        return int(next(line for line in lines if not line.startswith("%")).split()[0])


def report(name, gaps, above):
    known = [gap for gap in gaps if gap < float("inf")]
    if not known:
        if gaps:
            print(f"{name:14}{len(gaps):5} jobs, none with a bound")
        return
    print(f"{name:14}{len(gaps):5} jobs {sum(known) / len(known):7.3f} % on average {max(known):7.2f} % at most"
          f"{sum(gap > above for gap in gaps):5} above {above} %{sum(gap == 0 for gap in gaps):5} proven"
          f"{len(gaps) - len(known):5} without a bound")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("zonecut")
    parser.add_argument("--seeds", default="73,74,75,76")
    size = parser.add_mutually_exclusive_group()
    for kind in SHAPES:
        size.add_argument(f"--{kind}", type=int)
    parser.add_argument("--kind", choices=["uneq", "eq", "slack"], default="uneq")
    parser.add_argument("--effort", default="balanced")
    parser.add_argument("--without-coordinates", action="store_true")
    parser.add_argument("--above", type=float, default=4.3)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    if not any(getattr(options, kind) for kind in SHAPES):
        options.drawn = 4
    by_family = collections.defaultdict(list)
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        graphs = [graph for seed in options.seeds.split(",")
                  for graph in generate(options, seed, pathlib.Path(folder, seed))]
        for graph, mapping in zip(graphs, pool.map(lambda graph: mapped(options, graph), graphs)):
            if mapping is None:
                continue
            gap = gap_of(mapping)
            by_family[graph.stem.split("_")[0]].append(gap)
            slow = mapping["seconds"] > 1 and vertices(graph) <= VERTICES_OF_A_SECOND
            if gap > options.above or slow:
                print(f"{graph.parent.name}/{graph.stem:24} {gap:7.2f} % {mapping['seconds']:6.2f} s  "
                      f"{mapping.get('bound_method', 'no bound')}")
    for name, gaps in sorted(by_family.items()):
        report(name, gaps, options.above)
    report("without trees", [gap for name, gaps in by_family.items() if name != "tree" for gap in gaps],
           options.above)


if __name__ == "__main__":
    main()
