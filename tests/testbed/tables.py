"""The tables of docs/testbed.md, in Markdown, out of measured runs."""
import itertools
import re
from statistics import mean, median

WITHIN, APART = 0.15, 0.10   # the bar of accuracy; orders predicted so far apart are ranked


def grouped(runs):
    """(layout, workload, order) -> its launches, in the order of measurement."""
    groups = {}
    for run in runs:
        groups.setdefault((run.layout.name, run.workload.name, run.order), []).append(run)
    return groups


def drawn_cells(launches):
    """Cells of what random hashing expects, and of measured over that."""
    if not launches[0].drawn:
        return "- | -"
    middle, low, high = launches[0].drawn
    return f"{middle:.2f} s ({low:.2f} to {high:.2f}) | {mean(r.measured() for r in launches) / middle:.2f}"


def over(groups, predicted):
    """Mean of each group's launches over its prediction, where there is one."""
    return [mean(r.measured() for r in g) / predicted(g[0]) for g in groups.values() if predicted(g[0])]


def share(ratios):
    """`57 of 60` within the bar, and the median."""
    good = sum(abs(ratio - 1) <= WITHIN for ratio in ratios)
    return f"{good} of {len(ratios)} | {median(ratios):.3f} | {min(ratios):.2f} to {max(ratios):.2f}"


def ranking(groups, predicted):
    """How many pairs of orders, of those predicted more than APART apart, were measured that way."""
    right = every = 0
    for a, b in itertools.combinations(groups, 2):
        if a[:2] != b[:2]:
            continue
        fast, slow = sorted((a, b), key=lambda key: mean(map(predicted, groups[key])))
        values = [mean(map(predicted, groups[key])) for key in (fast, slow)]
        if values[0] * (1 + APART) < values[1]:
            every += 1
            right += mean(r.measured() for r in groups[fast]) < mean(r.measured() for r in groups[slow])
    return f"{right} of {every}"


def accuracy(runs, told):
    groups, story = grouped(runs), grouped(told)
    means = over(groups, lambda r: r.expected)
    drawn = [r for r in runs + told if r.drawn]
    inside = sum(r.drawn[1] * 0.95 <= r.measured() <= r.drawn[2] * 1.05 for r in drawn)

    def by_hash(run):
        return run.drawn and run.drawn[0]

    rows = [("orders: a launch, on its paths", share([r.ratio() for r in runs])),
            ("orders: a phase of a launch, on its paths", share([q for r in runs for q in r.phase_ratios()])),
            ("orders: mean of the launches, as zonecut expects", share(means)),
            ("orders: mean of the launches, random hashing", share(over(groups, by_hash))),
            ("routing: a launch, on its paths", share([r.ratio() for r in told])),
            ("routing: mean of the launches, as zonecut expects", share(over(story, lambda r: r.expected))),
            ("routing: mean of the launches, random hashing", share(over(story, by_hash)))]
    bar = [abs(ratio - 1) <= WITHIN for ratio in (r.ratio() for r in runs + told)]
    middle = median(r.ratio() for r in runs + told)
    met = "met" if sum(bar) >= 0.95 * len(bar) and abs(middle - 1) <= 0.05 else "missed"
    expected = sum(abs(q - 1) <= WITHIN for q in means) >= 0.95 * len(means) and abs(median(means) - 1) <= 0.05
    return "\n".join([
        "| measured time over the prediction | within 15 % | median | range |", "|---|---|---|---|",
        *(f"| {name} | {text} |" for name, text in rows), "",
        f"The bar, 19 of 20 within 15 % and the median within 5 %, is {met} for single launches on the paths that the "
        f"kernel gave them, and {'met' if expected else 'missed'} for zonecut's expected values.",
        "",
        f"A launch is one draw of the hash: {inside} of {len(drawn)} were between the first and the last tenth of random "
        f"hashing, give or take 5 %; eight in ten should be.",
        "",
        f"Ranking of orders predicted more than 10 % apart: right in {ranking(groups, lambda r: r.predicted())} pairs on "
        f"their paths, in {ranking(groups, lambda r: r.expected)} by zonecut's expected values.",
        "",
        f"Bytes on every link: within {max(r.stray for r in runs + told):.1%} of what the busiest link carries of those "
        f"foreseen (median of the worst link {median(r.stray for r in runs + told):.1%})."])


def times(runs):
    lines = []
    for layout, of_layout in itertools.groupby(grouped(runs).items(), key=lambda item: item[0][0]):
        lines += [f"### {layout[0].upper()}{layout[1:]}", "",
                  "| workload | order | measured, mean (range) | measured / on its paths "
                  "| zonecut expects | measured / that | random hashing | measured / that |",
                  "|---|---|---|---|---|---|---|---|"]
        for (_, workload, order), launches in of_layout:
            measured, ratios = [r.measured() for r in launches], [r.ratio() for r in launches]
            lines.append(f"| {workload} | {order} | {mean(measured):.2f} s ({min(measured):.2f} to {max(measured):.2f}) "
                         f"| {min(ratios):.2f} to {max(ratios):.2f} | {launches[0].expected:.2f} s "
                         f"| {mean(measured) / launches[0].expected:.2f} | {drawn_cells(launches)} |")
        lines.append("")
    return "\n".join(lines).rstrip()


def speed_up(runs):
    """How much faster zonecut's order is than each other one."""
    groups = grouped(runs)
    others = list(dict.fromkeys(order for *_, order in groups if order != "zonecut"))
    lines = ["| layout | workload | " + " | ".join(f"over {order}" for order in others) + " |",
             "|---|---|" + "---|" * len(others)]
    for layout, workload in dict.fromkeys(key[:2] for key in groups):
        cells = []
        for order in others:
            ours, theirs = groups[layout, workload, "zonecut"], groups[layout, workload, order]
            measured = mean(r.measured() for r in theirs) / mean(r.measured() for r in ours)
            exact = mean(r.predicted() for r in theirs) / mean(r.predicted() for r in ours)
            cells.append(f"{measured:.2f} ({exact:.2f}, {theirs[0].expected / ours[0].expected:.2f})")
        lines.append(f"| {layout} | {workload} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def replace(document, blocks):
    """Puts each text between `<!-- NAME -->` and `<!-- end of NAME -->`."""
    text = document.read_text(encoding="utf-8")
    for name, block in blocks.items():
        marked = re.compile(rf"(<!-- {name} -->\n).*?(<!-- end of {name} -->)", re.DOTALL)
        if not marked.search(text):
            raise ValueError(f"{document} has no place for {name}")
        text = marked.sub(lambda m, block=block: f"{m[1]}\n{block}\n\n{m[2]}", text)
    document.write_text(text, encoding="utf-8")
