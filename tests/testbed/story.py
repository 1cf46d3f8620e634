"""How Meta's fabrics came to route, step by step, in real packets: one ring of 16 hosts, each hop
into another rack, under every scheme."""
import json
import pathlib
from dataclasses import dataclass
from statistics import mean

import mpi
from layout import one_zone
from measuring import measure
from namespaces import Fabric
from orders import Case
from routing import Routes
from tables import drawn_cells
from workloads import Phase, Workload

BYTES = 3_000_000
CONNECTIONS = (2, 4, 8, 16)
PINNED = ("path pinning, whole racks", "path pinning, half-allocated racks")
BROKEN = ("z1/r1/RTSW-1", "z1/CTSW-1")  # zonecut's names of the ends of the cable that fails


@dataclass
class Step:
    """A step of the story: where, in which order, routed how."""
    name: str
    layout: object
    hosts: list
    scheme: str = "ecmp"
    connections: int = 1
    broken: bool = False


def steps():
    whole, half = one_zone(4), one_zone(6)
    wide_whole, wide_half = one_zone(4, rack_uplinks=8), one_zone(6, rack_uplinks=8)
    dealt, mixed = rack_after_rack(whole), whole_and_half(half)
    story = [Step("ECMP, whole racks", whole, dealt), Step("ECMP, half-allocated racks", half, mixed)]
    story += [Step(PINNED[0], whole, dealt, "pinned"), Step(PINNED[1], half, mixed, "pinned"),
              Step("path pinning, whole racks, a link down", whole, dealt, "pinned", broken=True),
              Step("path pinning, half-allocated racks, 2× uplinks", wide_half, mixed, "pinned"),
              Step("ECMP, whole racks, 2× uplinks", wide_whole, dealt)]
    story += [Step(f"E-ECMP, whole racks, {q} connections a pair", whole, dealt, "e-ecmp", q) for q in CONNECTIONS]
    story += [Step("traffic engineering, whole racks", whole, dealt, "te"),
              Step("traffic engineering, half-allocated racks", half, mixed, "te"),
              Step("traffic engineering, whole racks, a link down", whole, dealt, "te", broken=True)]
    return story


def rack_after_rack(layout):
    """Port 1 of every rack, then port 2: each flow goes to its own port number or the next."""
    racks = list(layout.racks.values())
    return [rack[port] for port in range(len(racks[0])) for rack in racks]


def whole_and_half(layout):
    """Two whole racks, whose hosts take turns with those of four racks of which the job has half."""
    first, second, *halves = layout.racks.values()
    return [host for whole, pair in ((first, halves[:2]), (second, halves[2:]))
            for both in zip(whole, [rack[port] for rack in pair for port in (0, 1)]) for host in both]


def run_step(step, launches, kept):
    """The runs of a step, one for each launch."""
    layout = step.layout
    workload = Workload("ring", (Phase("ring", "stripes", 16, 1, BYTES, step.connections),))
    down = [layout.uplinks(layout.leaf("r1"))[0]] if step.broken else []
    options = ["--routing", step.scheme, *(["--queue-pairs", str(step.connections)] if step.scheme == "e-ecmp" else [])]
    if down:
        state = pathlib.Path("/run/tmp/state.yaml")
        state.write_text("format: state/v1\nhealth:\n  links:\n"
                         f"    - {{between: [{', '.join(BROKEN)}], remaining: down}}\n", encoding="ascii")
        options += ["--state", str(state)]
    routes = Routes(layout, down)
    more = {"pinned": routes.pinned, "te": lambda: routes.installed(chosen_routes(step, workload, options))
            }.get(step.scheme, dict)()
    mpi.name_hosts(layout)
    with Fabric(layout, down, more) as fabric:
        def run():
            return measure(fabric, workload, step.name, hosts=step.hosts, predict=options, draw="ecmp" in step.scheme)
        runs = [kept.get((step.name, launch), run) for launch in range(launches)]
    return runs


def chosen_routes(step, workload, options):
    """The routes of the step's ring that zonecut chooses."""
    file = pathlib.Path("/run/tmp/routes.json")
    Case(step.layout, workload).predict(step.hosts, *options, "--routes", str(file))
    return json.loads(file.read_text(encoding="utf-8"))["phases"][0]["routes"]


def tell(launches, kept):
    """(step, its runs) for all steps."""
    told = []
    for step in steps():
        told.append((step, run_step(step, launches, kept)))
        for run in told[-1][1]:
            print(run.line(), flush=True)
    return told


def story_table(told):
    """Markdown."""
    alone = BYTES * 8 / told[0][0].layout.rate / 1e6
    lines = [f"One NIC needs {alone:.2f} s for what each host sends.", "",
             "| step | measured, mean (range) | times one NIC | measured / on its paths "
             "| zonecut expects | measured / that | random hashing | measured / that |",
             "|---|---|---|---|---|---|---|---|"]
    for step, runs in told:
        times, ratios = [r.measured() for r in runs], [r.ratio() for r in runs]
        lines.append(f"| {step.name} | {mean(times):.2f} s ({min(times):.2f} to {max(times):.2f}) "
                     f"| {mean(times) / alone:.2f} | {min(ratios):.2f} to {max(ratios):.2f} "
                     f"| {runs[0].expected:.2f} s | {mean(times) / runs[0].expected:.2f} | {drawn_cells(runs)} |")
    return "\n".join(lines)
