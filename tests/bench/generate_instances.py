#!/usr/bin/env python3
"""Writes mapping instances of the families that training jobs fall into, none of them one the search was tuned on.

usage: generate_instances.py DIRECTORY [--seed 1] [--drawn N | --few N | --narrow N | --large N]

Each instance is NAME.graph (METIS format, vertices in random order), NAME.coords (three integers per vertex, -1 where an axis
does not apply) and NAME.KIND.tree (one line per rack: building, zone, free servers), KIND being `eq` (equal zones), `uneq`
(unequal ones, as many slots as vertices) or `slack` (unequal ones, more slots than vertices). The same seed writes the same bytes. With --drawn
there are N instances of every family instead, whose group sizes, weights and numbers of zones are drawn too; with
--few they have 13 to 64 vertices, and N more have traffic of no family and no coordinates. With --narrow they have axes
of one to three places, or of odd sizes that do not go into each other: N of every such shape of a family, and N for
each of two ways in which prefill replicas serve decode replicas, without coordinates. With --large they have 8,192 to
20,000 vertices in 3 to 24 zones.
"""
import argparse
import pathlib
import random

FAMILIES = {}


def family(function):
    FAMILIES[function.__name__] = function
    return function


def ring(members, weight, wrap=None):
    """Neighbours in a ring; `wrap` is the weight of the closing edge, 0 for a path. Two members share one edge."""
    wrap = weight if wrap is None else wrap
    for i in range(len(members) - 1):
        yield members[i], members[i + 1], weight
    if len(members) > 2 and wrap:
        yield members[-1], members[0], wrap


def clique(members, weight):
    for i, u in enumerate(members):
        for v in members[i + 1:]:
            yield u, v, weight


def binary_tree(size):
    """Parent of each rank in NCCL's in-order binary tree (src/graph/trees.cc), None for the root 0."""
    parents = [None] * size
    for rank in range(1, size):
        bit = rank & -rank
        up = (rank ^ bit) | (bit << 1)
        parents[rank] = up if up < size else rank ^ bit
    return parents


def double_tree(members, weight):
    """NCCL's two trees, each carrying half: the second is mirrored for even sizes and shifted for odd ones."""
    size = len(members)
    for rank, up in enumerate(binary_tree(size)):
        if up is None:
            continue
        yield members[rank], members[up], weight
        if size % 2 == 0:
            yield members[size - 1 - rank], members[size - 1 - up], weight
        else:
            yield members[(rank + 1) % size], members[(up + 1) % size], weight


@family
def dense(dp, pp, heavy, light, wrap, collective=ring):
    """Data-parallel ring (or double tree) times pipeline; coordinates (0, dp, pp)."""
    place = {(0, d, p): None for p in range(pp) for d in range(dp)}
    edges = []
    for p in range(pp):
        edges += collective([(0, d, p) for d in range(dp)], heavy)
    for d in range(dp):
        edges += ring([(0, d, p) for p in range(pp)], light, wrap)
    return list(place), edges


@family
def tree(dp, pp, heavy, light, wrap):
    return dense(dp, pp, heavy, light, wrap, double_tree)


@family
def context(cp, dp, pp, within, along, light, wrap):
    """Rings of context parallelism, one after another along a ring of all cp x dp members, times pipeline."""
    places = [(c, d, p) for p in range(pp) for d in range(dp) for c in range(cp)]
    edges = []
    for p in range(pp):
        edges += ring([(c, d, p) for d in range(dp) for c in range(cp)], along)
        for d in range(dp):
            edges += ring([(c, d, p) for c in range(cp)], within)
    for d in range(dp):
        for c in range(cp):
            edges += ring([(c, d, p) for p in range(pp)], light, wrap)
    return places, edges


@family
def experts(ep, replicas, pp, all_to_all, gradients, dense_gradients, light, wrap):
    """Expert-parallel cliques, rings of expert replicas, a dense data-parallel ring over both, times pipeline."""
    places = [(e, r, p) for p in range(pp) for r in range(replicas) for e in range(ep)]
    edges = []
    for p in range(pp):
        edges += ring([(e, r, p) for r in range(replicas) for e in range(ep)], dense_gradients)
        for r in range(replicas):
            edges += clique([(e, r, p) for e in range(ep)], all_to_all)
        for e in range(ep):
            edges += ring([(e, r, p) for r in range(replicas)], gradients)
    for r in range(replicas):
        for e in range(ep):
            edges += ring([(e, r, p) for p in range(pp)], light, wrap)
    return places, edges


