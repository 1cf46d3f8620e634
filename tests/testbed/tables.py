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
    groups = grouped(runs)
    means = [mean(r.measured() for r in g) / g[0].expected for g in groups.values()]
    story = {}
    for run in told:
        story.setdefault(run.order, []).append(run)
    rows = [("orders: a launch, on its paths", share([r.ratio() for r in runs])),
            ("orders: a phase of a launch, on its paths", share([q for r in runs for q in r.phase_ratios()])),
            ("orders: mean of the launches, as zonecut expects", share(means)),
            ("routing: a launch, on its paths", share([r.ratio() for r in told])),
            ("routing: mean of the launches, as zonecut expects",
             share([mean(r.measured() for r in g) / g[0].expected for g in story.values()]))]
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
        f"Ranking of orders predicted more than 10 % apart: right in {ranking(groups, lambda r: r.predicted())} pairs on "
        f"their paths, in {ranking(groups, lambda r: r.expected)} by zonecut's expected values.",
        "",
        f"Bytes on every link: within {max(r.stray for r in runs + told):.1%} of what the busiest link carries of those "
        f"foreseen (median of the worst link {median(r.stray for r in runs + told):.1%})."])


def times(runs):
    lines = []
    for layout, of_layout in itertools.groupby(grouped(runs).items(), key=lambda item: item[0][0]):
        lines += [f"### {layout[0].upper()}{layout[1:]}", "",
                  "| workload | order | measured, mean (range) | measured / on its paths | zonecut expects | measured / expected |",
                  "|---|---|---|---|---|---|"]
        for (_, workload, order), launches in of_layout:
            measured, ratios = [r.measured() for r in launches], [r.ratio() for r in launches]
            lines.append(f"| {workload} | {order} | {mean(measured):.2f} s ({min(measured):.2f} to {max(measured):.2f}) "
                         f"| {min(ratios):.2f} to {max(ratios):.2f} | {launches[0].expected:.2f} s "
                         f"| {mean(measured) / launches[0].expected:.2f} |")
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
