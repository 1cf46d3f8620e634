"""What stands where: hosts, switches and cables of a miniature fabric, and its cluster file.

A value, without a namespace behind it; namespaces.py builds what it describes. Every cable has a
number, and its device is called p<number> at both ends, but be0 at a host.
"""
from dataclasses import dataclass, field

# A packet of 9000 bytes on the wire over its payload: Ethernet's header on top, 52 bytes for IP, TCP
# and timestamps inside.
MTU = 9000
WIRE = (MTU + 14) / (MTU - 52)
STEP_SECONDS = 0.0004  # one step of a collective on an idle fabric, here


@dataclass(frozen=True)
class Cable:
    """A cable: two ends (namespace, device), the lower one first, and its rate in Mbit/s."""
    low: tuple
    high: tuple
    rate: float


@dataclass
class Layout:
    """zones: for each zone the number of hosts in each of its racks."""
    name: str
    zones: list
    rate: float = 50              # of a NIC and of each cable, Mbit/s
    rack_uplinks: int = 4
    zone_switches: int = 2
    zone_uplinks: int = 2         # of one CTSW
    top_switches: int = 2
    names: str = "by rack"        # or "dealt": host after host over all racks in turn
    racks: dict = field(default_factory=dict)     # name -> hosts
    zone_of: dict = field(default_factory=dict)   # rack -> zone
    cables: list = field(default_factory=list)
    address: dict = field(default_factory=dict)   # host -> its address on the backend
    rack_of: dict = field(default_factory=dict)   # host -> rack

    def __post_init__(self):
        sizes = {}
        for z, racks in enumerate(self.zones, 1):
            for size in racks:
                rack = f"r{len(sizes) + 1}"
                sizes[rack], self.zone_of[rack] = size, f"z{z}"
        slots = [(rack, i) for rack, size in sizes.items() for i in range(size)]
        if self.names == "dealt":
            slots.sort(key=lambda slot: (slot[1], int(slot[0][1:])))
        self.racks = {rack: [] for rack in sizes}
        for number, (rack, _) in enumerate(slots, 1):
            host = f"h{number:02}"
            self.racks[rack].append(host)
            self.rack_of[host] = rack
            self.address[host] = f"10.0.{rack[1:]}.{len(self.racks[rack])}"
        for rack, hosts in self.racks.items():
            for host in hosts:
                self._join(host, self.leaf(rack), "be0")
            for i in range(self.rack_uplinks):
                zone = self.zone_of[rack]
                self._join(self.leaf(rack), f"{zone}-ctsw{i * self.zone_switches // self.rack_uplinks}")
        for zone in self.zone_names():
            for s in range(self.zone_switches):
                for u in range(self.zone_uplinks):
                    self._join(f"{zone}-ctsw{s}", f"atsw{u * self.top_switches // self.zone_uplinks}")

    def _join(self, low, high, device=None):
        name = f"p{len(self.cables)}"
        self.cables.append(Cable((low, device or name), (high, name), self.rate))

    @staticmethod
    def leaf(rack):
        """The RTSW of a rack."""
        return f"{rack}-rtsw"

    def zone_names(self):
        return list(dict.fromkeys(self.zone_of.values()))

    def hosts(self):
        """All hosts by name."""
        return sorted(self.address)

    def switches(self):
        return sorted({c.high[0] for c in self.cables} | {c.low[0] for c in self.cables} - set(self.address))

    def uplinks(self, switch):
        """Cables from a switch upwards."""
        return [c for c in self.cables if c.low[0] == switch]

    def downlinks(self, switch):
        return [c for c in self.cables if c.high[0] == switch]

    def peers(self):
        """(namespace, device) -> the other end, both ways."""
        ends = {c.low: c.high for c in self.cables}
        return ends | {c.high: c.low for c in self.cables}

    def rates(self):
        """(namespace, device) -> Mbit/s of what leaves there."""
        return {end: c.rate for c in self.cables for end in (c.low, c.high)}

    def cluster_file(self):
        """The same fabric as zonecut reads it: docs/formats/cluster.md."""
        rows = "\n".join(f'  - {{zone: {self.zone_of[rack]}, rack: {rack}, servers: "{",".join(hosts)}"}}'
                         for rack, hosts in self.racks.items())
        cable = f"uplink_bandwidth: {self.rate:g}Mbps, oversubscription: cables"
        step = f"latency: {STEP_SECONDS * 1e6:g}us"
        return f"""format: cluster/v1
name: {self.name.replace(' ', '-')}
levels: [zone, rack]
gpus: 1
backend:
  nics_per_server: 1
  nic_bandwidth: {self.rate:g}Mbps
  tiers:
    cluster: {{switch: ATSW, switches: {self.top_switches}, {step}}}
    zone: {{switch: CTSW, switches: {self.zone_switches}, uplinks: {self.zone_uplinks}, {cable}, {step}}}
    rack: {{switch: RTSW, switches: 1, uplinks: {self.rack_uplinks}, {cable}, {step}}}
domains:
{rows}
"""


def even(**changes):
    """16 hosts in 4 full racks in 2 zones; their names were dealt over the racks."""
    return Layout("even zones", [[4, 4], [4, 4]], **{"names": "dealt", **changes})


def uneven(**changes):
    """20 hosts in 7 racks of 1 to 4 in 3 zones; they are named rack after rack."""
    return Layout("uneven zones", [[4, 4, 2], [3, 2], [4, 1]], **changes)


def one_zone(racks, **changes):
    """Racks of 4 hosts and one CTSW for each of a rack's 4 uplinks, as path pinning has it."""
    return Layout(f"one zone of {racks} racks", [[4] * racks], zone_switches=4, zone_uplinks=1, top_switches=1,
                  **changes)
