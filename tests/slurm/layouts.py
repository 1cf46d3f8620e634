"""Topologies of the tests: which server stands in which rack and zone, and topology.conf for it."""


class Layout:
    """zones: zone -> its racks; racks: rack -> its servers."""

    def __init__(self, zones, racks):
        self.racks = {server: rack for rack, servers in racks.items() for server in servers}
        self.zones = {server: zone for zone, members in zones.items() for rack in members for server in racks[rack]}
        lines = [f"SwitchName={rack} Nodes={','.join(servers)}" for rack, servers in racks.items()]
        lines += [f"SwitchName={zone} Switches={','.join(members)}" for zone, members in zones.items()]
        self.conf = "\n".join([*lines, f"SwitchName=top Switches={','.join(zones)}"]) + "\n"


def server(number):
    return f"n{number:02}"


def interleaved():
    """Cabled round robin: neighbours by name stand in different racks. Zones of 12, 8 and 12 servers."""
    racks = {f"r{i}": [server(n) for n in range(1, 21) if (n - 1) % 5 == i] for i in range(5)}
    racks |= {f"r{5 + i}": [server(n) for n in range(21 + 4 * i, 25 + 4 * i)] for i in range(3)}
    return Layout({"za": ["r0", "r1", "r2"], "zb": ["r3", "r4"], "zc": ["r5", "r6", "r7"]}, racks)


def alternating():
    """Racks by name, which belong to one zone and the other in turn."""
    racks = {f"r{i}": [server(n) for n in range(4 * i + 1, 4 * i + 5)] for i in range(8)}
    return Layout({"za": ["r0", "r2", "r4", "r6"], "zb": ["r1", "r3", "r5", "r7"]}, racks)


def uneven():
    """Zones of 13, 11 and 8 servers, one after the other, in racks of at most four."""
    racks, zones, number = {}, {}, 1
    for zone, sizes in {"za": [4, 4, 4, 1], "zb": [4, 4, 3], "zc": [4, 4]}.items():
        for size in sizes:
            rack = f"r{len(racks)}"
            racks[rack] = [server(n) for n in range(number, number + size)]
            zones.setdefault(zone, []).append(rack)
            number += size
    return Layout(zones, racks)


def large():
    """256 servers n001 … in 32 racks of eight, in zones of 12, 11 and 9 racks."""
    racks = {f"r{i}": [f"n{8 * i + j + 1:03}" for j in range(8)] for i in range(32)}
    names = list(racks)
    return Layout({"za": names[:12], "zb": names[12:23], "zc": names[23:]}, racks)