@family
def sharded(shard, replicas, within, between):
    """HSDP: rings of shards, rings of replicas."""
    places = [(s, r, 0) for r in range(replicas) for s in range(shard)]
    edges = []
    for r in range(replicas):
        edges += ring([(s, r, 0) for s in range(shard)], within)
    for s in range(shard):
        edges += ring([(s, r, 0) for r in range(replicas)], between)
    return places, edges


@family
def multimodal(enc_ring, enc_dp, dec_dp, dec_pp, enc_heavy, enc_light, dec_heavy, dec_light, between):
    """An encoder (rings times data parallelism) that feeds the first stage of a decoder with a grid of its own."""
    places = [(t, d, -1) for d in range(enc_dp) for t in range(enc_ring)]
    places += [(0, d, p) for p in range(dec_pp) for d in range(dec_dp)]
    edges = []
    for d in range(enc_dp):
        edges += ring([(t, d, -1) for t in range(enc_ring)], enc_heavy)
    for t in range(enc_ring):
        edges += ring([(t, d, -1) for d in range(enc_dp)], enc_light)
    for p in range(dec_pp):
        edges += ring([(0, d, p) for d in range(dec_dp)], dec_heavy)
    for d in range(dec_dp):
        edges += ring([(0, d, p) for p in range(dec_pp)], dec_light, 0)
    senders = enc_ring * enc_dp
    for k in range(max(senders, dec_dp)):
        d, t = divmod(k * senders // max(senders, dec_dp), enc_ring)
        edges.append(((t, d, -1), (0, k * dec_dp // max(senders, dec_dp), 0), between))
    return places, edges


def irregular(servers, degree, heaviest, seed):
    """Any traffic: a random tree, and edges between any two until vertices have so many on average."""
    draw = random.Random(seed)
    places = [(server, -1, -1) for server in range(servers)]
    pairs = [(places[i], places[draw.randrange(i)]) for i in range(1, servers)]
    pairs += [tuple(draw.sample(places, 2)) for _ in range(servers * degree // 2 - len(pairs))]
    return places, [(u, v, draw.randint(1, heaviest)) for u, v in pairs]


def serving(prefill, decode, servers, cache, prefill_tie, decode_tie):
    """Prefill replicas that send to decode replicas, each of one server or two, the halves of which keep to themselves."""
    replicas = [("prefill", r) for r in range(prefill)] + [("decode", r) for r in range(decode)]
    places = [(*replica, half) for replica in replicas for half in range(servers)]
    edges = [((*p, half), (*d, half), cache) for p in replicas[:prefill] for d in replicas[prefill:] for half in range(servers)]
    if servers == 2:
        edges += [((*r, 0), (*r, 1), prefill_tie if r[0] == "prefill" else decode_tie) for r in replicas]
    return places, edges


# name: family, its arguments, zones of the equal tree (0: none), of the unequal one, of the one with slack, buildings
INSTANCES = {
    "dense_96": ("dense", (12, 8, 9000, 4000, 0), 4, 4, 5, 1),
    "dense_192": ("dense", (48, 4, 12000, 700, 350), 4, 5, 6, 1),
    "dense_640": ("dense", (80, 8, 3000, 900, 0), 8, 7, 9, 2),
    "dense_1536": ("dense", (96, 16, 1700, 240, 180), 12, 11, 0, 2),
    "dense_6144": ("dense", (512, 12, 90, 14, 0), 16, 18, 24, 3),
    "dense_12288": ("dense", (768, 16, 60, 17, 13), 24, 30, 0, 3),
    "tree_256": ("tree", (32, 8, 2600, 1500, 0), 4, 5, 0, 1),
    "tree_1024": ("tree", (128, 8, 1100, 300, 150), 8, 9, 10, 2),
    "tree_4096": ("tree", (256, 16, 300, 90, 0), 16, 15, 0, 2),
    "context_768": ("context", (8, 12, 8, 1400, 600, 260, 0), 8, 6, 0, 1),
    "context_3072": ("context", (16, 16, 12, 800, 500, 110, 70), 12, 16, 18, 3),
    "experts_512": ("experts", (8, 4, 16, 1500, 90, 40, 300, 0), 8, 5, 6, 1),
    "experts_2048": ("experts", (16, 16, 8, 220, 60, 15, 90, 60), 8, 12, 0, 2),
    "experts_8192": ("experts", (8, 64, 16, 120, 35, 8, 22, 0), 32, 24, 0, 4),
    "sharded_288": ("sharded", (12, 24, 8000, 900), 4, 5, 6, 1),
    "sharded_1024": ("sharded", (16, 64, 3000, 1100), 8, 7, 0, 2),
    "sharded_4096": ("sharded", (32, 128, 900, 150), 16, 13, 16, 2),
    "multimodal_240": ("multimodal", (4, 12, 24, 8, 9000, 1500, 4000, 500, 700), 6, 5, 0, 1),
    "multimodal_960": ("multimodal", (8, 24, 96, 8, 5000, 600, 2500, 260, 500), 8, 10, 11, 2),
    "multimodal_2560": ("multimodal", (8, 64, 128, 16, 1800, 200, 1500, 150, 220), 16, 14, 0, 2),
}

POWERS = {"few": [2, 4, 8], "some": [4, 8, 12, 16], "many": [16, 24, 32, 48, 64, 96, 128]}


def draw_arguments(kind, draw):
    """Sizes of the groups, then weights: inner groups exchange more than outer ones, a closing edge at most a path's."""
    few, some, many = (draw.choice(POWERS[name]) for name in ("few", "some", "many"))
    heavy = draw.randint(500, 9000)
    light = heavy * draw.randint(5, 60) // 100
    wrap = draw.choice([0, light // 2, light])
    replica = heavy * draw.randint(5, 40) // 100
    if kind in ("dense", "tree"):
        return many * draw.choice([1, 2, 4]), some, heavy, light, wrap
    if kind == "context":
        return few * 2, some, some, heavy, replica, light, wrap
    if kind == "experts":
        return few * 2, some, some, heavy, replica, replica // 2, light, wrap
    if kind == "sharded":
        return some * 2, many, heavy, light
    if kind == "serving":
        return many, many, few, light // 5, 20 * heavy, 10 * heavy
    return few, some * 2, draw.choice([few, 2 * few]) * some * 2, some, heavy, replica, heavy * 3 // 4, light, replica


def draw_few_arguments(kind, draw):
    """Like draw_arguments, with small groups."""
    heavy = draw.randint(500, 9000)
    light = heavy * draw.randint(5, 60) // 100
    wrap = draw.choice([0, light // 2, light])
    replica = heavy * draw.randint(5, 40) // 100
    two, more = draw.randint(2, 4), draw.randint(2, 5)
    if kind == "irregular":
        return draw.randint(13, 64), draw.choice([3, 4, 6, 10]), draw.choice([1, 10, 5000]), draw.random()
    if kind in ("dense", "tree"):
        return draw.choice([4, 6, 8, 12, 16]), more, heavy, light, wrap
    if kind == "context":
        return draw.choice([2, 4]), two, more, heavy, replica, light, wrap
    if kind == "experts":
        return draw.choice([2, 4, 8]), two, more, heavy, replica, replica // 2, light, wrap
    if kind == "sharded":
        return draw.choice([4, 6, 8]), more, heavy, light
    return two, more, draw.choice([2, 4, 8]), two, heavy, replica, heavy * 3 // 4, light, replica


def few_instances(each, seed):
    instances = {}
    for kind in [*FAMILIES, "irregular"]:
        draw = random.Random(f"few {kind} {seed}")
        while sum(name.startswith(kind) for name in instances) < each:
            arguments = draw_few_arguments(kind, draw)
            size = len(ALL_KINDS[kind](*arguments)[0])
            if not 13 <= size <= 64:
                continue
            zones = draw.randint(2, min(6, size // 3))
            instances[f"{kind}_{size}_{len(instances)}"] = (kind, arguments, 0, zones, draw.randint(2, 6), 1)
    return instances


def drawn_instances(each, seed):
    instances = {}
    for kind in FAMILIES:
        draw = random.Random(f"{kind} {seed}")
        for number in range(each):
            arguments = draw_arguments(kind, draw)
            size = len(FAMILIES[kind](*arguments)[0])
            zones = draw.randint(4, max(4, min(24, size // 40)))
            equal = max(z for z in range(2, 17) if size % z == 0)
            name = f"{kind}_{size}_{chr(ord('a') + number)}"
            slack = random.Random(f"slack {name} {seed}").randint(2, 12)
            instances[name] = (kind, arguments, equal, zones, slack, draw.randint(1, 3))
    return instances


# Which of a family's arguments are sizes that may be multiplied.
MULTIPLIED = {"dense": [0, 1], "tree": [0, 1], "context": [1, 2], "experts": [1, 2], "sharded": [0, 1],
              "multimodal": [1, 2, 3]}


def large_instances(each, seed):
    instances = {}
    for kind in FAMILIES:
        draw = random.Random(f"large {kind} {seed}")
        for number in range(each):
            size = 0
            while not 8192 <= size <= 20000:
                arguments = list(draw_arguments(kind, draw))
                for i in MULTIPLIED[kind]:
                    arguments[i] *= draw.choice([1, 1, 2, 2, 3, 4])
                size = len(FAMILIES[kind](*arguments)[0])
            zones = draw.randint(3, draw.choice([8, 24]))
            name = f"{kind}_{size}_{chr(ord('a') + number)}"
            instances[name] = (kind, arguments, 0, zones, 0, draw.randint(1, 3))
    return instances


def odd(draw):
    return draw.randint(3, 11)


def some(draw):
    return draw.choice([draw.randint(3, 20), draw.choice([4, 8, 12, 16])])


def many(draw):
    return draw.choice([draw.randint(40, 300), draw.choice([48, 64, 96, 128, 192, 256])])


def few(draw):
    return draw.choice([2, 3, 4, 5, 6, 8])


# family: shape: what draws the sizes of its groups
NARROW = {
    "dense": {
        "1stage": lambda draw: (many(draw), 1),
        "2stages": lambda draw: (many(draw), 2),
        "3stages": lambda draw: (many(draw), 3),
        "2replicas": lambda draw: (2, draw.choice([24, 48, 64, 96])),
        "odd": lambda draw: (draw.randint(20, 150), draw.randint(3, 17)),
    },
    "context": {
        "1stage": lambda draw: (2 * few(draw), some(draw), 1),
        "2stages": lambda draw: (2 * few(draw), some(draw), 2),
        "1replica": lambda draw: (draw.choice([8, 12, 16, 32]), 1, some(draw)),
        "2replicas": lambda draw: (2 * few(draw), 2, some(draw)),
        "pairs": lambda draw: (2, some(draw), some(draw)),
        "odd": lambda draw: (draw.choice([3, 5, 6, 7, 9, 10]), odd(draw), odd(draw)),
    },
    "sharded": {
        "pairs": lambda draw: (2, many(draw)),
        "2replicas": lambda draw: (many(draw), 2),
        "3replicas": lambda draw: (many(draw), 3),
        "odd": lambda draw: (draw.randint(3, 40), draw.randint(3, 60)),
    },
    "multimodal": {
        "1encoder": lambda draw: (2 * few(draw), 1, draw.choice([8, 16, 32]), some(draw)),
        "pairs": lambda draw: (2, some(draw), draw.choice([8, 16, 32]), some(draw)),
        "1stage": lambda draw: (few(draw), some(draw), draw.choice([16, 32, 64]), 1),
        "2stages": lambda draw: (few(draw), some(draw), draw.choice([16, 32, 64]), 2),
        "odd": lambda draw: (draw.choice([3, 5, 6, 7]), draw.randint(3, 12), draw.randint(5, 60), odd(draw)),
    },
}
NARROW["tree"] = NARROW["dense"]
NARROW["experts"] = NARROW["context"]
NARROW["serving"] = {
    "1server": lambda draw: (draw.randint(5, 120), draw.randint(5, 200), 1),
    "2servers": lambda draw: (draw.randint(5, 60), draw.randint(5, 100), 2),
}


def narrow_instances(each, seed):
    instances = {}
    for kind, shapes in NARROW.items():
        for shape, sizes in shapes.items():
            draw = random.Random(f"narrow {kind} {shape} {seed}")
            for number in range(each):
                size = 0
                while not 24 <= size <= 4096:
                    groups = sizes(draw)
                    weights = draw_arguments(kind, draw)[len(groups):]
                    size = len(ALL_KINDS[kind](*groups, *weights)[0])
                zones = draw.randint(3, max(3, min(20, size // 24)))
                name = f"{kind}_{size}_{shape}_{chr(ord('a') + number)}"
                instances[name] = (kind, groups + weights, 0, zones, zones, 2)
    return instances


def write_graph(directory, name, places, edges, shuffle):
    order = list(range(len(places)))
    shuffle(order)
    number = {place: order[i] for i, place in enumerate(places)}
    rows = [{} for _ in places]
    for u, v, weight in edges:
        u, v = number[u], number[v]
        if u != v and weight:
            rows[u][v] = rows[v][u] = rows[u].get(v, 0) + weight
    count = sum(map(len, rows)) // 2
    with open(directory / f"{name}.graph", "w") as out:
        print(len(rows), count, 1, file=out)
        for row in rows:
            print(*(f"{v + 1} {row[v]}" for v in sorted(row)), file=out)
    if name.startswith(("irregular", "serving")):
        return
    at = sorted(range(len(places)), key=lambda i: order[i])
    with open(directory / f"{name}.coords", "w") as out:
        for i in at:
            print(*places[i], file=out)


def zone_sizes(slots, zones, draw):
    """Unequal sizes that add up: each zone draws a share between one and eight."""
    shares = [draw.uniform(1, 8) for _ in range(zones)]
    sizes = [max(1, int(slots * share / sum(shares))) for share in shares]
    sizes[sizes.index(max(sizes))] += slots - sum(sizes)
    return sorted(sizes, reverse=True) if draw.random() < 0.5 else sizes


def write_tree(path, sizes, buildings, rack, draw):
    """Racks of `rack` slots; where zones are unequal, some have lost a server or two."""
    with open(path, "w") as out:
        for zone, left in enumerate(sizes):
            while left > 0:
                free = rack if draw is None or draw.random() < 0.8 else draw.randint(1, rack)
                free = min(free, left)
                left -= free
                print(zone * buildings // len(sizes), zone, free, file=out)


ALL_KINDS = {**FAMILIES, "irregular": irregular, "serving": serving}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--drawn", type=int, default=0, metavar="N")
    parser.add_argument("--few", type=int, default=0, metavar="N")
    parser.add_argument("--narrow", type=int, default=0, metavar="N")
    parser.add_argument("--large", type=int, default=0, metavar="N")
    args = parser.parse_args()
    args.directory.mkdir(parents=True, exist_ok=True)
    instances = INSTANCES
    if args.drawn:
        instances = drawn_instances(args.drawn, args.seed)
    elif args.few:
        instances = few_instances(args.few, args.seed)
    elif args.narrow:
        instances = narrow_instances(args.narrow, args.seed)
    elif args.large:
        instances = large_instances(args.large, args.seed)
    for name, (kind, arguments, equal, unequal, slack, buildings) in instances.items():
        draw = random.Random(f"{name} {args.seed}")
        places, edges = ALL_KINDS[kind](*arguments)
        write_graph(args.directory, name, places, edges, draw.shuffle)
        rack = draw.choice([2, 2, 2, 4, 8])
        path = args.directory / name
        if equal and len(places) % equal == 0:
            write_tree(f"{path}.eq.tree", [len(places) // equal] * equal, buildings, rack, None)
        if unequal:
            write_tree(f"{path}.uneq.tree", zone_sizes(len(places), unequal, draw), buildings, rack, draw)
        if slack:
            slots = len(places) * draw.randint(115, 150) // 100
            write_tree(f"{path}.slack.tree", zone_sizes(slots, slack, draw), buildings, rack, draw)


if __name__ == "__main__":
    main()
