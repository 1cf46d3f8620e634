"""Routes of the switches, as lines of `ip`: ECMP, path pinning and traffic engineering.

A way is (cable, up): a cable to leave through, and whether that leads upwards.
"""

PINNED, ENGINEERED = 200, 1000   # first numbers of routing tables


def link_address(number, high):
    """Address of an end of a cable between switches."""
    return f"10.128.{number // 128}.{number % 128 * 2 + (1 if high else 0)}"


def prefix(rack):
    return f"10.0.{rack[1:]}.0/24"


class Routes:
    """Shortest up-down ways in a layout whose cables `down` are out of service."""

    def __init__(self, layout, down=()):
        self.layout, self.down = layout, set(down)
        self.below = {leaf: {rack} for rack, leaf in ((r, layout.leaf(r)) for r in layout.racks)}
        for switch in sorted(layout.switches(), key=self._tier):
            for cable in self._live(layout.downlinks(switch)):
                self.below.setdefault(switch, set()).update(self.below.get(cable.low[0], ()))

    @staticmethod
    def _tier(switch):
        return 0 if "rtsw" in switch else 1 if "ctsw" in switch else 2

    def _live(self, cables):
        return [cable for cable in cables if cable not in self.down]

    def reaches(self, switch, rack):
        """Whether a way leads from the switch to the rack, downwards or over the tiers above."""
        return rack in self.below.get(switch, ()) or any(
            self.reaches(cable.high[0], rack) for cable in self._live(self.layout.uplinks(switch)))

    def ways(self, switch, rack):
        """All equal-cost ways out of a switch towards a rack that is not its own."""
        if rack in self.below.get(switch, ()):
            return [(cable, False) for cable in self._live(self.layout.downlinks(switch))
                    if rack in self.below.get(cable.low[0], ())]
        up = self._live(self.layout.uplinks(switch))
        near = [cable for cable in up if rack in self.below.get(cable.high[0], ())]
        return [(cable, True) for cable in near or [c for c in up if self.reaches(c.high[0], rack)]]

    def hop(self, way):
        cable, up = way
        number = self.layout.cables.index(cable)
        return f"via {link_address(number, up)} dev {(cable.low if up else cable.high)[1]}"

    def ecmp(self):
        """Plain ECMP for every switch: (switch -> lines)."""
        layout, lines = self.layout, {}
        for switch in layout.switches():
            lines[switch] = [f"route add {layout.address[c.low[0]]}/32 dev {c.high[1]}"
                             for c in layout.downlinks(switch) if c.low[0] in layout.address]
            for rack in layout.racks:
                ways = [] if switch == layout.leaf(rack) else self.ways(switch, rack)
                if ways:
                    hops = " ".join(f"nexthop {self.hop(way)}" for way in ways)
                    lines[switch].append(f"route add {prefix(rack)} {hops}")
        return lines

    def pinned(self):
        """On top of ECMP: a leaf sends to its uplink number i what goes to port i of another leaf,
        and where it has m uplinks for each port, the senders' m parts of the rack have one each.
        What would take a failed cable falls back to ECMP."""
        layout, lines = self.layout, {}
        for rack, senders in layout.racks.items():
            leaf = layout.leaf(rack)
            uplinks = layout.uplinks(leaf)
            each = max(1, len(uplinks) // len(senders))
            lines[leaf] = [f"rule add from {layout.address[host]} lookup {PINNED + number * each // len(senders)}"
                           for number, host in enumerate(senders)]
            for other, hosts in layout.racks.items():
                for part in range(each if other != rack else 0):
                    for port, host in enumerate(hosts):
                        way = uplinks[(port * each + part) % len(uplinks)], True
                        if way in self.ways(leaf, other):
                            lines[leaf].append(f"route add {layout.address[host]}/32 {self.hop(way)} "
                                               f"table {PINNED + part}")
        return lines

    def installed(self, routes):
        """On top of ECMP: routes as zonecut writes them (docs/schema/routes-v1.json); every switch on the
        way of a flow has a rule for it."""
        layout, lines = self.layout, {}
        for route in routes:
            between = f"from {layout.address[route['from']]} to {layout.address[route['to']]}"
            for hop in route["hops"][1:-1]:
                at, towards = namespace(hop["from"]), namespace(hop["to"])
                cables = [c for c in layout.cables if {c.low[0], c.high[0]} == {at, towards}]
                cable = cables[hop["cable"] - 1]
                table = ENGINEERED + layout.cables.index(cable)
                mine = lines.setdefault(at, [])
                mine.append(f"rule add {between} lookup {table}")
                way = f"route replace default {self.hop((cable, cable.low[0] == at))} table {table}"
                if way not in mine:
                    mine.append(way)
        return lines


def namespace(switch):
    """Of a switch that zonecut calls z1/r1/RTSW-1, z1/CTSW-2 or ATSW-1."""
    *path, last = switch.split("/")
    kind, number = last.lower().rsplit("-", 1)
    return f"{path[-1]}-rtsw" if kind == "rtsw" else "-".join([*path, kind]) + str(int(number) - 1)
